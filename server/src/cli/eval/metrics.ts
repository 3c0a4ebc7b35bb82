/** Quality measures of a list of pages for one question. */
export interface Ranked {
  /** Share of the relevant pages among the first five. */
  recall5: number;
  ndcg5: number;
  ndcg10: number;
  /** 1 divided by the rank of the first relevant page, among the first ten. */
  reciprocalRank: number;
}

export function scoreRanking(relevant: readonly string[], found: readonly string[]): Ranked {
  const wanted = new Set(relevant);
  const first = found.slice(0, 10).findIndex((path) => wanted.has(path));
  return {
    recall5: found.slice(0, 5).filter((path) => wanted.has(path)).length / (wanted.size || 1),
    ndcg5: ndcg(wanted, found, 5),
    ndcg10: ndcg(wanted, found, 10),
    reciprocalRank: first < 0 ? 0 : 1 / (first + 1),
  };
}

function ndcg(wanted: ReadonlySet<string>, found: readonly string[], length: number): number {
  let gain = 0;
  for (const [place, path] of found.slice(0, length).entries())
    if (wanted.has(path)) gain += discount(place);
  let ideal = 0;
  for (let place = 0; place < Math.min(wanted.size, length); place += 1) ideal += discount(place);
  return ideal === 0 ? 0 : gain / ideal;
}

function discount(place: number): number {
  return 1 / Math.log2(place + 2);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / (values.length || 1);
}
