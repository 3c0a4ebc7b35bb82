/**
 * Questions to go on with: headings that the search found beside what an answer rests on, and which
 * nobody has asked for yet. No model and no further search takes part, and the same answer gives the
 * same ones.
 */
import { contentWords } from '../../retrieval/ranker/question.ts';
import { toReaderLine } from '../../retrieval/reader-line.ts';
import type { FoundPage } from '../../retrieval/retriever.ts';
import type { NumberedPassage } from './prompt.ts';

const maxSuggestions = 3;
const maxOfOnePage = 2;
/** With this share of its words asked before, a heading is a repetition. */
const askedShare = 0.75;
/** Pages far below the best were found for a word or two. */
const minShareOfBest = 0.25;
const maxLabelLength = 90;
/** An answer that cites nothing has most likely used these first passages. */
const usedUncited = 3;

/** Headings that say nothing of what follows, in the languages that documentation is mostly written in. */
const sayingNothing =
  /^(see also|next steps?|related( (pages|topics))?|further reading|learn more|more|(table of )?contents?|notes?|credits|license|changelog|release notes|what'?s new|contributing|feedback|support|summary|conclusion|tl;?dr|siehe auch|nächste schritte|voir aussi|étapes suivantes|véase también|próximos pasos)$/i;
const asking = /[?？؟]$|^(how|what|why|when|where|which|who|can|does|do|is|are|should)\s+\S+\s+\S/i;

export interface Answered {
  /** What was asked: the question, and those before it in this conversation. */
  asked: readonly string[];
  /** What the search for the question has found. */
  found: readonly FoundPage[];
  /** The same passages, in the same order, as they were numbered for the answer. */
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
    const label = toLabel(passage.heading, page.title);
    if (label === undefined || used.has(sectionOf(each)) || page.score < minScore) continue;
    const words = contentWords(label);
    if (taken.some((other) => isHeld(words, other))) continue;
    taken.push(words);
    candidates.push({ path: page.path, label });
  }
  // What reads as a question is one as it stands.
  candidates.sort((a, b) => Number(asking.test(b.label)) - Number(asking.test(a.label)));
  return candidates
    .filter(({ path }, index) => {
      const before = candidates.slice(0, index).filter((other) => other.path === path);
      return before.length < maxOfOnePage;
    })
    .slice(0, maxSuggestions)
    .map(({ label }) => label);
}

/** The heading as something to ask; with the page's title where it alone names nothing. */
function toLabel(heading: string, title: string): string | undefined {
  const [plain, page] = [heading, title].map((text) =>
    toReaderLine(text)
      .replace(/^\s*(?:\d+(?:\.\d+)*[.)]?|step \d+:?)\s+/i, '')
      .replaceAll(/[`*_]{1,3}(?=\S)|(?<=\S)[`*_]{1,3}(?=\s|$|\W)/g, '')
      .replace(/[\s:.¶#]+$/u, '')
      .trim(),
  ) as [string, string];
  if (plain === '' || sayingNothing.test(plain)) return undefined;
  const names =
    plain === page ? 2 : [...contentWords(plain).values()].filter((one) => one === 1).length;
  const label = asking.test(plain) || names >= 2 || page === '' ? plain : `${page}: ${plain}`;
  // A name of code alone is nothing to ask.
  const isReadable =
    /\p{L}{2}/u.test(label) && !/^[\x21-\x7e]+$/.test(label) && label.length <= maxLabelLength;
  return isReadable ? label : undefined;
}

/** Whether nearly all of these words were said. */
function isHeld(words: ReadonlyMap<string, number>, said: ReadonlyMap<string, number>): boolean {
  let all = 0;
  let held = 0;
  for (const [word, weight] of words) {
    all += weight;
    if (said.has(word)) held += weight;
  }
  return all === 0 || held / all >= askedShare;
}
