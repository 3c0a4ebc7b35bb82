/**
 * How far a site's vectors can be trusted. Vectors that find pages worse than words do would spoil the order
 * of results, so their weight is learned: from how often they find the page of a question that the site
 * itself answers. Descriptions and headings of pages stand in for questions.
 */
import { createPauses } from '../../platform/pauses.ts';
import type { Embedder } from '../embedder.ts';
import { terms } from '../ranker/analysis.ts';
import { maxMixed, nearestPassages } from '../ranker/hybrid.ts';
import { stopWords } from '../ranker/stop-words.ts';
import type { ApplyOptions, Page } from '../retriever.ts';
import { collectVectors, isMadeBy, type PassageVectors, type VectorSource } from '../vectors.ts';
import type { KeptVectors } from './kept-vectors.ts';

/** With fewer, chance decides; then vectors have half of their weight. */
const fewest = 12;
const most = 64;
const unmeasured = 0.5;
/**
 * Mean nDCG of these questions by vectors alone: below the first, vectors get no weight, above the second
 * all of it. Random vectors get .04 to .09, hashed words in 64 numbers .35, and MiniLM .71 to .77. On a small
 * site, chance alone gets more, and vectors must be above that.
 */
const scores = { none: 0.3, all: 0.7, aboveChance: 0.15 };

/** Few changes don't change how far the vectors of a site can be trusted. */
const fewChanges = 0.2;

export interface Earlier {
  /** What made the vectors of the index so far. */
  source: VectorSource | null | undefined;
  /** The vectors that it has. */
  vectors: readonly (PassageVectors | undefined)[];
  /** The share of the site that changes, 0 to 1. */
  changed: number;
}

/** Collects the vectors of these pages, and measures how far they can be trusted, unless that's known. */
export async function embedPages(
  embedder: Embedder,
  pages: readonly Page[],
  { source, vectors: before, changed }: Earlier,
  kept: KeptVectors | undefined,
  options: ApplyOptions,
): Promise<PassageVectors> {
  const isKnown =
    source?.trust !== undefined && isMadeBy(source, embedder) && changed <= fewChanges;
  const all = isKnown ? [] : pseudoQuestions(pages);
  const asked = all.length < fewest ? [] : all;
  const texts = asked.map(({ text }) => embedder.source.queryPrefix + text);
  const { vectors, answered } = await collectVectors(embedder, pages, before, kept, options, texts);
  if (isKnown) return { ...vectors, trust: source.trust ?? unmeasured };
  if (asked.length === 0) return { ...vectors, trust: unmeasured };
  return { ...vectors, trust: await measureTrust(pages, vectors, asked, answered) };
}

async function measureTrust(
  pages: readonly Page[],
  vectors: PassageVectors,
  asked: readonly { page: number }[],
  questions: readonly (Int8Array | undefined)[],
): Promise<number> {
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
    const numbers = Float32Array.from(question, (value) => value / 127);
    const near = nearestPassages(numbers, vectors.values, firstPassage, () => true);
    const found = [...new Set(near.map((one) => one.page))].indexOf(page);
    if (found >= 0) sum += gainAt(found);
    await pause();
  }
  const gains = Array.from({ length: Math.min(pages.length, maxMixed) }, (_, at) => gainAt(at));
  const chance = gains.reduce((all, gain) => all + gain, 0) / pages.length;
  const none = Math.max(scores.none, chance + scores.aboveChance);
  return Math.min(1, Math.max(0, (sum / asked.length - none) / (scores.all - scores.none)));
}

/** What a page at this place is worth, counted from 0, as in nDCG. */
const gainAt = (place: number): number => 1 / Math.log2(place + 2);

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
