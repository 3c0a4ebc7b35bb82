/**
 * The interface of all sources. A source lists its pages with a hash. The indexer compares the hashes
 * with the index, and reads only pages that are new or changed.
 */
import { posix } from 'node:path';
import type { Page } from '../../retrieval/retriever.ts';

export interface SourcePage {
  /** Path on the site. */
  path: string;
  /** Changes when the result of `read` could change. */
  hash: string;
  /** The file or address, for messages. */
  from: string;
  read(): Omit<Page, 'hash'> | Promise<Omit<Page, 'hash'>>;
}

export interface SourceRun {
  /** Whether the index has this version of the page, so that it isn't read again. */
  isHeld: (path: string, hash: string) => boolean;
  /** The owner expects far fewer pages than before. */
  acceptFewer: boolean;
  /** The `keep` of the last run. `undefined` in the first run. */
  kept: unknown;
  signal?: AbortSignal | undefined;
  onProgress: (progress: IndexProgress) => void;
  onWarning: (warning: string) => void;
  /** A fact for the owner that is not a problem. */
  onNote?: (note: string) => void;
}

export interface SourceResult {
  pages: SourcePage[];
  /** JSON for the next run, such as validators. */
  keep?: unknown;
  /** A sentence if some pages could not be read. Then no page of this source is removed. */
  incomplete?: string | undefined;
}

export interface Source {
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
