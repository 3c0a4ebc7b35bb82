/**
 * Builds a search index from pages, with BM25F: the fields of a passage count by weight and length, and
 * one saturation over all of them gives the impact of a term, in 8 bits.
 */
import { Buffer } from 'node:buffer';
import {
  countIn,
  createPageAnalyzer,
  type Field,
  fields,
  type PageAnalyzer,
  type PageTerms,
} from './page-terms.ts';
import { createGrowing, type Forward, invert, type SearchIndex } from './search-index.ts';
import type { Page } from '../retriever.ts';
import { stopWords } from './stop-words.ts';

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

interface IndexDeps {
  analyzer: PageAnalyzer;
  /**
   * The terms to index. An index for one question needs only that question's terms, which takes 60% less
   * time. Other terms in titles and headings are only counted, with numbers after all others.
   */
  isWanted: (term: number) => boolean;
}

/** In passages; about ten milliseconds of work. */
const yieldEvery = 2000;

export function createIndexBuilder({
  analyzer = createPageAnalyzer(),
  isWanted = () => true,
}: Partial<IndexDeps> = {}) {
  const terms = createGrowing();
  const counts = createGrowing();
  /** Where each passage starts in the two lists above. */
  const starts = createGrowing();
  const firstPassage = createGrowing();
  const lengths = fields.map(() => createGrowing());
  const titles: Uint32Array[] = [];
  const headings: Uint32Array[] = [];
  /** The number of passages with each term that isn't indexed. */
  const left = new Uint32Array(analyzer.words.length);
  starts.push(0);
  firstPassage.push(0);

  /** For pages that the same analyzer has already analyzed. Add pages in the order in which they're stored. */
  function addTerms(page: PageTerms): void {
    titles.push(page.title);
    for (const [passage, heading] of page.headings.entries()) {
      headings.push(heading);
      for (let position = 0; position < fields.length; position += 1)
        lengths[position]?.push(page.lengths[passage * fields.length + position] ?? 0);
      const end = page.starts[passage + 1] ?? 0;
      for (let at = page.starts[passage] ?? 0; at < end; at += 1) {
        const term = page.terms[at] ?? 0;
        if (!isWanted(term)) {
          left[term] = (left[term] ?? 0) + 1;
          continue;
        }
        terms.push(term);
        counts.push(page.counts[at] ?? 0);
      }
      starts.push(terms.length());
    }
    firstPassage.push(starts.length() - 1);
  }

  /** Yields regularly, so that the caller can let other work run. */
  function* finish(): Generator<void, SearchIndex> {
    const asking = new Set([...stopWords].map((word) => analyzer.numberOf(word)));
    const has = new Uint8Array(analyzer.words.length);
    const words: { term: number; bytes: Buffer }[] = [];
    for (const term of terms.view()) {
      if (has[term]) continue;
      has[term] = 1;
      words.push({ term, bytes: Buffer.from(analyzer.words[term] ?? '') });
    }
    words.sort((a, b) => Buffer.compare(a.bytes, b.bytes));
    yield;
    /** The position of each term in byte order. */
    const rank = new Int32Array(has.length).fill(-1);
    const termStarts = new Uint32Array(words.length + 1);
    for (const [position, { term, bytes }] of words.entries()) {
      rank[term] = position;
      termStarts[position + 1] = (termStarts[position] ?? 0) + bytes.length;
    }
    const forward: Collected = {
      terms: terms.view().map((term) => rank[term] ?? 0),
      counts: counts.view(),
      starts: starts.view(),
      lengths: lengths.map((length) => length.view()),
    };
    yield;
    const passages = yield* invert(words.length, yield* passageImpacts(forward));
    const pages = yield* invert(words.length, yield* pageImpacts(forward, firstPassage.view()));
    const leftInNames: number[] = [];
    const numberOf = (term: number): number => {
      if (rank[term] === -1 && left[term]) rank[term] = words.length + leftInNames.push(term) - 1;
      return asking.has(term) ? -1 : (rank[term] ?? -1);
    };
    const nameTerms = createGrowing();
    const nameStarts = createGrowing();
    for (const name of [...titles, ...headings]) {
      nameStarts.push(nameTerms.length());
      for (const number of name) {
        const term = numberOf(number);
        if (term >= 0) nameTerms.push(term);
      }
    }
    nameStarts.push(nameTerms.length());
    if (leftInNames.length > 0)
      passages.counts = Uint32Array.of(
        ...passages.counts,
        ...leftInNames.map((term) => left[term] ?? 0),
      );
    return {
      pageCount: firstPassage.length() - 1,
      passageCount: starts.length() - 1,
      firstPassage: firstPassage.view(),
      termBytes: Buffer.concat(words.map(({ bytes }) => bytes)),
      termStarts,
      passages,
      pages,
      names: { terms: nameTerms.view(), starts: nameStarts.view() },
    };
  }
  return { add: (page: Page) => addTerms(analyzer.analyze(page)), addTerms, finish };
}

interface Collected {
  terms: Uint32Array;
  counts: Uint32Array;
  starts: Uint32Array;
  lengths: Uint32Array[];
}

function* passageImpacts(from: Collected): Generator<void, Forward> {
  const averages = from.lengths.map(average);
  const impacts = new Uint8Array(from.terms.length);
  for (let passage = 0; passage + 1 < from.starts.length; passage += 1) {
    const norms = fieldNorms((position) => from.lengths[position]?.[passage] ?? 0, averages);
    const end = from.starts[passage + 1] ?? 0;
    for (let at = from.starts[passage] ?? 0; at < end; at += 1) {
      impacts[at] = impact(weigh(from.counts[at] ?? 0, norms, 0), saturation.passage);
    }
    if (passage % yieldEvery === 0) yield;
  }
  return { terms: from.terms, impacts, starts: from.starts };
}

function* pageImpacts(from: Collected, firstPassage: Uint32Array): Generator<void, Forward> {
  const pageLengths = from.lengths.map((length, position) =>
    Uint32Array.from({ length: firstPassage.length - 1 }, (_, page) => {
      const first = firstPassage[page] ?? 0;
      const last = firstPassage[page + 1] ?? 0;
      const end = isOfPage(position) ? Math.min(first + 1, last) : last;
      let sum = 0;
      for (let passage = first; passage < end; passage += 1) sum += length[passage] ?? 0;
      return sum;
    }),
  );
  const averages = pageLengths.map(average);
  const terms = createGrowing();
  const impacts = createGrowing();
  const starts = createGrowing();
  starts.push(0);
  for (let page = 0; page + 1 < firstPassage.length; page += 1) {
    const norms = fieldNorms((position) => pageLengths[position]?.[page] ?? 0, averages);
    const found = new Map<number, number>();
    const first = firstPassage[page] ?? 0;
    for (let passage = first; passage < (firstPassage[page + 1] ?? 0); passage += 1) {
      const end = from.starts[passage + 1] ?? 0;
      for (let at = from.starts[passage] ?? 0; at < end; at += 1) {
        const term = from.terms[at] ?? 0;
        const weight = weigh(from.counts[at] ?? 0, norms, passage === first ? 0 : pageOnly);
        found.set(term, (found.get(term) ?? 0) + weight);
      }
    }
    for (const [term, weight] of found) {
      terms.push(term);
      impacts.push(impact(weight, saturation.page));
    }
    starts.push(terms.length());
    if (page % (yieldEvery / 10) === 0) yield;
  }
  return { terms: terms.view(), impacts: Uint8Array.from(impacts.view()), starts: starts.view() };
}

/** Title and path count once per page, although every passage repeats them. */
function isOfPage(position: number): boolean {
  return fields[position] === 'title' || fields[position] === 'path';
}

const pageOnly = fields.reduce(
  (mask, _, position) => (isOfPage(position) ? mask | (1 << position) : mask),
  0,
);

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
    weight += countIn(packed, position) * (norms[position] ?? 0);
  }
  return weight;
}

function impact(weight: number, slowness: number): number {
  return Math.max(1, Math.round((255 * weight) / (weight + slowness)));
}
