/**
 * How far a site's vectors can be trusted. Vectors that find pages worse than words do would spoil the order
 * of results, so their weight is learned: from how often they find the page of a question that the site
 * itself answers. Descriptions and headings of pages stand in for questions.
 */
import { createPauses } from '../../platform/pauses.ts';
import type { Embedder } from '../embedder.ts';
import { terms } from '../ranker/analysis.ts';
import { nearestPassages } from '../ranker/hybrid.ts';
import { stopWords } from '../ranker/stop-words.ts';
import type { Page } from '../retriever.ts';
import { isMadeBy, type PassageVectors, type VectorSource } from '../vectors.ts';

/** With fewer, chance decides; then vectors have half of their weight. */
const fewest = 12;
const most = 64;
const unmeasured = 0.5;
/**
 * Mean nDCG of these questions by vectors alone: below the first, vectors get no weight, above the second
 * all of it. Random vectors get .04 to .09, hashed words in 64 numbers .35, and MiniLM .71 to .77.
 */
const scores = { none: 0.3, all: 0.7 };

/** Few changes don't change how far the vectors of a site can be trusted. */
const fewChanges = 0.2;

/** Measures it, unless `before` knows it, and the share of the site that `changed` is small. */
export async function learnTrust(
  embedder: Embedder,
  { pages, vectors }: { pages: readonly Page[]; vectors: PassageVectors },
  { before, changed }: { before: VectorSource | null | undefined; changed: number },
  signal: AbortSignal | undefined,
): Promise<number> {
  if (before?.trust !== undefined && isMadeBy(before, embedder) && changed <= fewChanges)
    return before.trust;
  const asked = pseudoQuestions(pages);
  if (asked.length < fewest) return unmeasured;
  const questions: Float32Array[] = [];
  await embedder.embedPassages(
    asked.map(({ text }) => embedder.source.queryPrefix + text),
    {
      signal,
      areAlike: true,
      onVectors: (some) => {
        for (const { at, vector } of some) questions[at] = vector;
      },
      onSkipped: () => undefined,
    },
  );
  let first = 0;
  const firstPassage = Uint32Array.from([
    0,
    ...pages.map((page) => (first += page.passages.length)),
  ]);
  const pause = createPauses();
  let sum = 0;
  for (const [at, { page }] of asked.entries()) {
    const question = questions[at];
    if (!question) continue;
    const near = nearestPassages(question, vectors.values, firstPassage, () => true);
    const found = [...new Set(near.map((one) => one.page))].indexOf(page);
    if (found >= 0) sum += 1 / Math.log2(found + 2);
    await pause();
  }
  const score = sum / asked.length;
  return Math.min(1, Math.max(0, (score - scores.none) / (scores.all - scores.none)));
}

/** One for each page, spread over the site. */
function pseudoQuestions(pages: readonly Page[]): { page: number; text: string }[] {
  const all = pages.flatMap((page, number) => {
    const text = questionOf(page);
    return text === undefined ? [] : [{ page: number, text }];
  });
  const count = Math.min(most, all.length);
  return Array.from(
    { length: count },
    (_, at) => all[Math.floor((at * all.length) / count)],
  ).filter((one) => one !== undefined);
}

/** The description, which isn't part of any vector, or the last heading that says something. */
function questionOf({ description, title, passages }: Page): string | undefined {
  const headings = passages.map(({ heading }) => heading).filter((heading) => heading !== title);
  return [description ?? '', ...headings.toReversed(), title].find(
    (text) => new Set(terms(text).filter((term) => !stopWords.has(term))).size >= 2,
  );
}
