/**
 * The reader's page is part of the question. Its passages come first if the question refers to the page or
 * finds little elsewhere; a passage with text that the reader selected comes before all others. Any other
 * question gets one passage of the page, behind everything that was found.
 */
import { findPage } from '../../retrieval/page-path.ts';
import { pathsOnSite } from '../../retrieval/page-path.ts';
import {
  type FoundPage,
  type FoundPassage,
  notFoundBelow,
  type Page,
  type Retriever,
  type SearchResult,
  toFoundPage,
} from '../../retrieval/retriever.ts';
import { locate, matchWords } from './match-passages.ts';
import { type PageReference, readReference } from './page-reference.ts';
import type { Question } from './question.ts';

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
