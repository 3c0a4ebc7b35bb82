/**
 * Meilisearch's settings. Documents contain the terms of our own analysis, so that both engines search the
 * same stems, parts of identifiers, and pairs of letters.
 */
import type { Settings } from 'meilisearch';
import { stem } from '../ranker/stem.ts';
import { stopWords } from '../ranker/words.ts';

/**
 * Raise it when the settings, the documents, or the analysis of words change. The next indexing run then
 * rewrites the site.
 */
export const settingsVersion = 2;

/** The name of the embedder for our vectors. */
export const embedderName = 'docent';

export function indexSettings(dimensions: number | undefined): Settings {
  return {
    searchableAttributes: ['title', 'titles', 'content'],
    rankingRules: ['words', 'typo', 'attributeRank', 'proximity', 'wordPosition', 'exactness'],
    stopWords: [...new Set([...stopWords].flatMap((word) => [word, stem(word)]))],
    // Questions have whole words: "port" isn't the beginning of "portrait".
    prefixSearch: 'disabled',
    proximityPrecision: 'byAttribute',
    facetSearch: false,
    typoTolerance: { disableOnNumbers: true },
    filterableAttributes: [
      {
        attributePatterns: [
          'kind',
          'page',
          'address',
          'folders',
          'run',
          'version',
          'language',
          'tag',
          'groups',
        ],
        features: { facetSearch: false, filter: { equality: true, comparison: false } },
      },
      {
        attributePatterns: ['started'],
        features: { facetSearch: false, filter: { equality: true, comparison: true } },
      },
    ],
    // This limits the number of hits, from which we learn how rare a word is.
    pagination: { maxTotalHits: 10_000_000 },
    ...(dimensions !== undefined && {
      embedders: { [embedderName]: { source: 'userProvided', dimensions } },
    }),
  };
}
