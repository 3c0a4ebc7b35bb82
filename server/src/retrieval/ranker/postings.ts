/** Inverts "terms of a document" into "documents of a term", compressed. */
import type { Postings } from './search-index.ts';

/** The terms and impacts of all documents, concatenated; document `d` begins at `starts[d]`. */
export interface Forward {
  terms: Uint32Array;
  impacts: Uint8Array;
  starts: Uint32Array;
}

/** A growing list of numbers. A plain array takes four times the memory. */
export interface Growing {
  push(value: number): void;
  length(): number;
  view(): Uint32Array;
}

export function createGrowing(): Growing {
  let array = new Uint32Array(1024);
  let used = 0;
  return {
    push(value) {
      if (used === array.length) {
        const larger = new Uint32Array(array.length * 2);
        larger.set(array);
        array = larger;
      }
      array[used++] = value;
    },
    length: () => used,
    view: () => array.subarray(0, used),
  };
}

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
      const place = next[term] ?? 0;
      next[term] = place + 1;
      documents[place] = document;
      sorted[place] = impacts[at] ?? 0;
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
