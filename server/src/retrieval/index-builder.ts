/**
 * Pages -> search index. BM25F: the fields of a passage count by their weight and length, then one
 * saturation over all of them gives the impact of a term, kept in 8 bits.
 */
import { Buffer } from 'node:buffer';
import { analyzeChunk, eachChunk } from './analysis.ts';
import { createGrowing, invert } from './postings.ts';
import type { Forward } from './postings.ts';
import type { Page, Passage } from './retriever.ts';
import { createNames, joinNames } from './names.ts';
import type { SearchIndex } from './search-index.ts';
import { stopWords } from './words.ts';

type Field = 'title' | 'heading' | 'headingPath' | 'path' | 'text' | 'code';
const fields: Field[] = ['title', 'heading', 'headingPath', 'path', 'text', 'code'];
const weights: Record<Field, number> = {
  title: 4,
  heading: 3,
  headingPath: 1.5,
  path: 1,
  text: 1,
  code: 0.75,
};
/** How much the length of a field counts: short ones differ by accident, texts by content. */
const lengthShares: Record<Field, number> = {
  title: 0.3,
  heading: 0.3,
  headingPath: 0.3,
  path: 0.3,
  text: 0.6,
  code: 0.6,
};
/** How slowly repetition stops counting. */
const saturation = { passage: 2.5, page: 4 };

/** Counts of a term in the six fields share one number: 4 bits each, 8 for text and code. */
const shifts = [0, 4, 8, 12, 16, 24];
const limits = [15, 15, 15, 15, 255, 255];

export interface IndexBuilder {
  /** In the order that the pages are kept in. */
  add(page: Page): void;
  /** Yields now and then, so that the caller can let others run. */
  finish(): Generator<void, SearchIndex>;
}

/** In passages: some ten milliseconds of work. */
const yieldEvery = 2000;

export function createIndexBuilder(): IndexBuilder {
  const numbers = new Map<string, number>();
  const terms = createGrowing();
  const counts = createGrowing();
  /** Where the terms of each passage start in the two lists above. */
  const starts = createGrowing();
  const firstPassage = createGrowing();
  const lengths = fields.map(() => createGrowing());
  const titles = createNames();
  const headings = createNames();
  starts.push(0);
  firstPassage.push(0);

  /** The same few thousand chunks make up most of every text. */
  const known = new Map<string, readonly number[]>();
  /** Counts of each term in the passage at hand; all zero between two. */
  let here = new Uint32Array(1 << 16);

  function termsOf(chunk: string): readonly number[] {
    const before = known.get(chunk);
    if (before) return before;
    const found: number[] = [];
    analyzeChunk(chunk, (term) => {
      let number = numbers.get(term);
      if (number === undefined) numbers.set(term, (number = numbers.size));
      found.push(number);
    });
    if (numbers.size > here.length) here = enlarge(here);
    if (known.size >= mostKnown) known.clear();
    known.set(chunk, found);
    return found;
  }

  function numbersOf(text: string): Set<number> {
    const found = new Set<number>();
    eachChunk(text, (chunk) => {
      for (const number of termsOf(chunk)) found.add(number);
    });
    return found;
  }

  function add(page: Page): void {
    titles.add(numbersOf(page.title));
    for (const [index, passage] of page.passages.entries()) {
      const isSection = passage.heading !== page.passages[index - 1]?.heading;
      headings.add(isSection && passage.heading !== page.title ? numbersOf(passage.heading) : []);
      const touched: number[] = [];
      const texts = fieldTexts(page, passage, index === 0);
      for (const [place, field] of fields.entries()) {
        let length = 0;
        eachChunk(texts[field], (chunk) => {
          for (const number of termsOf(chunk)) {
            const before = here[number] ?? 0;
            if (before === 0) touched.push(number);
            here[number] = countOne(before, place);
            length += 1;
          }
        });
        lengths[place]?.push(length);
      }
      for (const number of touched) {
        terms.push(number);
        counts.push(here[number] ?? 0);
        here[number] = 0;
      }
      starts.push(terms.length());
    }
    firstPassage.push(starts.length() - 1);
  }

  function* finish(): Generator<void, SearchIndex> {
    const words = [...numbers.keys()].map((term) => Buffer.from(term));
    const asking = new Set([...stopWords].map((word) => numbers.get(word)));
    numbers.clear();
    const order = words.map((_, number) => number);
    order.sort((a, b) => Buffer.compare(words[a] ?? empty, words[b] ?? empty));
    yield;
    /** Place of a term in byte order. */
    const rank = new Uint32Array(order.length);
    const termStarts = new Uint32Array(order.length + 1);
    for (const [place, number] of order.entries()) {
      rank[number] = place;
      termStarts[place + 1] = (termStarts[place] ?? 0) + (words[number]?.length ?? 0);
    }
    const forward: Collected = {
      terms: terms.view().map((term) => rank[term] ?? 0),
      counts: counts.view(),
      starts: starts.view(),
      lengths: lengths.map((length) => length.view()),
    };
    yield;
    const passages = yield* invert(order.length, yield* passageImpacts(forward));
    const pages = yield* invert(order.length, yield* pageImpacts(forward, firstPassage.view()));
    return {
      pageCount: firstPassage.length() - 1,
      passageCount: starts.length() - 1,
      firstPassage: firstPassage.view(),
      termBytes: Buffer.concat(order.map((number) => words[number] ?? empty)),
      termStarts,
      passages,
      pages,
      names: joinNames([titles, headings], (number) =>
        asking.has(number) ? -1 : (rank[number] ?? 0),
      ),
    };
  }
  return { add, finish };
}

const empty = Buffer.alloc(0);
const mostKnown = 300_000;

function enlarge(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}

function fieldTexts(page: Page, passage: Passage, isFirst: boolean): Record<Field, string> {
  return {
    title: page.title,
    heading: passage.heading === page.title ? '' : passage.heading,
    headingPath: passage.headingPath.join('\n'),
    path: page.path,
    text: isFirst && page.description ? `${page.description}\n${passage.text}` : passage.text,
    code: passage.code,
  };
}

/** Counts one more in a field, up to what its bits hold. */
function countOne(packed: number, place: number): number {
  const shift = shifts[place] ?? 0;
  const limit = limits[place] ?? 0;
  return ((packed >>> shift) & limit) < limit ? (packed + 2 ** shift) >>> 0 : packed;
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
    const norms = fieldNorms((place) => from.lengths[place]?.[passage] ?? 0, averages);
    const end = from.starts[passage + 1] ?? 0;
    for (let at = from.starts[passage] ?? 0; at < end; at += 1) {
      impacts[at] = impact(weigh(from.counts[at] ?? 0, norms, 0), saturation.passage);
    }
    if (passage % yieldEvery === 0) yield;
  }
  return { terms: from.terms, impacts, starts: from.starts };
}

function* pageImpacts(from: Collected, firstPassage: Uint32Array): Generator<void, Forward> {
  const pageLengths = from.lengths.map((length, place) =>
    Uint32Array.from({ length: firstPassage.length - 1 }, (_, page) => {
      const first = firstPassage[page] ?? 0;
      const last = firstPassage[page + 1] ?? 0;
      const end = isOfPage(place) ? Math.min(first + 1, last) : last;
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
    const norms = fieldNorms((place) => pageLengths[place]?.[page] ?? 0, averages);
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

/** Title and path stand once on a page, however many passages repeat them. */
function isOfPage(place: number): boolean {
  return fields[place] === 'title' || fields[place] === 'path';
}

const pageOnly = fields.reduce(
  (mask, _, place) => (isOfPage(place) ? mask | (1 << place) : mask),
  0,
);

function average(lengths: Uint32Array): number {
  return lengths.reduce((sum, length) => sum + length, 0) / (lengths.length || 1) || 1;
}

/** What one occurrence in each field of a document counts, given how long the fields are. */
function fieldNorms(lengthOf: (place: number) => number, averages: number[]): number[] {
  return fields.map((field, place) => {
    const share = lengthShares[field];
    return weights[field] / (1 - share + share * (lengthOf(place) / (averages[place] ?? 1)));
  });
}

function weigh(packed: number, norms: number[], skip: number): number {
  let weight = 0;
  for (let place = 0; place < fields.length; place += 1) {
    if ((skip >> place) & 1) continue;
    weight += ((packed >>> (shifts[place] ?? 0)) & (limits[place] ?? 0)) * (norms[place] ?? 0);
  }
  return weight;
}

function impact(weight: number, slowness: number): number {
  return Math.max(1, Math.round((255 * weight) / (weight + slowness)));
}
