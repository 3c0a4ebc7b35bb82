/**
 * The interface of all page sources. A source lists its pages with a hash. The indexer compares the hashes
 * with the index, and reads only pages that are new or changed.
 */
import { posix } from 'node:path';
import type { EmbeddingProgress, Page } from '../../retrieval/retriever.ts';
import type { SiteFacts } from '../generators/site-pages.ts';
import type { Parse } from '../parsing/parse.ts';
import type { MarkdownFile } from '../parsing/parse-tasks.ts';
import type { WordFile } from './owner-words.ts';

/** A page as a source can keep it from run to run. */
export interface KnownPage {
  path: string;
  /** Changes when the result of `read` could change. */
  hash: string;
  /** The file or address, for messages. */
  from: string;
}

export interface SourcePage extends KnownPage {
  read(): Omit<Page, 'hash'> | Promise<Omit<Page, 'hash'>>;
}

export const toKnownPage = ({ path, hash, from }: SourcePage): KnownPage => ({ path, hash, from });

/** A page that the index has in this version, so that nobody reads it. */
export const unchangedPage = (page: KnownPage): SourcePage => ({
  ...page,
  read: () => Promise.reject(new Error(`${page.from} is in the index and was not read again.`)),
});

/** A page that could not be parsed. The index keeps the version that it has. */
export const unreadablePage = (page: KnownPage, cause: unknown): SourcePage => ({
  ...page,
  read: () => Promise.reject(cause as Error),
});

export interface SourceRun {
  parse: Parse;
  /** Whether the index has this version of the page, so that it isn't read again. */
  isHeld: (path: string, hash: string) => boolean;
  /** The `keep` of the last run. `undefined` in the first run. */
  kept: unknown;
  signal?: AbortSignal | undefined;
  onProgress: (progress: IndexProgress) => void;
  onWarning: (warning: string) => void;
  /** A fact for the owner that is not a problem. */
  onNote?: (note: string) => void;
}

/** Reads a page of Markdown. `site` is the same object for all pages of a site. */
export async function readMarkdown(
  file: MarkdownFile,
  { parse, signal, onWarning }: Pick<SourceRun, 'parse' | 'signal' | 'onWarning'>,
  site?: SiteFacts,
): Promise<Page> {
  const { page, warnings } = await parse('markdown', file, { shared: site, signal });
  warnings.forEach(onWarning);
  return page;
}

export interface SourceResult {
  pages: SourcePage[];
  /** JSON for the next run, such as validators. */
  keep?: unknown;
  /** The commit that it read. */
  commit?: string | undefined;
  /** What the owner says beside the pages. */
  words?: WordFile[];
  /** A sentence if some pages could not be read. Then no page of this source is removed. */
  incomplete?: string | undefined;
}

export interface PageSource {
  /** Identifies the source within its site, from run to run. */
  id: string;
  /** Rejects if nothing could be read. Then the index keeps the pages of this source. */
  read(run: SourceRun): Promise<SourceResult>;
}

export interface IndexProgress {
  done: number;
  total: number;
  /** The current file or address. */
  path: string;
  /** After the pages were read. */
  embedding?: EmbeddingProgress;
}

export interface Globs {
  include?: readonly string[] | undefined;
  exclude?: readonly string[] | undefined;
}

/** Matches a glob, or everything in a folder if the text is the name of a folder. */
function matches(path: string, glob: string): boolean {
  const plain = glob.replace(/^\.?\//, '').replace(/\/$/, '');
  return posix.matchesGlob(path, plain) || path.startsWith(`${plain}/`);
}

/** Whether a path, without a leading slash, is included and not excluded. */
export function isWanted(path: string, { include, exclude }: Globs): boolean {
  if (include && include.length > 0 && !include.some((glob) => matches(path, glob))) return false;
  return !exclude?.some((glob) => matches(path, glob));
}
