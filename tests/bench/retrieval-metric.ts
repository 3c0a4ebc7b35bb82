/** How good a list of pages is for one question: the metric that the reference figures were made with. */
export interface Score {
  /** nDCG of the first ten. */
  ndcg: number;
  /** Share of the relevant pages among the first five. */
  recall: number;
}

export function scoreQuestion(relevant: readonly string[], ranked: readonly string[]): Score {
  const wanted = new Set(relevant.map(plainPath));
  const pages = [...new Set(ranked.map(plainPath))];
  let gain = 0;
  let ideal = 0;
  for (const [place, page] of pages.slice(0, 10).entries())
    if (wanted.has(page)) gain += discount(place);
  for (let place = 0; place < Math.min(wanted.size, 10); place += 1) ideal += discount(place);
  const recall = pages.slice(0, 5).filter((page) => wanted.has(page)).length / wanted.size;
  return { ndcg: gain / ideal, recall };
}

function discount(place: number): number {
  return 1 / Math.log2(place + 2);
}

function plainPath(path: string): string {
  let plain = path;
  try {
    plain = decodeURI(path);
  } catch {
    // A path that is not encoded right is compared as it is.
  }
  return (
    plain
      .replace(/[#?].*$/, '')
      .replace(/\.(mdx?|html)$/, '')
      .replace(/\/+$/, '') || '/'
  );
}
