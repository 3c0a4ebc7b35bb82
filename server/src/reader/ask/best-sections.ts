import type { FoundPage, FoundPassage } from '../../retrieval/retriever.ts';

/** On near ties, a section answers better than the introduction of its page. */
const introductionShare = 0.8;

/**
 * The best sections of a search result, as many as the question may use. A section counts by the score of
 * its page and by how near its best passage comes to the best one of the page. It keeps all its passages.
 */
export function bestSections(pages: FoundPage[], count: number): FoundPage[] {
  const sections = pages.flatMap((page, position) => {
    const best = page.passages[0]?.score || 1;
    const byAnchor = Map.groupBy(page.passages, ({ anchor }) => anchor);
    return [...byAnchor].map(([anchor, passages]) => {
      const share = (passages[0]?.score ?? 0) / best;
      const score = page.score * share * (anchor === '' ? introductionShare : 1);
      return { position, passages, score };
    });
  });
  const kept = new Map<number, FoundPassage[]>();
  for (const { position, passages } of sections
    .toSorted((a, b) => b.score - a.score)
    .slice(0, count))
    kept.set(position, [...(kept.get(position) ?? []), ...passages]);
  return pages.flatMap((page, position) => {
    const passages = kept.get(position);
    return passages ? [{ ...page, passages }] : [];
  });
}
