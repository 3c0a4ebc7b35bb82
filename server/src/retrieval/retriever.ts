/**
 * What every search engine of Docent offers. One contract suite (`retriever.contract.ts`) holds for
 * all of them. A domain is one site; engines keep domains apart.
 */
import type { SearchFilter } from '@docent/shared/assistant';

/**
 * A piece of a page that is indexed and quoted, under one heading: at most 1,600 characters of
 * Markdown. Only a passage with a long code block, which is kept whole, is longer (up to 6,000).
 */
export interface Passage {
  /** Anchor of the nearest heading above, as the site has it; `''` for the start of the page. */
  anchor: string;
  /** Text of that heading; the page's title for the start of the page. */
  heading: string;
  /** Headings above it, outermost first, without the page's title and without `heading`. */
  headingPath: string[];
  /** The passage as Markdown, code blocks whole: what a model reads and the built-in answer quotes. */
  markdown: string;
  /** The same as plain prose, without code: what is searched. */
  text: string;
  /** The code in it: searched with a lower weight. */
  code: string;
}

/** A documentation page, read and cut into passages. */
export interface Page {
  /** Path on the site: starts with `/`, no extension, no trailing slash, `/` for the root. */
  path: string;
  /**
   * Where readers open it, where that is not the site's address and `path`: a page that was read from
   * the web, or an operation of an API reference, which may end in an anchor of its own.
   */
  url?: string;
  title: string;
  description?: string;
  /** The page as Markdown without frontmatter, components read as text. */
  markdown: string;
  /** Narrow what a reader may see; compared with a `SearchFilter`. A page without groups is for all. */
  version?: string;
  language?: string;
  groups?: string[];
  tags?: string[];
  /** SHA-256 of the source and of the reader's version, in hex: unchanged pages are not read again. */
  hash: string;
  passages: Passage[];
}

export interface SearchQuery {
  /** The reader's question. */
  text: string;
  /** Earlier questions of the conversation that this one leans on ("and on Windows?"), the last first. */
  before?: string[];
  /** Further text that says what it is about: selected text, code. Weighs less than the question. */
  context?: string[];
  /** Path of the page that the reader looks at; nearer pages are preferred a little. */
  currentPath?: string;
  /** How many pages to return, 1 to 50. */
  pageSize: number;
  filter?: SearchFilter;
  /** By its words alone: no embedder is asked. */
  isLexical?: boolean;
  /** Told how many tokens an embedder took for it; `undefined` where its server does not say. */
  onEmbedded?: (tokens: number | undefined) => void;
}

export interface FoundPassage extends Passage {
  /** Comparable within one result only; the best is first. */
  score: number;
}

export interface FoundPage {
  path: string;
  url?: string;
  title: string;
  version?: string;
  language?: string;
  score: number;
  /** Best first: 3, 2, 2, 1, 1 of the first five pages, one of each further page. */
  passages: FoundPassage[];
}

export interface SearchResult {
  /** Best first, each page once. */
  pages: FoundPage[];
  /** 0 to 1: the idf-weighted share of the question's words in the best passage. Below `notFoundBelow` there is nothing worth saying. */
  coverage: number;
  /** The engine could not be reached, and the index kept beside it has answered. */
  isFallback?: true;
}

/** Whether questions can be answered now, and by what. */
export type RetrieverHealth = 'ready' | 'fallback';

/** Threshold on `coverage`: keeps 97 % of a site's own questions, rejects 64 % of foreign ones (AUC .93). */
export const notFoundBelow = 0.4;

/** The most pages that a search returns. */
export const maximumPageSize = 50;

/** How many passages are given of the page in this place, counted from 0. */
export function passagesOfPage(place: number): number {
  return [3, 2, 2][place] ?? 1;
}

/** What changed in a domain since the last run. */
export interface PageChanges {
  /** New and changed pages. */
  upsert: Page[];
  /** Paths of pages that are gone. */
  remove: string[];
}

export interface Retriever {
  /** Rejects with `unavailable` where the engine cannot be reached. A domain never indexed finds nothing. */
  search(domain: string, query: SearchQuery, signal?: AbortSignal): Promise<SearchResult>;
  /** One page by its path in any usual spelling (`/a/`, `/a.html`, `a`), if the filter allows it. */
  page(domain: string, path: string, filter?: SearchFilter): Promise<Page | undefined>;
  /** Path and hash of every page held: what an indexing run compares with. */
  hashes(domain: string): Promise<Map<string, string>>;
  /** All of it or nothing; searches see the old state until it is whole. */
  apply(domain: string, changes: PageChanges): Promise<void>;
  /** Rejects with `unavailable` where no question can be answered. */
  check(): Promise<RetrieverHealth>;
  close(): Promise<void>;
}
