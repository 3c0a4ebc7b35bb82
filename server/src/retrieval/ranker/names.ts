/** The terms of titles and headings, stored separately for reranking. */
import { createGrowing } from './postings.ts';
import type { Names } from './search-index.ts';

/** Collects the terms of one name after another. */
export function createNames() {
  const terms = createGrowing();
  const starts = createGrowing();
  return {
    terms,
    starts,
    add(numbers: Iterable<number>): void {
      starts.push(terms.length());
      for (const number of numbers) terms.push(number);
    },
  };
}

/** Joins the lists, with the term numbers of the finished index. Skips words with a number below 0. */
export function joinNames(
  lists: ReturnType<typeof createNames>[],
  toTerm: (number: number) => number,
): Names {
  const terms = createGrowing();
  const starts = createGrowing();
  for (const list of lists) {
    for (let name = 0; name < list.starts.length(); name += 1) {
      const end = list.starts.view()[name + 1] ?? list.terms.length();
      starts.push(terms.length());
      for (const number of list.terms.view().subarray(list.starts.view()[name], end)) {
        const term = toTerm(number);
        if (term >= 0) terms.push(term);
      }
    }
  }
  starts.push(terms.length());
  return { terms: terms.view(), starts: starts.view() };
}
