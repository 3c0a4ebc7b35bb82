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
}

/** Terms by number. A term keeps its number as long as a page has it. */
export interface Vocabulary {
  /** All terms, concatenated. */
  termBytes: Buffer;
  /** Where each term starts, plus the end. */
  termStarts: Uint32Array;
  /** The numbers of the terms that are in the index, in byte order. */
  sortedTerms: Uint32Array;
}

export interface SearchIndex extends Vocabulary {
  pageCount: number;
  passageCount: number;
  /** The first passage of each page, plus the end. */
  firstPassage: Uint32Array;
  /** The number of passages with each term. */
  counts: Uint32Array;
  passages: Postings;
  pages: Postings;
  /**
   * If the index contains only another engine's candidates: the number of passages on the whole site, and
   * how many of them have each term. A term that's rare among candidates may be common on the site.
   */
  corpus?: { passageCount: number; counts: Uint32Array };
}

/** The number of a term, or -1. */
export function findTerm(index: Vocabulary, term: Uint8Array): number {
  const position = firstPosition(index, (number) => compare(index, term, number) <= 0);
  const number = index.sortedTerms[position];
  return number !== undefined && compare(index, term, number) === 0 ? number : -1;
}

/** The terms that start with `prefix`, in byte order. */
export function termsWithPrefix(index: Vocabulary, prefix: Uint8Array): Uint32Array {
  const from = firstPosition(index, (number) => compare(index, prefix, number, prefix.length) <= 0);
  const to = firstPosition(index, (number) => compare(index, prefix, number, prefix.length) < 0);
  return index.sortedTerms.subarray(from, to);
}

/** The order of some bytes and of a term's first `length` bytes. */
function compare(
  { termBytes, termStarts }: Vocabulary,
  bytes: Uint8Array,
  term: number,
  length = Number.POSITIVE_INFINITY,
): number {
  const start = termStarts[term] ?? 0;
  const end = Math.min(termStarts[term + 1] ?? 0, start + length);
  return -termBytes.compare(bytes, 0, bytes.length, start, end);
}

/** The position of the first sorted term for which `isFrom` is true; it's true for all after it. */
function firstPosition({ sortedTerms }: Vocabulary, isFrom: (term: number) => boolean): number {
  let low = 0;
  let high = sortedTerms.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isFrom(sortedTerms[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return low;
}

export function termAt(index: Vocabulary, term: number): string {
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

/** A growing list of numbers. A plain array takes four times the memory. */
export function createGrowing(start: ArrayLike<number> = []) {
  let array = new Uint32Array(Math.max(1024, 2 * start.length));
  array.set(start);
  let used = start.length;
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

/**
 * Lists the documents of each term, without holding them uncompressed. `limits` says how many documents
 * a term has at most. Terms with the limit 0 aren't listed.
 */
export function createPostingsWriter(limits: Uint32Array, documentCount: number) {
  const starts = new Uint32Array(limits.length + 1);
  /** For each term, the last document, counted from 1, the end of its list, and the number of documents. */
  const lists = new Uint32Array(4 * limits.length);
  for (let term = 0; term < limits.length; term += 1) {
    const limit = limits[term] ?? 0;
    const start = starts[term] ?? 0;
    starts[term + 1] = start + maxListBytes(limit, documentCount);
    lists[4 * term] = limit === 0 ? notListed : 0;
    lists[4 * term + 1] = start;
  }
  const bytes = new Uint8Array(starts[limits.length] ?? 0);
  return {
    add(term: number, document: number, impact: number): void {
      const list = 4 * term;
      const last = lists[list] ?? 0;
      if (last === notListed) return;
      lists[list] = document + 1;
      let gap = document + 1 - last;
      let at = lists[list + 1] ?? 0;
      for (; gap > 127; gap >>>= 7) bytes[at++] = (gap & 127) | 128;
      bytes[at++] = gap;
      bytes[at++] = impact;
      lists[list + 1] = at;
      lists[list + 2] = (lists[list + 2] ?? 0) + 1;
    },
    /** Closes the gaps between the lists. */
    finish(): { postings: Postings; counts: Uint32Array } {
      let used = 0;
      for (let term = 0; term < limits.length; term += 1) {
        const start = starts[term] ?? 0;
        const end = lists[4 * term + 1] ?? 0;
        starts[term] = used;
        bytes.copyWithin(used, start, end);
        used += end - start;
      }
      starts[limits.length] = used;
      const counts = limits.map((_, term) => lists[4 * term + 2] ?? 0);
      return { postings: { bytes: bytes.subarray(0, used), starts }, counts };
    },
  };
}

const notListed = 0xffff_ffff;

/** In a list, few gaps can be so large that they take more than a byte. */
function maxListBytes(count: number, documentCount: number): number {
  const larger = (size: number): number => Math.min(count, Math.floor(documentCount / size));
  return 2 * count + larger(2 ** 7) + larger(2 ** 14) + larger(2 ** 21);
}
