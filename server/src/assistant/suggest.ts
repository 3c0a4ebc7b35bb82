/**
 * Questions to go on with: headings beside what an answer rests on, which nobody has asked for yet and
 * which the documentation does answer. No model takes part, and the same answer gives the same ones.
 */
import { citedNumbers } from '@docent/shared/citations';
import type { Logger } from '../log.ts';
import { contentWords } from '../retrieval/ranker/question.ts';
import { toReaderLine } from '../retrieval/reader-line.ts';
import type { FoundPage, Page, Retriever } from '../retrieval/retriever.ts';
import type { Question } from './question.ts';
import type { NumberedPassage } from './prompt.ts';

export const mostSuggestions = 3;

/** Pages whose sections are looked at besides those that were found. */
const mostPages = 3;
const mostOfOnePage = 2;
/** Searches that one answer may cost: they are as dear as its own. */
const mostChecks = 6;
/** The answer is read by then; whoever waits for its end waits no longer than this. */
const patienceMs = 250;
/** A search for the heading must find nearly all of its words in one passage. */
const leastCoverage = 0.6;
/** Of the words of a heading, so many asked before make it a repetition. */
const askedShare = 0.75;
/** Pages far below the best were found for a word or two. */
const leastShareOfBest = 0.5;
const longestLabel = 90;
const usedUncited = 3;
/** Sections below a cited one that count as standing next to it. */
const nearest = 2;

/** Headings that say nothing of what follows, in the languages that documentation is mostly written in. */
const sayingNothing =
  /^(see also|next steps?|related( (pages|topics))?|further reading|learn more|more|(table of )?contents?|notes?|credits|license|changelog|release notes|what'?s new|contributing|feedback|support|summary|conclusion|tl;?dr|siehe auch|nächste schritte|voir aussi|étapes suivantes|véase también|próximos pasos)$/i;
const asking = /[?？؟]$|^(how|what|why|when|where|which|who|can|does|do|is|are|should)\s+\S+\s+\S/i;

interface Section {
  path: string;
  anchor: string;
  heading: string;
  title: string;
}

interface Candidate extends Section {
  label: string;
}

export interface SuggestParts {
  retriever: Pick<Retriever, 'page' | 'search'>;
  log: Pick<Logger, 'debug'>;
}

export interface Answered {
  domain: string;
  question: Pick<Question, 'text' | 'filter'>;
  /** What was asked before in this conversation. */
  before: readonly string[];
  /** What the search for the question has found. */
  found: readonly FoundPage[];
  /** The same passages, in the same order, as they were numbered for the answer. */
  passages: readonly NumberedPassage[];
}

export interface Suggesting {
  /** For the answer as it was given; empty where nothing fits, or where it takes too long. */
  after: (answer: string) => Promise<string[]>;
}

/** Reads the pages that may be needed at once, beside the model's work. */
export function beginSuggesting(
  answered: Answered,
  parts: SuggestParts,
  signal: AbortSignal,
): Suggesting {
  const { domain, question, found } = answered;
  const pages = Promise.all(
    found
      .slice(0, mostPages)
      .map(({ path }) =>
        parts.retriever.page(domain, path, question.filter).catch(() => undefined),
      ),
  );
  return {
    async after(answer) {
      try {
        const candidates = rank(answered, await pages, citedNumbers(answer));
        return await answerable(candidates, answered, parts.retriever, signal);
      } catch (err) {
        // They are a courtesy: the answer stands without them.
        parts.log.debug({ err }, 'no suggestions');
        return [];
      }
    },
  };
}

/** The best first: what stands next to the cited sections, then what was found and not used. */
export function rank(
  { question, before, found, passages }: Answered,
  pages: readonly (Page | undefined)[],
  cited: ReadonlySet<string>,
): Candidate[] {
  const all = found.flatMap((page) => page.passages.map((passage) => ({ page, passage })));
  // An answer that cites nothing has most likely used what was found first.
  const isUsed = (index: number) =>
    cited.size > 0 ? cited.has(passages[index]?.number ?? '') : index < usedUncited;
  const idOf = ({ path, anchor }: Pick<Section, 'path' | 'anchor'>) => `${path}#${anchor}`;
  const used = all.filter((_each, index) => isUsed(index));
  const usedIds = new Set(
    used.map(({ page, passage }) => idOf({ path: page.path, anchor: passage.anchor })),
  );
  const next: Section[] = [];
  const previous: Section[] = [];
  for (const { page, passage } of used) {
    const whole = pages.find((each) => each?.path === page.path);
    if (!whole) continue;
    const sections = sectionsOf(whole);
    const at = sections.findIndex(({ anchor }) => anchor === passage.anchor);
    next.push(...sections.slice(at + 1, at + 1 + nearest));
    previous.push(...sections.slice(Math.max(0, at - 1), Math.max(0, at)));
  }
  const best = found[0]?.score ?? 0;
  const unused = all
    .filter(({ page }, index) => !isUsed(index) && page.score >= best * leastShareOfBest)
    .map(({ page, passage: { anchor, heading } }): Section => {
      return { path: page.path, anchor, heading, title: page.title };
    });
  const asked = [question.text, ...before].map((text) => contentWords(text));
  const taken: ReadonlyMap<string, number>[] = [...asked];
  const ordered = [...next.slice(0, 1), ...unused, ...next.slice(1), ...previous];
  const candidates: Candidate[] = [];
  for (const section of ordered) {
    const label = labelOf(section);
    if (label === undefined || usedIds.has(idOf(section))) continue;
    const words = contentWords(label);
    if (taken.some((other) => isHeld(words, other))) continue;
    taken.push(words);
    candidates.push({ ...section, label });
  }
  // What reads as a question is one as it stands.
  return candidates.toSorted((a, b) => Number(asking.test(b.label)) - Number(asking.test(a.label)));
}

/** Those that a search leads to the section that they are taken from, in their order. */
async function answerable(
  candidates: Candidate[],
  { domain, question }: Answered,
  retriever: SuggestParts['retriever'],
  signal: AbortSignal,
): Promise<string[]> {
  const chosen: Candidate[] = [];
  const giveUpAt = performance.now() + patienceMs;
  const untilThen = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
  for (const candidate of candidates.slice(0, mostChecks)) {
    if (chosen.length === mostSuggestions || performance.now() > giveUpAt) break;
    const ofPage = chosen.filter(({ path }) => path === candidate.path).length;
    if (ofPage >= mostOfOnePage) continue;
    const { filter } = question;
    // A heading is found by its own words: nothing has to be paid for it.
    const query = {
      text: candidate.label,
      pageSize: 2,
      isLexical: true,
      ...(filter && { filter }),
    };
    const result = await retriever.search(domain, query, untilThen).catch(() => undefined);
    if (!result) break;
    const isThere = result.pages.some(
      ({ path, passages }) =>
        path === candidate.path && passages.some(({ anchor }) => anchor === candidate.anchor),
    );
    if (isThere && result.coverage >= leastCoverage) chosen.push(candidate);
  }
  return chosen.map(({ label }) => label);
}

/** Each heading of a page once, in their order. */
function sectionsOf({ path, title, passages }: Page): Section[] {
  const byAnchor = new Map<string, Section>();
  for (const { anchor, heading } of passages) {
    if (!byAnchor.has(anchor)) byAnchor.set(anchor, { path, anchor, heading, title });
  }
  return [...byAnchor.values()];
}

/** The heading as something to ask; with the page's title where it alone names nothing. */
function labelOf({ heading, title }: Section): string | undefined {
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
    /\p{L}{2}/u.test(label) && !/^[\x21-\x7e]+$/.test(label) && label.length <= longestLabel;
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
