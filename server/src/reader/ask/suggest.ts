/**
 * Suggests follow-up questions: headings that the search found, that the answer doesn't cite, and that
 * nobody asked about yet. It uses no model and no further search, and is deterministic.
 */
import { trimEndOf } from '../../platform/text.ts';
import { contentWords } from '../../retrieval/ranker/question.ts';
import { type FoundPage, toReaderLine } from '../../retrieval/retriever.ts';
import type { NumberedPassage } from './prompt.ts';

const maxSuggestions = 3;
const maxOfOnePage = 2;
/** If this share of its words was asked before, a heading is a repetition. */
const askedShare = 0.75;
/** A page that scores far below the best one matches only a word or two. */
const minShareOfBest = 0.25;
const maxLabelLength = 90;
/** An answer without citations has most likely used the first passages. */
const usedUncited = 3;

/** Headings that don't describe their section, in common languages of documentation. */
const sayingNothing =
  /^(see also|next steps?|related( (pages|topics))?|further reading|learn more|more|(table of )?contents?|notes?|credits|license|changelog|release notes|what'?s new|contributing|feedback|support|summary|conclusion|tl;?dr|siehe auch|nächste schritte|voir aussi|étapes suivantes|véase también|próximos pasos)$/i;
const asking = /[?？؟]$|^(how|what|why|when|where|which|who|can|does|do|is|are|should)\s+\S+\s+\S/i;

export interface Answered {
  /** The question, and the earlier questions of the conversation. */
  asked: readonly string[];
  /** The pages that the search found. */
  found: readonly FoundPage[];
  /** The passages of these pages, in the same order, with their numbers. */
  passages: readonly NumberedPassage[];
  /** The numbers that the answer cites. */
  cited: ReadonlySet<string>;
}

export function suggestQuestions({ asked, found, passages, cited }: Answered): string[] {
  const minScore = (found[0]?.score ?? 0) * minShareOfBest;
  const all = found.flatMap((page) => page.passages.map((passage) => ({ page, passage })));
  const isUsed = (index: number) =>
    cited.size > 0 ? cited.has(passages[index]?.number ?? '') : index < usedUncited;
  const sectionOf = ({ page, passage }: (typeof all)[number]) => `${page.path}#${passage.anchor}`;
  const used = new Set(all.filter((_each, index) => isUsed(index)).map(sectionOf));
  const taken = asked.map((text) => contentWords(text));
  const candidates: { path: string; label: string }[] = [];
  for (const each of all) {
    const { page, passage } = each;
    if (used.has(sectionOf(each)) || page.score < minScore) continue;
    const label = toLabel(passage.heading, page.title);
    if (label === undefined) continue;
    const words = contentWords(label);
    if (taken.some((other) => isHeld(words, other))) continue;
    taken.push(words);
    candidates.push({ path: page.path, label });
  }
  // Headings that are questions come first.
  candidates.sort((a, b) => Number(asking.test(b.label)) - Number(asking.test(a.label)));
  return candidates
    .filter(({ path }, index) => {
      const before = candidates.slice(0, index).filter((other) => other.path === path);
      return before.length < maxOfOnePage;
    })
    .slice(0, maxSuggestions)
    .map(({ label }) => label);
}

/** The heading as a question, with the page's title if the heading alone isn't clear. */
function toLabel(heading: string, title: string): string | undefined {
  const [plain, page] = [heading, title].map((text) =>
    trimEndOf(
      toReaderLine(text)
        .replace(/^\s*(?:\d+(?:\.\d+)*[.)]?|step \d+:?)\s+/i, '')
        .replaceAll(/[`*_]{1,3}(?=\S)|(?<=\S)[`*_]{1,3}(?=\s|$|\W)/g, ''),
      /[\s:.¶#]/,
    ).trim(),
  ) as [string, string];
  if (plain === '' || sayingNothing.test(plain)) return undefined;
  const names =
    plain === page ? 2 : [...contentWords(plain).values()].filter((one) => one === 1).length;
  const label = asking.test(plain) || names >= 2 || page === '' ? plain : `${page}: ${plain}`;
  // A code identifier alone isn't a question.
  const isReadable =
    /\p{L}{2}/u.test(label) && !/^[\x21-\x7e]+$/.test(label) && label.length <= maxLabelLength;
  return isReadable ? label : undefined;
}

/** Whether nearly all of these words were used. */
function isHeld(words: ReadonlyMap<string, number>, said: ReadonlyMap<string, number>): boolean {
  let all = 0;
  let held = 0;
  for (const [word, weight] of words) {
    all += weight;
    if (said.has(word)) held += weight;
  }
  return all === 0 || held / all >= askedShare;
}
