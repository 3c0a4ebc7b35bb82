/**
 * Finds the pages that may answer a question. Meilisearch's ranking isn't made for questions: only ten
 * words count, one of them is mandatory, and rare words don't count more. So one request searches for the
 * whole question and for single words, and our ranker orders the results.
 */
import type { MultiSearchQuery } from 'meilisearch';
import { analyze } from '../ranker/analysis.ts';
import type { NearPassage } from '../ranker/hybrid.ts';
import { contentWords } from '../ranker/question.ts';
import type { SearchQuery } from '../retriever.ts';
import { stopWords, weakWords } from '../ranker/stop-words.ts';
import { embedderName, foldersOf, visibilityFilter, digest, termToken } from './documents.ts';
import type { SiteState } from './site-state.ts';
import { validFilter } from './site-reader.ts';

/** Hits per query; each is a different page. */
const listLength = 30;
/** The number of words, rarest first, whose own hits become candidates. */
const rarestWords = 5;
/** Words to query for, because a pasted log has thousands. */
const maxWords = 24;
const contextWords = 10;
/** Passages to take by vector; several can be on one page. */
const nearPassages = 60;
/** Candidates for the ranker. */
const maxPages = 40;

export interface CandidateQuery {
  /** Whether the first query is for the question's vector. */
  hasVector: boolean;
  /** For `multi-search`. */
  queries: MultiSearchQuery[];
  /** The terms of the single-word queries, which come last. */
  words: string[];
}

export interface Hit {
  page: string;
  id?: string;
  _rankingScore?: number;
}

export interface QueryResult {
  hits: Hit[];
  estimatedTotalHits?: number;
}

export interface Candidates {
  /** Page ids, the most likely first. */
  ids: string[];
  /** The number of passages with each term of the question. */
  counts: Map<string, number>;
  /** Passages by vector, the nearest first. */
  near: NearPassage<string>[];
}

/** `undefined` if there is nothing to search for. */
export function candidateQuery(
  index: string,
  state: SiteState,
  query: SearchQuery,
  vector?: Float32Array,
  languages?: readonly string[],
): CandidateQuery | undefined {
  const around = [...(query.before ?? []), ...(query.context ?? [])];
  const words = [...contentWords(query.text, around.length > 0)]
    .sort(([, a], [, b]) => b - a)
    .map(([word]) => word)
    .slice(0, maxWords);
  const context = wordsOfContext(around);
  if (words.length === 0 && context.length === 0 && !vector) return undefined;
  const filter = [...validFilter(state), ...visibilityFilter(query.filter, languages)];
  const limit = Math.max(listLength, query.pageSize);
  const ask = (q: string, narrower: readonly string[] = []): MultiSearchQuery => ({
    indexUid: index,
    q,
    filter: [...filter, ...narrower],
    limit,
    distinct: 'page',
    attributesToRetrieve: ['page'],
    matchingStrategy: 'frequency',
  });
  const all = inOrder(query.text, words).map(termToken).join(' ');
  const more = context.map(termToken).join(' ');
  const asked = all || more;
  const folders = query.currentPath ? foldersOf(query.currentPath) : [];
  return {
    hasVector: vector !== undefined,
    queries: [
      ...(vector ? [askNear(index, filter, vector)] : []),
      ...(asked ? [ask(asked)] : []),
      ...(all && more ? [ask(more)] : []),
      // The reader's page, its folder, and its section, which the ranker prefers.
      ...unique([folders[0], folders[1], folders.at(-1)]).map((folder) =>
        ask(asked, [`folders = ${digest(folder)}`]),
      ),
      // Quotes turn off typo tolerance, so the number of hits is the number of passages with the word.
      ...words.map((word) => ask(`"${termToken(word)}"`)),
    ],
    words,
  };
}

export function mergeCandidates(
  { words, hasVector }: CandidateQuery,
  results: readonly QueryResult[],
  pageSize: number,
): Candidates {
  const near = hasVector ? toNear(results[0]) : [];
  const singleFrom = results.length - words.length;
  const lists = results.slice(hasVector ? 1 : 0, singleFrom);
  const single = words.map((word, at) => {
    const { hits = [], estimatedTotalHits = 0 } = results[singleFrom + at] ?? {};
    return { word, hits, count: estimatedTotalHits };
  });
  const rarest = single
    .filter(({ count }) => count > 0)
    .sort((a, b) => a.count - b.count)
    .slice(0, rarestWords);
  const scores = new Map<string, number>();
  for (const { hits } of [...lists, ...rarest]) {
    for (const [position, { page }] of hits.entries())
      scores.set(page, (scores.get(page) ?? 0) + 1 / (rankSmoothing + position));
  }
  const likely = [...scores]
    .sort(([, a], [, b]) => b - a)
    .slice(0, Math.max(maxPages, pageSize))
    .map(([page]) => page);
  return {
    ids: [...new Set([...likely, ...near.map(({ page }) => page)])],
    counts: new Map(single.map(({ word, count }) => [word, count])),
    near,
  };
}

/** Meilisearch scores (1 + cosine) / 2. A passage's number is at the end of its id. */
function toNear(result: QueryResult | undefined): NearPassage<string>[] {
  return (result?.hits ?? []).flatMap(({ id, page, _rankingScore: score = 0 }) => {
    const passage = Number(id?.slice(page.length + 1));
    return Number.isInteger(passage) ? [{ page, passage, similarity: 2 * score - 1 }] : [];
  });
}

function askNear(
  indexUid: string,
  filter: readonly string[],
  vector: Float32Array,
): MultiSearchQuery {
  return {
    indexUid,
    filter: [...filter],
    vector: [...vector],
    hybrid: { embedder: embedderName, semanticRatio: 1 },
    limit: nearPassages,
    attributesToRetrieve: ['id', 'page'],
    showRankingScore: true,
  };
}

/** The constant of reciprocal rank fusion, which only selects candidates here. */
const rankSmoothing = 20;

/** The words in the question's order, which the proximity rule uses. */
function inOrder(text: string, words: readonly string[]): string[] {
  const wanted = new Set(words);
  const found = new Set<string>();
  analyze(text, (term) => {
    if (wanted.has(term)) found.add(term);
  });
  return [...found];
}

/** The longest words of a selection, which are usually names and identifiers. */
function wordsOfContext(context: readonly string[]): string[] {
  const found = new Set<string>();
  analyze(context.join('\n').slice(0, 20_000), (term, raw) => {
    if (!stopWords.has(raw) && !weakWords.has(raw)) found.add(term);
  });
  return [...found].sort((a, b) => b.length - a.length).slice(0, contextWords);
}

function unique(values: readonly (string | undefined)[]): string[] {
  return [...new Set(values.filter((value) => value !== undefined))];
}
