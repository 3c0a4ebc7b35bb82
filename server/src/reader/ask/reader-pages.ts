/**
 * Which passages an answer reads, in which order: the best sections of what the search found, and of the page
 * that the reader is on. That page is part of the question. Its passages come first if the question refers to the page or
 * finds little elsewhere; a passage with text that the reader selected comes before all others. Any other
 * question gets one passage of the page, behind everything that was found.
 */
import { findPage, pathsOnSite } from '../../retrieval/page-path.ts';
import {
  type FoundPage,
  type FoundPassage,
  notFoundBelow,
  type Page,
  type Retriever,
  type SearchResult,
  toFoundPage,
  type Passage,
} from '../../retrieval/retriever.ts';
import { type PageReference, readReference } from './page-reference.ts';
import type { Question } from './question.ts';
import { terms } from '../../retrieval/ranker/analysis.ts';
import { contentWords } from '../../retrieval/ranker/question.ts';

/** What the reader has in front of them. */
export interface ReaderPages {
  /** The page that they are on, if it's indexed and they may see it. */
  current: Page | undefined;
  /** The path of that page, or what its path would be. */
  path: string | undefined;
  /** The pages that they selected something on, by the path that the client sent. */
  selectedOn: ReadonlyMap<string, Page>;
  /** How the question refers to the page; `undefined` if it doesn't. */
  reference: PageReference | undefined;
}

/** The specification doesn't say how much of a page to use, so we chose these. */
const most = {
  /** Other pages with a selection. */
  selectedOn: 3,
  /** Passages if the question is about the whole page, about something on it, or about a selection. */
  whole: 9,
  about: 5,
  /** Passages if little was found elsewhere. */
  instead: 3,
  characters: 14_000,
};
export async function findReaderPages(
  question: Pick<Question, 'text' | 'currentPath' | 'context' | 'filter'>,
  history: readonly unknown[],
  site: Parameters<typeof findPage>[1],
  retriever: Pick<Retriever, 'page'>,
): Promise<ReaderPages> {
  const { currentPath, context, filter } = question;
  const current = currentPath && (await findPage(retriever, site, currentPath, filter));
  const selectedOn = new Map<string, Page>();
  const paths = new Set(context.flatMap(({ path }) => path ?? []));
  for (const path of [...paths].slice(0, most.selectedOn)) {
    const page = path === currentPath ? current : await findPage(retriever, site, path, filter);
    if (page) selectedOn.set(path, page);
  }
  const reference = readReference(question.text);
  return {
    current: current || undefined,
    path: current ? current.path : currentPath && pathsOnSite(site.docs.baseUrl, currentPath)[0],
    selectedOn,
    // In a conversation, "this" is what was said before, unless the page is named.
    reference: history.length > 0 && !reference?.isNamed ? undefined : reference,
  };
}

/** A result in the order in which it's used. */
export interface ArrangedResult extends SearchResult {
  /** Set if passages stand first because of where the reader is, or what they selected. */
  ahead?: {
    passages: number;
    /** Whether the question is about them. Otherwise, what was found answers it. */
    isMeant: boolean;
    /** Whether it asks for nothing in particular, so that they can be quoted from their start. */
    isWhole: boolean;
  };
}

/** Puts what the reader means in front of what the search found. */
export function arrange(
  question: Pick<Question, 'text' | 'context'>,
  pages: ReaderPages,
  found: SearchResult,
): ArrangedResult {
  const { current, reference } = pages;
  const first = new Map<Page, number[]>();
  const selected = locateSelections(question.context, pages);
  for (const [page, numbers] of selected) {
    const beside = numbers.flatMap((number) => [number + 1, number - 1]);
    const more = reference ? matchWords(page.passages, question.text).numbers : [];
    first.set(page, take(page, [...numbers, ...beside, ...more], most.about));
  }
  const isWhole = reference?.subjects === 0;
  const isListed = found.pages.some(({ path }) => path === current?.path);
  const isLittle = found.confidence < notFoundBelow;
  const isOpen = current && !selected.has(current);
  const matching =
    isOpen && (reference || isLittle || !isListed)
      ? matchWords(current.passages, question.text)
      : { numbers: [], share: 0 };
  /** Behind everything else. */
  let last: FoundPage[] = [];
  if (isOpen) {
    if (reference && isWhole && selected.size === 0)
      first.set(current, take(current, [...current.passages.keys()], most.whole));
    else if (reference) first.set(current, take(current, matching.numbers, most.about));
    else if (isLittle && matching.share > shareElsewhere(found, question.text))
      first.set(current, take(current, matching.numbers, most.instead));
    else if (!isListed && matching.share > 0)
      last = [toFound(current, matching.numbers.slice(0, 1), 0)];
  }
  const { score: top = 0 } = found.pages[0] ?? {};
  const shown = new Set([...first.keys()].map(({ path }) => path));
  const result = {
    ...found,
    pages: [
      ...[...first].map(([page, numbers]) => toFound(page, numbers, top)),
      ...found.pages.filter(({ path }) => !shown.has(path)),
      ...last,
    ],
  };
  const [own] = first.values();
  const isMeant = reference
    ? selected.size > 0 || isWhole || reference.isNamed || matching.share > 0
    : selected.size > 0 && isLittle;
  if (!own) return result;
  if (!isMeant) {
    const passages = [...first.values()].reduce((sum, { length }) => sum + length, 0);
    return { ...result, ahead: { passages, isMeant: false, isWhole: false } };
  }
  const [located] = selected.values();
  return {
    ...result,
    confidence: Math.max(found.confidence, notFoundBelow),
    ahead: { passages: (isWhole && located ? located : own).length, isMeant: true, isWhole },
  };
}

/** The first of these passages that fit; at least one. */
function take({ passages }: Page, numbers: readonly number[], count: number): number[] {
  const taken: number[] = [];
  let room = most.characters;
  for (const number of new Set(numbers)) {
    const { length } = passages[number]?.markdown ?? '';
    if (length === 0 || (length > room && taken.length > 0)) continue;
    room -= length;
    taken.push(number);
    if (taken.length === count) break;
  }
  return taken;
}

/** The page's description stands above its first passage, if that comes first. */
function toFound(page: Page, numbers: readonly number[], score: number): FoundPage {
  const { description } = page;
  const passages = numbers.flatMap((number, at): FoundPassage[] => {
    const passage = page.passages[number];
    if (!passage) return [];
    const isStart = at === 0 && number === 0;
    if (!isStart || !description || passage.markdown.includes(description))
      return [{ ...passage, score }];
    return [{ ...passage, markdown: `${description}\n\n${passage.markdown}`, score }];
  });
  return toFoundPage(page, score, passages);
}

/** The same of what was found; less than nothing if that has none of the words. */
function shareElsewhere({ pages }: SearchResult, text: string): number {
  const passages = pages.flatMap((page) => page.passages);
  return matchWords(passages, text).share || -1;
}

/** The passages that contain what the reader selected, by page. */
function locateSelections(
  context: Question['context'],
  { current, selectedOn }: ReaderPages,
): Map<Page, number[]> {
  const located = new Map<Page, number[]>();
  for (const { value, path = '', elementId } of context) {
    const page = selectedOn.get(path) ?? current;
    if (!page) continue;
    const number = locate(page.passages, value, elementId);
    if (number !== undefined) located.set(page, [...(located.get(page) ?? []), number]);
  }
  return located;
}

/** On near ties, a section answers better than the introduction of its page. */
const introductionShare = 0.8;

/**
 * The best sections of a search result, as many as the question may use. A section counts by the score of
 * its page and by how near its best passage comes to the best one of the page. It keeps all its passages.
 */
export function bestSections(pages: FoundPage[], count: number): FoundPage[] {
  const sections = pages.flatMap((page, position) => {
    const best = page.passages[0]?.score || 1;
    const byAnchor = Map.groupBy(page.passages, ({ anchor }) => anchor);
    return [...byAnchor].map(([anchor, passages]) => {
      const share = (passages[0]?.score ?? 0) / best;
      const score = page.score * share * (anchor === '' ? introductionShare : 1);
      return { position, passages, score };
    });
  });
  const kept = new Map<number, FoundPassage[]>();
  for (const { position, passages } of sections
    .toSorted((a, b) => b.score - a.score)
    .slice(0, count))
    kept.set(position, [...(kept.get(position) ?? []), ...passages]);
  return pages.flatMap((page, position) => {
    const passages = kept.get(position);
    return passages ? [{ ...page, passages }] : [];
  });
}

/** The beginning of a selection identifies it. */
const maxSelection = 2_000;
/** The share of a selection's phrases that a passage needs to contain it. */
const minHeld = 0.3;
const phraseLength = 3;
/** The characters of a page to analyze, which is most pages as a whole, and the words that choose them. */
const maxAnalyzed = 60_000;
const longestWords = 6;
/** What the right anchor adds to that share. */
const anchorShare = 0.2;

/** The page's passages, those with most of the question's words first. `share` is what the best one has. */
export function matchWords(
  passages: readonly Passage[],
  text: string,
): { numbers: number[]; share: number } {
  const words = [...contentWords(text, true)];
  const likely = likelyPassages(passages, text);
  const held = passages.map((passage, number) => {
    if (!likely.has(number)) return [];
    const all = new Set(termsOf(passage));
    return words.filter(([word]) => all.has(word));
  });
  const sum = (some: typeof words, weigh: (word: string) => number) =>
    some.reduce((all, [word, weight]) => all + weight * weigh(word), 0);
  const counts = new Map<string, number>();
  for (const [word] of held.flat()) counts.set(word, (counts.get(word) ?? 0) + 1);
  const rarity = (word: string) => Math.log(1 + passages.length / (counts.get(word) ?? 1));
  const scores = held.map((some) => sum(some, rarity));
  const all = sum(words, () => 1);
  return {
    numbers: [...passages.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0)),
    share: all === 0 ? 0 : Math.max(0, ...held.map((some) => sum(some, () => 1))) / all,
  };
}

/** The passage with a selection: by its phrases; on ties, and without any that the page has, by the anchor above it. */
export function locate(
  passages: readonly Passage[],
  value: string,
  elementId: string | undefined,
): number | undefined {
  const words = terms(value.slice(0, maxSelection));
  const length = Math.min(phraseLength, words.length);
  const wanted = new Set(phrases(words, length));
  const likely = likelyPassages(passages, value);
  let best: { number: number; held: number } | undefined;
  for (const [number, passage] of passages.entries()) {
    const all = new Set(likely.has(number) ? phrases(termsOf(passage), length) : []);
    const share = [...wanted].filter((phrase) => all.has(phrase)).length / (wanted.size || 1);
    const isBelow = elementId !== undefined && passage.anchor === elementId;
    const held = (share < minHeld ? 0 : share) + (isBelow ? anchorShare : 0);
    if (held > (best?.held ?? 0)) best = { number, held };
  }
  return best?.number;
}

function phrases(words: readonly string[], length: number): string[] {
  if (length === 0) return [];
  return words.slice(length - 1).map((_, start) => words.slice(start, start + length).join(' '));
}

/** Of a very long page, the passages that contain the longest words as they are written. */
function likelyPassages(passages: readonly Passage[], text: string): ReadonlySet<number> {
  const texts = passages.map(textOf);
  const all = [...texts.keys()];
  if (texts.reduce((sum, { length }) => sum + length, 0) <= maxAnalyzed) return new Set(all);
  const words =
    text
      .slice(0, maxSelection)
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];
  const longest = [...new Set(words)].sort((a, b) => b.length - a.length).slice(0, longestWords);
  const counts = texts.map((one) => {
    const lower = one.toLowerCase();
    return longest.filter((word) => lower.includes(word)).length;
  });
  let room = maxAnalyzed;
  const found = all
    .sort((a, b) => (counts[b] ?? 0) - (counts[a] ?? 0))
    .filter((number) => {
      room -= texts[number]?.length ?? 0;
      return room > 0 && (counts[number] ?? 0) > 0;
    });
  return new Set(found);
}

function textOf({ heading, text, code }: Passage): string {
  return `${heading}\n${text}\n${code}`;
}

/** Several selections are looked for on the same page. */
const knownTerms = new WeakMap<Passage, string[]>();

function termsOf(passage: Passage): string[] {
  const known = knownTerms.get(passage) ?? terms(textOf(passage));
  knownTerms.set(passage, known);
  return known;
}
