/**
 * How Meilisearch is set. Documents carry terms that our own analysis has made, so that both engines
 * search the same words: stems, parts of identifiers, pairs of letters in scripts without spaces.
 */
import type { Settings } from 'meilisearch';
import { stem } from '../ranker/stem.ts';
import { stopWords } from '../ranker/words.ts';

/**
 * Raise it whenever the settings, the shape of the documents or the analysis of words change: sites
 * are then written anew by their next indexing run.
 */
export const settingsVersion = 2;

/** Name of the embedder that carries our vectors. */
export const embedderName = 'docent';

export function indexSettings(dimensions: number | undefined): Settings {
  return {
    searchableAttributes: ['title', 'titles', 'content'],
    rankingRules: ['words', 'typo', 'attributeRank', 'proximity', 'wordPosition', 'exactness'],
    stopWords: [...new Set([...stopWords].flatMap((word) => [word, stem(word)]))],
    // Nobody is typing: words are whole, and "port" is not the start of "portrait".
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
    // Nothing is paged through; this only caps the count of hits, which says how rare a word is.
    pagination: { maxTotalHits: 10_000_000 },
    ...(dimensions !== undefined && {
      embedders: { [embedderName]: { source: 'userProvided', dimensions } },
    }),
  };
}
