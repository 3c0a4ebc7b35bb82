/**
 * Builds a search index from the terms of pages, with BM25F: the fields of a passage count by weight and
 * length, and one saturation over all of them gives the impact of a term, in 8 bits.
 */
import {
  createTermReader,
  fieldEnd,
  firstTerm,
  type PageAnalyzer,
  type PageTerms,
  storedFields,
} from './page-terms.ts';
import { createPostingsWriter, type SearchIndex, type Vocabulary } from './search-index.ts';

const fields = ['title', 'heading', 'headingPath', 'path', 'text', 'code'] as const;
type Field = (typeof fields)[number];

const weights: Record<Field, number> = {
  title: 4,
  heading: 3,
  headingPath: 1.5,
  path: 1,
  text: 1,
  code: 0.75,
};
/** How much the length of a field counts. Lengths of short fields say little. */
const lengthShares: Record<Field, number> = {
  title: 0.3,
  heading: 0.3,
  headingPath: 0.3,
  path: 0.3,
  text: 0.6,
  code: 0.6,
};
/** The higher, the longer repetitions keep counting. */
const saturation = { passage: 2.5, page: 4 };

/** The counts of a term in the six fields share one number: 4 bits each, 8 for text and code. */
const shifts = [0, 4, 8, 12, 16, 24];
const limits = [15, 15, 15, 15, 255, 255];

/** The position of each stored field in `fields`. A description counts as text. */
const positions = storedFields.map((field) =>
  fields.indexOf(field === 'description' ? 'text' : field),
);

export interface IndexSource {
  analyzer: PageAnalyzer;
  /** In the order in which the pages are stored, all from this analyzer. */
  pages: readonly PageTerms[];
  /** The vocabulary of the version before, whose terms are sorted already. */
  base?: Vocabulary | undefined;
  /**
   * One for each term to index. An index for one question needs only that question's terms. The others
   * are only counted.
   */
  wanted?: Uint8Array;
}

/** In passages; a few milliseconds of work. */
const yieldEvery = 2000;

/** Yields regularly, so that the caller can let other work run. */
export function* buildIndex(source: IndexSource): Generator<void, SearchIndex> {
  const { analyzer, pages, wanted } = source;
  const { termBytes, termStarts } = analyzer.terms();
  const termCount = termStarts.length - 1;
  const firstPassage = new Uint32Array(pages.length + 1);
  for (const [page, { starts }] of pages.entries())
    firstPassage[page + 1] = (firstPassage[page] ?? 0) + starts.length - 1;
  const passageCount = firstPassage[pages.length] ?? 0;
  const lengths = fields.map(() => new Uint32Array(passageCount));
  const counts = new Uint32Array(termCount);
  const lists = {
    passages: createPostingsWriter(termCount),
    pages: createPostingsWriter(termCount),
  };
  const reader = createTermReader();

  /** The last passage with each term, counted from 1. */
  const seen = new Uint32Array(termCount);
  for (const [page, terms] of pages.entries()) {
    for (let own = 0; own + 1 < terms.starts.length; own += 1) {
      const passage = (firstPassage[page] ?? 0) + own;
      const count = reader.read(terms, own, storedFields.length);
      const { values } = reader;
      let field = 0;
      let length = 0;
      for (let at = 0; at < count; at += 1) {
        const value = values[at] ?? 0;
        if (value >= firstTerm) {
          length += 1;
          const term = value - firstTerm;
          if (seen[term] === passage + 1) continue;
          seen[term] = passage + 1;
          counts[term] = (counts[term] ?? 0) + 1;
          if (wanted && !wanted[term]) continue;
          lists.passages.measure(term, passage);
          lists.pages.measure(term, page);
        } else if (value === fieldEnd) {
          const list = lengths[positions[field] ?? 0];
          if (list) list[passage] = (list[passage] ?? 0) + length;
          length = 0;
          field += 1;
        }
      }
      if (passage % yieldEvery === 0) yield;
    }
  }
  lists.passages.begin();
  lists.pages.begin();

  const averages = lengths.map(average);
  const pageLengths = lengths.map((list, position) => lengthsOfPages(list, firstPassage, position));
  const pageAverages = pageLengths.map(average);
  /** The counts of the current passage, and the weights of the current page; zero for other terms. */
  const here = new Uint32Array(termCount);
  const weightOnPage = new Float64Array(termCount);
  for (const [page, terms] of pages.entries()) {
    const pageNorms = fieldNorms((position) => pageLengths[position]?.[page] ?? 0, pageAverages);
    const onPage: number[] = [];
    for (let own = 0; own + 1 < terms.starts.length; own += 1) {
      const passage = (firstPassage[page] ?? 0) + own;
      const norms = fieldNorms((position) => lengths[position]?.[passage] ?? 0, averages);
      const count = reader.read(terms, own, storedFields.length);
      const { values } = reader;
      const found: number[] = [];
      let field = 0;
      for (let at = 0; at < count; at += 1) {
        const value = values[at] ?? 0;
        if (value >= firstTerm) {
          const term = value - firstTerm;
          if (wanted && !wanted[term]) continue;
          const before = here[term] ?? 0;
          if (before === 0) found.push(term);
          here[term] = countOne(before, positions[field] ?? 0);
        } else if (value === fieldEnd) field += 1;
      }
      for (const term of found) {
        const packed = here[term] ?? 0;
        here[term] = 0;
        lists.passages.write(term, passage, impact(weigh(packed, norms, 0), saturation.passage));
        const before = weightOnPage[term] ?? 0;
        if (before === 0) onPage.push(term);
        weightOnPage[term] = before + weigh(packed, pageNorms, own === 0 ? 0 : pageOnly);
      }
      if (passage % yieldEvery === 0) yield;
    }
    for (const term of onPage) {
      lists.pages.write(term, page, impact(weightOnPage[term] ?? 0, saturation.page));
      weightOnPage[term] = 0;
    }
  }
  return {
    pageCount: pages.length,
    passageCount,
    firstPassage,
    termBytes,
    termStarts,
    sortedTerms: sortTerms({ termBytes, termStarts }, counts, source),
    counts,
    passages: lists.passages.finish(),
    pages: lists.pages.finish(),
  };
}

/** The terms in byte order. Most are sorted already, which makes sorting fast. */
function sortTerms(
  { termBytes, termStarts }: Omit<Vocabulary, 'sortedTerms'>,
  counts: Uint32Array,
  { base, wanted }: IndexSource,
): Uint32Array {
  const isIndexed = (term: number): boolean =>
    counts[term] !== 0 && (!wanted || wanted[term] === 1);
  const sorted = [...(base?.sortedTerms ?? [])].filter(isIndexed);
  const first = base ? base.termStarts.length - 1 : 0;
  for (let term = first; term < counts.length; term += 1) if (isIndexed(term)) sorted.push(term);
  const order = (a: number, b: number): number =>
    termBytes.compare(
      termBytes,
      termStarts[b],
      termStarts[b + 1],
      termStarts[a],
      termStarts[a + 1],
    );
  return Uint32Array.from(sorted.sort(order));
}

/** Title and path count once per page, although every passage repeats them. */
function isOfPage(position: number): boolean {
  return fields[position] === 'title' || fields[position] === 'path';
}

const pageOnly = fields.reduce(
  (mask, _, position) => (isOfPage(position) ? mask | (1 << position) : mask),
  0,
);

function lengthsOfPages(
  lengths: Uint32Array,
  firstPassage: Uint32Array,
  position: number,
): Uint32Array {
  return Uint32Array.from({ length: firstPassage.length - 1 }, (_, page) => {
    const first = firstPassage[page] ?? 0;
    const last = firstPassage[page + 1] ?? 0;
    const end = isOfPage(position) ? Math.min(first + 1, last) : last;
    let sum = 0;
    for (let passage = first; passage < end; passage += 1) sum += lengths[passage] ?? 0;
    return sum;
  });
}

function average(lengths: Uint32Array): number {
  return lengths.reduce((sum, length) => sum + length, 0) / (lengths.length || 1) || 1;
}

/** The weight of one occurrence in each field, given the lengths of the fields. */
function fieldNorms(lengthOf: (position: number) => number, averages: number[]): number[] {
  return fields.map((field, position) => {
    const share = lengthShares[field];
    return weights[field] / (1 - share + share * (lengthOf(position) / (averages[position] ?? 1)));
  });
}

function weigh(packed: number, norms: number[], skip: number): number {
  let weight = 0;
  for (let position = 0; position < fields.length; position += 1) {
    if ((skip >> position) & 1) continue;
    weight +=
      ((packed >>> (shifts[position] ?? 0)) & (limits[position] ?? 0)) * (norms[position] ?? 0);
  }
  return weight;
}

/** Adds one to a field's count, up to what its bits hold. */
function countOne(packed: number, position: number): number {
  const shift = shifts[position] ?? 0;
  const limit = limits[position] ?? 0;
  return ((packed >>> shift) & limit) < limit ? (packed + 2 ** shift) >>> 0 : packed;
}

function impact(weight: number, slowness: number): number {
  return Math.max(1, Math.round((255 * weight) / (weight + slowness)));
}
