import { Buffer } from 'node:buffer';
import { termAt, termRange } from './search-index.ts';
import type { SearchIndex } from './search-index.ts';

/** A term in only one passage may itself be misspelled. */
const minPassages = 2;

/**
 * Finds the term that is most similar to an unknown word and has the same first letter; on ties, the most
 * frequent one. Allows one typo, or two in long words.
 */
export function correctSpelling(index: SearchIndex, term: string): number {
  if (term.length < 4 || !/^\p{L}+$/u.test(term)) return -1;
  const allowed = term.length >= 8 ? 2 : 1;
  const first = Buffer.from(term.slice(0, 1));
  const [from, to] = termRange(index, first);
  const bytes = Buffer.byteLength(term);
  let best = -1;
  let bestSlips = allowed + 1;
  let bestCount = minPassages - 1;
  for (let number = from; number < to; number += 1) {
    const length = (index.termStarts[number + 1] ?? 0) - (index.termStarts[number] ?? 0);
    if (Math.abs(length - bytes) > allowed * 2) continue;
    const count = index.passages.counts[number] ?? 0;
    if (count < minPassages) continue;
    const slips = slipsBetween(term, termAt(index, number), allowed);
    if (slips < bestSlips || (slips === bestSlips && slips <= allowed && count > bestCount)) {
      best = number;
      bestSlips = slips;
      bestCount = count;
    }
  }
  return best;
}

/** The number of letters that are added, removed, changed, or swapped, at most `allowed + 1`. */
export function slipsBetween(a: string, b: string, allowed: number): number {
  if (Math.abs(a.length - b.length) > allowed) return allowed + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(cost);
      least = Math.min(least, cost);
    }
    if (least > allowed) return allowed + 1;
    beforeLast = last;
    last = current;
  }
  return Math.min(last[b.length] ?? 0, allowed + 1);
}
