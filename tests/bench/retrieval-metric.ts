/** Scores the pages for one question, with the metric of the reference figures. */
export interface Score {
  /** nDCG of the first ten pages. */
  ndcg: number;
  /** The share of the relevant pages that are among the first five. */
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
    // Paths with invalid encoding are compared as they are.
  }
  return (
    plain
      .replace(/[#?].*$/, '')
      .replace(/\.(mdx?|html)$/, '')
      .replace(/\/+$/, '') || '/'
  );
}
