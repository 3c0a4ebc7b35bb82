/**
 * What Meilisearch holds: indexes, documents, one with the whole page and one per passage for searching, and
 * the settings. Passages contain the terms of our own analysis, so that both engines search the same stems,
 * parts of identifiers, and pairs of letters.
 */
import type { SearchFilter } from '@docent/shared/assistant';
import type { Settings } from 'meilisearch';
import { stem, terms } from '../ranker/analysis.ts';
import { normalizePath } from '../page-path.ts';
import type { Page, Passage, Visibility } from '../retriever.ts';
import type { PassageVectors, VectorSource } from '../vectors.ts';
import { stopWords } from '../ranker/stop-words.ts';
import { sha256 } from '../../platform/hash.ts';

export type SiteNames = ReturnType<typeof namesOf>;

/** `docent_<hash>_<name>_…`: the hash distinguishes domains; the name is for people. */
export function namesOf(prefix: string, domain: string) {
  const slug = domain
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40);
  const site = `${prefix}_${digest(domain)}_${slug}`;
  const made = new RegExp(`^${site}_(?:next|documents|mark)_([a-z0-9]+)$`);
  return {
    /** The index with the current state. */
    state: site,
    /** The next state, before it replaces the current one. */
    next: (run: string) => `${site}_next_${run}`,
    /** Pages and passages. */
    documents: (run: string) => `${site}_documents_${run}`,
    /** An empty index whose name marks the current state. */
    mark: (run: string) => `${site}_mark_${run}`,
    /** The run that created an index; `undefined` for indexes of other sites or applications. */
    runOf: (index: string) => made.exec(index)?.[1],
  };
}

/**
 * A value for documents and filters. Digests make comparisons exact (Meilisearch ignores case and cuts
 * long values), and no reader's value can break out of a filter.
 */
export function digest(value: string): string {
  // Starts with a letter, because digits with one "e" would be parsed as a number.
  return `h${sha256(value.toWellFormed()).slice(0, 24)}`;
}

/** Words that Meilisearch doesn't split, in scripts for which it tolerates typos. */
const plain = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}0-9]+$/u;

/** A term as one word for Meilisearch, which would split "c++", "1.2.3", and pairs of Han characters. */
export function termToken(term: string): string {
  return plain.test(term) ? term : digest(term).slice(0, 16);
}

/** The fields that every document of a page has. */
interface Common {
  id: string;
  /** The id of the page in the version that this run wrote. */
  page: string;
  run: string;
  /** When the run began, in ms. The age shows which documents a killed run left. */
  started: number;
}

export interface PageDocument extends Common {
  kind: 'page';
  address: string;
  path: string;
  hash: string;
  passages: number;
  /** The page as JSON without its Markdown, because questions read many pages but no Markdown. */
  json: string;
  markdown: string;
  /** If there are vectors: the digests of their source texts, and their bytes in Base64. */
  vectorKeys?: string;
  vectors?: string;
}

export interface Run {
  id: string;
  started: number;
}

/** Equal for all forms of a path. */
export function addressOf(path: string): string {
  return digest(normalizePath(path));
}

/** The page and the folders that it's in, innermost first, for filtering. */
export function foldersOf(path: string): string[] {
  const parts = normalizePath(path).split('/').slice(1);
  return parts.map((_, index) => `/${parts.slice(0, parts.length - index).join('/')}`);
}

export function pageOfDocument({ json, markdown }: Pick<PageDocument, 'json' | 'markdown'>): Page {
  return { ...(JSON.parse(json) as Omit<Page, 'markdown'>), markdown };
}

export function documentsOf(page: Page, run: Run, vectors?: PassageVectors): object[] {
  // The id contains the run, so that two versions of a page can coexist.
  const id = `${addressOf(page.path)}-${run.id}`;
  const common = { page: id, run: run.id, started: run.started };
  const visible = visibilityFields(page);
  const vectorOf = (passage: number): object => {
    if (!vectors) return {};
    const { values, dimensions } = vectors;
    const bytes = values.subarray(passage * dimensions, (passage + 1) * dimensions);
    // Only the direction counts, so bytes are precise enough. Whole pages have no vector.
    return { _vectors: { [embedderName]: passage < 0 || isZero(bytes) ? null : [...bytes] } };
  };
  const { markdown, ...read } = page;
  const whole: PageDocument = {
    ...common,
    id,
    kind: 'page',
    address: addressOf(page.path),
    path: page.path,
    hash: page.hash,
    passages: page.passages.length,
    json: JSON.stringify(read),
    markdown,
    ...(vectors && {
      vectorKeys: vectors.keys,
      vectors: Buffer.from(new Uint8Array(vectors.values)).toString('base64'),
    }),
  };
  const folders = foldersOf(page.path).map(digest);
  return [
    { ...whole, ...visible, ...vectorOf(-1) },
    ...page.passages.map((passage, number) => ({
      ...common,
      ...visible,
      id: `${id}-${number}`,
      kind: 'passage',
      folders,
      ...searchedFields(page, passage, number === 0),
      ...vectorOf(number),
    })),
  ];
}

function searchedFields(page: Page, passage: Passage, isFirst: boolean): object {
  return {
    title: tokens(page.title),
    titles: tokens([passage.heading, ...passage.headingPath].join('\n')),
    content: tokens(
      [isFirst ? (page.description ?? '') : '', passage.text, passage.code, page.path].join('\n'),
    ),
  };
}

function tokens(text: string): string {
  return terms(text).map(termToken).join(' ');
}

function isZero(bytes: Int8Array): boolean {
  return bytes.every((value) => value === 0);
}

/** The stored vectors of a page. */
export function vectorsOfDocument(
  { vectorKeys: keys, vectors }: Pick<PageDocument, 'vectorKeys' | 'vectors'>,
  source: VectorSource,
): PassageVectors | undefined {
  if (keys === undefined || vectors === undefined) return undefined;
  return { ...source, keys, values: new Int8Array(Buffer.from(vectors, 'base64')) };
}

/** The document fields for `visibilityFilter`. */
export function visibilityFields({ version, language, groups, tags }: Visibility): object {
  return {
    ...(version !== undefined && { version: digest(version) }),
    ...(language !== undefined && { language: digest(language) }),
    ...(groups && { groups: groups.map(digest) }),
    ...(tags && { tag: tags.map(digest) }),
  };
}

/** The rule of `isVisible` as a Meilisearch filter; all conditions must hold. */
export function visibilityFilter(
  filter: SearchFilter | undefined,
  languages?: readonly string[],
): string[] {
  const { version, language, tag } = filter ?? {};
  const groups = filter?.groups ?? [];
  return [
    groups.length > 0
      ? `groups NOT EXISTS OR ${oneOf('groups', groups.map(digest))}`
      : 'groups NOT EXISTS',
    ...(version === undefined ? [] : [`version NOT EXISTS OR version = ${digest(version)}`]),
    ...(language === undefined ? [] : [`language NOT EXISTS OR language = ${digest(language)}`]),
    ...(languages ? [`language NOT EXISTS OR ${oneOf('language', languages.map(digest))}`] : []),
    ...(tag === undefined ? [] : [`tag = ${digest(tag)}`]),
  ];
}

/** Values are digests or run ids, so they need no escaping. */
export function oneOf(field: string, values: readonly string[]): string {
  return `${field} IN [${values.join(',')}]`;
}

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
