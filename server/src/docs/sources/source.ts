/**
 * What every kind of source gives an indexing run. A source names its pages and says how each is
 * read; the run compares them with the index and reads only what is new or changed.
 */
import type { Page } from '../../retrieval/retriever.ts';

export interface SourcePage {
  /** Path on the site. */
  path: string;
  /** Changes whenever `read` could give something else. */
  hash: string;
  /** File or address, for people. */
  from: string;
  read(): Omit<Page, 'hash'> | Promise<Omit<Page, 'hash'>>;
}

export interface SourceRun {
  /** Whether the index has this very page, so that it need not be read again. */
  isHeld: (path: string, hash: string) => boolean;
  /** That far fewer pages than before are no fault of the site. */
  acceptFewer: boolean;
  /** What the source kept of its last run; `undefined` at the first. */
  kept: unknown;
  signal?: AbortSignal | undefined;
  onProgress: (progress: IndexProgress) => void;
  onWarning: (warning: string) => void;
  /** Something that is right, and that the owner should know. */
  onNote?: (note: string) => void;
}

export interface SourceResult {
  pages: SourcePage[];
  /** JSON that the next run is given, such as validators. */
  keep?: unknown;
  /** A sentence, where not all could be read: then nothing of this source is removed. */
  incomplete?: string | undefined;
}

export interface Source {
  /** Tells the sources of a site apart, from run to run. */
  id: string;
  /** Rejects where nothing could be read; the index then keeps what it has of this source. */
  read(run: SourceRun): Promise<SourceResult>;
}

export interface IndexProgress {
  done: number;
  total: number;
  /** The file or address at hand. */
  path: string;
}
