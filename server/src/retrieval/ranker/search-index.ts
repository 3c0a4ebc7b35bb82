/**
 * The inverted index of one site, in typed arrays, so that it's small and needs no parsing. It has two
 * levels: passages, and whole pages.
 */
import type { Buffer } from 'node:buffer';

/** The documents of each term: the varint step from the previous document number, then the impact. */
export interface Postings {
  bytes: Uint8Array;
  /** Where the list of each term starts, plus the end. */
  starts: Uint32Array;
  /** The number of documents with each term. */
  counts: Uint32Array;
}

/** The distinct words of titles and headings, without stop words. */
export interface Names {
  /** The terms of each page's title, then of the heading of each passage that starts a section. */
  terms: Uint32Array;
  /** Where each title and each heading starts, plus the end. */
  starts: Uint32Array;
}

export interface SearchIndex {
  pageCount: number;
  passageCount: number;
  /** The first passage of each page, plus the end. */
  firstPassage: Uint32Array;
  /** All terms in byte order, concatenated. */
  termBytes: Buffer;
  /** Where each term starts, plus the end. */
  termStarts: Uint32Array;
  passages: Postings;
  pages: Postings;
  names: Names;
  /**
   * If the index contains only another engine's candidates: the number of passages on the whole site, and
   * how many of them have each term. A term that's rare among candidates may be common on the site.
   */
  corpus?: { passageCount: number; counts: Uint32Array };
}

/** The number of a term, or -1. */
export function findTerm(index: SearchIndex, term: Uint8Array): number {
  let low = 0;
  let high = index.termStarts.length - 2;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const order = index.termBytes.compare(
      term,
      0,
      term.length,
      index.termStarts[middle],
      index.termStarts[middle + 1],
    );
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** The range `[from, to)` of the terms that start with `prefix`. */
export function termRange(index: SearchIndex, prefix: Uint8Array): [number, number] {
  const count = index.termStarts.length - 1;
  const before = (isBefore: (order: number) => boolean): number => {
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >> 1;
      const start = index.termStarts[middle] ?? 0;
      const end = Math.min(index.termStarts[middle + 1] ?? 0, start + prefix.length);
      if (isBefore(index.termBytes.compare(prefix, 0, prefix.length, start, end))) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return [before((order) => order < 0), before((order) => order <= 0)];
}

export function termAt(index: SearchIndex, term: number): string {
  return index.termBytes.toString('utf8', index.termStarts[term], index.termStarts[term + 1]);
}

/** Adds `weight * impact` of a term to the scores of its documents, and `share` to their coverage. */
export function addPostings(
  postings: Postings,
  term: number,
  weight: number,
  share: number,
  scores: Float32Array,
  covered: Float32Array,
): void {
  const { bytes } = postings;
  const end = postings.starts[term + 1] ?? 0;
  const step = weight / 255;
  let document = -1;
  for (let at = postings.starts[term] ?? 0; at < end;) {
    let byte = bytes[at++] ?? 0;
    let gap = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++] ?? 0;
      gap |= (byte & 127) << shift;
    }
    document += gap;
    scores[document] = (scores[document] ?? 0) + step * (bytes[at++] ?? 0);
    covered[document] = (covered[document] ?? 0) + share;
  }
}

/** The terms and impacts of all documents, concatenated; document `d` begins at `starts[d]`. */
export interface Forward {
  terms: Uint32Array;
  impacts: Uint8Array;
  starts: Uint32Array;
}

/** A growing list of numbers. A plain array takes four times the memory. */
export function createGrowing() {
  let array = new Uint32Array(1024);
  let used = 0;
  return {
    push(value: number): void {
      if (used === array.length) {
        const larger = new Uint32Array(array.length * 2);
        larger.set(array);
        array = larger;
      }
      array[used++] = value;
    },
    length: (): number => used,
    view: (): Uint32Array => array.subarray(0, used),
  };
}

/** Inverts "terms of a document" into "documents of a term", compressed. */
export function* invert(termCount: number, forward: Forward): Generator<void, Postings> {
  const { terms, impacts, starts } = forward;
  const counts = new Uint32Array(termCount);
  for (let at = 0; at < terms.length; at += 1)
    counts[terms[at] ?? 0] = (counts[terms[at] ?? 0] ?? 0) + 1;
  const lists = new Uint32Array(termCount + 1);
  for (let term = 0; term < termCount; term += 1)
    lists[term + 1] = (lists[term] ?? 0) + (counts[term] ?? 0);
  yield;
  // A counting sort by term; documents stay in order.
  const next = lists.slice();
  const documents = new Uint32Array(terms.length);
  const sorted = new Uint8Array(terms.length);
  for (let document = 0; document + 1 < starts.length; document += 1) {
    const end = starts[document + 1] ?? 0;
    for (let at = starts[document] ?? 0; at < end; at += 1) {
      const term = terms[at] ?? 0;
      const position = next[term] ?? 0;
      next[term] = position + 1;
      documents[position] = document;
      sorted[position] = impacts[at] ?? 0;
    }
    if (document % 5000 === 0) yield;
  }
  const bytes = new Uint8Array(sizeOf(lists, documents));
  const byteStarts = new Uint32Array(termCount + 1);
  let used = 0;
  for (let term = 0; term < termCount; term += 1) {
    let before = -1;
    for (let at = lists[term] ?? 0; at < (lists[term + 1] ?? 0); at += 1) {
      let gap = (documents[at] ?? 0) - before;
      before = documents[at] ?? 0;
      for (; gap > 127; gap >>>= 7) bytes[used++] = (gap & 127) | 128;
      bytes[used++] = gap;
      bytes[used++] = sorted[at] ?? 0;
    }
    byteStarts[term + 1] = used;
    if (term % 20_000 === 0) yield;
  }
  return { bytes, starts: byteStarts, counts };
}

function sizeOf(lists: Uint32Array, documents: Uint32Array): number {
  let size = 0;
  for (let term = 0; term + 1 < lists.length; term += 1) {
    let before = -1;
    for (let at = lists[term] ?? 0; at < (lists[term + 1] ?? 0); at += 1) {
      const gap = (documents[at] ?? 0) - before;
      before = documents[at] ?? 0;
      size += gap < 128 ? 2 : gap < 16_384 ? 3 : gap < 2_097_152 ? 4 : 5;
    }
  }
  return size;
}
