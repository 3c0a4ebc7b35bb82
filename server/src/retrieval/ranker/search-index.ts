/**
 * The inverted index of one site, in typed arrays so that it is small and read from disk as it is.
 * Two levels: passages, and pages with all their passages together.
 */
import type { Buffer } from 'node:buffer';

/** Lists of documents per term: varint steps between document numbers, each followed by its impact. */
export interface Postings {
  bytes: Uint8Array;
  /** Where the list of each term starts; one more than there are terms. */
  starts: Uint32Array;
  /** In how many documents each term is. */
  counts: Uint32Array;
}

/** The words of titles and headings, without those that only ask, each once. */
export interface Names {
  /** Terms of the title of each page, then of the heading of each passage where a section starts. */
  terms: Uint32Array;
  /** Where the terms of each page's title start, then those of each passage's heading; one more. */
  starts: Uint32Array;
}

export interface SearchIndex {
  pageCount: number;
  passageCount: number;
  /** First passage of each page; one more than there are pages. */
  firstPassage: Uint32Array;
  /** All terms in byte order, end to end. */
  termBytes: Buffer;
  /** Where each term starts; one more than there are terms. */
  termStarts: Uint32Array;
  passages: Postings;
  pages: Postings;
  /** What pages and sections are called. */
  names: Names;
  /**
   * Where these are only the candidates of another engine: how many passages its whole site has, and
   * how many of them have each term. What is rare among candidates need not be rare.
   */
  corpus?: { passageCount: number; counts: Uint32Array };
}

/** Number of a term, or -1. */
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

/** Numbers of the terms that start with `prefix`: `[from, to)`. */
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

/** Adds `weight * impact` of a term to the score of each of its documents, and `share` to what is covered. */
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
