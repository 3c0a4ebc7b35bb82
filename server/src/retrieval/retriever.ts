/**
 * The interface of search engines. One contract suite (`testing/retriever.contract.ts`) tests all of them. A
 * domain is one site; engines keep domains apart.
 */
import type { SearchFilter } from '@docent/shared/assistant';
import type { EmbedderState } from './embedder.ts';

/**
 * The unit that is indexed and quoted: at most 1,600 characters of Markdown under one heading. A block of
 * code is split only above 6,000 characters, so a passage with one can have that many.
 */
export interface Passage {
  /** The anchor of the nearest heading above, as on the site; `''` at the start of the page. */
  anchor: string;
  /** The text of that heading; the page's title at the start of the page. */
  heading: string;
  /** Headings above it, outermost first, without the page's title and without `heading`. */
  headingPath: string[];
  /** Markdown for models and for the built-in answer. */
  markdown: string;
  /** Plain text without code, for searching. */
  text: string;
  /** The code, which is searched with a lower weight. */
  code: string;
}

/** A documentation page, split into passages. */
export interface Page {
  /** Path on the site: starts with `/`, no extension, no trailing slash, `/` for the root. */
  path: string;
  /**
   * Where readers open the page, if that's not the site's address plus `path`: a page from the web, or an
   * operation in an API reference, which can have its own anchor.
   */
  url?: string;
  /** The file that a built page is made from, by its path in the repository, if it's known. */
  source?: string;
  title: string;
  description?: string;
  /** The day when it last changed, such as `2026-11-22`, if the source knows it. */
  modified?: string;
  /** Markdown without frontmatter, with components as text. */
  markdown: string;
  /** These four are compared with a `SearchFilter`. A page without groups is for everyone. */
  version?: string;
  language?: string;
  groups?: string[];
  tags?: string[];
  /** SHA-256 of the source and of the parser's version, in hex. Unchanged pages aren't read again. */
  hash: string;
  passages: Passage[];
}

export interface SearchQuery {
  /** The reader's question. */
  text: string;
  /** Earlier questions that this one refers to ("and on Windows?"), the last one first. */
  before?: string[];
  /** More text that says what the question is about, such as a selection. It has less weight. */
  context?: string[];
  /** The reader's page. Pages near it are slightly preferred. */
  currentPath?: string;
  /** The number of pages to return, 1 to 50. */
  pageSize: number;
  filter?: SearchFilter;
  /** Searches words only, without the embedder, or vectors only, to compare them. */
  only?: 'words' | 'vectors';
  /** Called with the tokens that the embedder used; `undefined` if its server doesn't report them. */
  onEmbedded?: (tokens: number | undefined) => void;
}

export interface FoundPassage extends Passage {
  /** Comparable within one result only. */
  score: number;
}

type PageNames = Pick<Page, 'path' | 'url' | 'title' | 'modified' | 'version' | 'language'>;

export interface FoundPage extends PageNames {
  score: number;
  /** Best first: 3, 2, and 2 passages of the first three pages, then one per page. */
  passages: FoundPassage[];
}

export interface SearchResult {
  /** Best first, each page once. */
  pages: FoundPage[];
  /** How well the best passage matches the question's words, 0 to 1. Below `notFoundBelow`, the result doesn't answer the question. */
  confidence: number;
  /** The engine was unavailable, and the fallback index answered. */
  isFallback?: true;
}

/** Which index answers questions now. */
export type RetrieverHealth = 'ready' | 'fallback';

/** Threshold for `confidence`: it keeps 97% of a site's own questions and rejects 87% of foreign ones (`refusals.bench.ts`). */
export const notFoundBelow = 0.4;

/** The most pages that a search returns. */
export const maximumPageSize = 50;

/** The number of passages to return for the page at this position, counted from 0. */
export function passagesOfPage(position: number): number {
  return [3, 2, 2][position] ?? 1;
}

/** Changes in a domain since the last indexing run. */
export interface PageChanges {
  /** New and changed pages. */
  upsert: Page[];
  /** Paths of removed pages. */
  remove: string[];
}

/** How far the passages without a vector are embedded, and the questions that measure the vectors. */
export interface EmbeddingProgress {
  done: number;
  total: number;
  /** `undefined` before the first batch. */
  perSecond: number | undefined;
}

export interface ApplyOptions {
  signal?: AbortSignal | undefined;
  onEmbedded?: ((progress: EmbeddingProgress) => void) | undefined;
  /** A sentence for the owner, such as about a passage without a vector. */
  onWarning?: ((warning: string) => void) | undefined;
}

export interface Retriever {
  /** Rejects with `unavailable` if the engine can't be reached. In a domain without an index, finds nothing. */
  search(domain: string, query: SearchQuery, signal?: AbortSignal): Promise<SearchResult>;
  /** Finds a page by any usual form of its path (`/a/`, `/a.html`, `a`), if the filter allows it. */
  page(domain: string, path: string, filter?: SearchFilter): Promise<Page | undefined>;
  /** Path and hash of every indexed page, for an indexing run to compare with. */
  hashes(domain: string): Promise<Map<string, string>>;
  /** Applies all changes or none. Until then, searches see the old state. */
  apply(domain: string, changes: PageChanges, options?: ApplyOptions): Promise<void>;
  /** Rejects with `unavailable` if no index can answer. */
  check(): Promise<RetrieverHealth>;
  /** What questions showed of the embedder; `undefined` without one. */
  embedderState(): EmbedderState | undefined;
  /** How much the vectors of a domain count, 0 to 1; `undefined` without vectors. */
  trust(domain: string): Promise<number | undefined>;
  close(): Promise<void>;
}

/** The fields of a page that decide who sees it. */
export type Visibility = Pick<Page, 'version' | 'language' | 'groups' | 'tags'>;

/**
 * Whether `outer` shows every page that `inner` shows. If so, a reader with `outer` may see an answer
 * that was written from pages of `inner`.
 */
export function isWithin(inner: SearchFilter, outer: SearchFilter | undefined): boolean {
  const isSame = (key: 'version' | 'language' | 'tag') =>
    outer?.[key] === undefined || outer[key] === inner[key];
  return (
    isSame('version') &&
    isSame('language') &&
    isSame('tag') &&
    (inner.groups ?? []).every((group) => outer?.groups?.includes(group))
  );
}

/**
 * A page with groups is visible only to a filter that names one of them; without a filter, it's hidden.
 * `groups: []` hides it from everyone. A page without a version or language belongs to all of them.
 * `languages` are those that a search is about, where the filter names none.
 */
export function isVisible(
  page: Visibility,
  filter: SearchFilter | undefined,
  languages?: readonly string[],
): boolean {
  if (page.groups && !page.groups.some((group) => filter?.groups?.includes(group))) return false;
  const fits = (key: 'version' | 'language') =>
    filter?.[key] === undefined || page[key] === undefined || page[key] === filter[key];
  const hasTag = filter?.tag === undefined || page.tags?.includes(filter.tag) === true;
  const isIn = !languages || page.language === undefined || languages.includes(page.language);
  return fits('version') && fits('language') && hasTag && isIn;
}

/** A page as a search result: its names and the passages that match. */
export function toFoundPage(page: PageNames, score: number, passages: FoundPassage[]): FoundPage {
  const { path, url, title, modified, version, language } = page;
  return {
    path,
    ...(url !== undefined && { url }),
    title: toReaderLine(title),
    ...(modified !== undefined && { modified }),
    ...(version !== undefined && { version }),
    ...(language !== undefined && { language }),
    score,
    passages: passages.map((passage) => ({
      ...passage,
      heading: toReaderLine(passage.heading),
      headingPath: passage.headingPath.map(toReaderLine),
    })),
  };
}

/*
 * Buttons, lists, and terminals don't protect themselves against characters that reverse the text
 * direction, break the line, or are invisible, so titles, headings, and quotations are cleaned before
 * readers see them.
 */

/**
 * Directional embeddings, overrides, and isolates, and characters without width. Directional marks and
 * joiners stay, because Arabic, Hebrew, Persian, and emoji need them.
 */
const unseen = /[\u200b\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** For text on one line. */
export function toReaderLine(text: string): string {
  return shown(text)
    .replaceAll(/[ \p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
}

/** For text on several lines; line breaks stay. */
export function toReaderText(text: string): string {
  return shown(text).replaceAll(/[^\P{Cc}\n\t]+/gu, ' ');
}

function shown(text: string): string {
  return text.toWellFormed().replaceAll(unseen, '');
}
