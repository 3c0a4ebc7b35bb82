/** Updates the index of a site from its sources. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256 } from '../../platform/hash.ts';
import type { SourceConfig } from '../../platform/config/docs-config.ts';
import { DocentError } from '../../platform/errors.ts';
import { createPauses } from '../../platform/pauses.ts';
import { TaskLimitError } from '../../platform/workers/worker-pool.ts';
import type { Page, Retriever } from '../../retrieval/retriever.ts';
import type { SourceState, SourceStates } from './source-states.ts';
import {
  type OpenSource,
  openSources,
  type SiteDocs,
  type SourceTools,
} from '../sources/open-sources.ts';
import { type Parse, parse } from '../parsing/parse.ts';
import { createWebClient, type WebLimits } from '../web/web-client.ts';
import { type OwnerWord, readOwnerWords } from '../sources/owner-words.ts';
import type { IndexProgress, SourcePage, SourceResult } from '../sources/page-source.ts';

export type { IndexProgress } from '../sources/page-source.ts';
export type { SiteDocs } from '../sources/open-sources.ts';

export interface IndexSiteOptions {
  domain: string;
  docs: SiteDocs;
  retriever: Pick<Retriever, 'hashes' | 'apply'>;
  states?: SourceStates | undefined;
  /** Folder for the copies of git repositories. By default, a temporary folder. */
  copies?: string | undefined;
  secret?: SourceTools['secret'] | undefined;
  /** The owner expects far fewer pages than before. */
  acceptFewer?: boolean | undefined;
  /** Timeouts of requests. Tests shorten them. */
  webLimits?: Partial<WebLimits> | undefined;
  /** Reads documents in worker threads. Tests give one with other limits. */
  parse?: Parse | undefined;
  onProgress?: ((progress: IndexProgress) => void) | undefined;
  /** Called with what the owner says beside the pages, if all sources could be read. */
  onWords?: ((words: OwnerWord[]) => Promise<void>) | undefined;
  onChange?: ((change: SiteChange) => Promise<void>) | undefined;
  signal?: AbortSignal | undefined;
}

export interface SiteChange {
  /** Of pages that are added, changed, or removed. */
  paths: string[];
  commits: string[];
}

/** The run would remove so many pages that its owner should look first. Nothing was written. */
export class NeedsApproval extends DocentError {
  readonly removed: number;

  constructor(removed: number, held: number, paths: readonly string[]) {
    super(
      'conflict',
      `Reading the sources again would remove ${removed} of ${held} pages, such as ${paths.slice(0, 3).join(', ')}, so the index stays as it was. If that is right, approve it in the dashboard, or run \`docent index --accept-fewer\`.`,
    );
    this.removed = removed;
  }
}

/** A run that would remove more than this share of the pages, or of those of one source, waits for approval. */
const approvalShare = 0.2;
/** On a small site, one deleted page is a large share. */
const approvalPages = 10;

export interface IndexReport {
  pages: number;
  added: number;
  changed: number;
  unchanged: number;
  removed: number;
  /** Passages of the pages that were added or changed. */
  passages: number;
  commits: string[];
  warnings: string[];
  /** Facts for the owner, such as the generator that was found. */
  notes: string[];
  /** A sentence for each source that could not be read completely. Its pages stay as they were. */
  failures: string[];
  seconds: number;
}

/**
 * Reads all sources before it writes, and writes only if something changed. The pages of a source that
 * fails stay in the index, and the other sources are indexed. Rejects if all sources fail.
 */
export async function indexSite(options: IndexSiteOptions): Promise<IndexReport> {
  const { domain, retriever, states, signal, onProgress } = options;
  const started = performance.now();
  const report: IndexReport = {
    pages: 0,
    added: 0,
    changed: 0,
    unchanged: 0,
    removed: 0,
    passages: 0,
    commits: [],
    warnings: [],
    notes: [],
    failures: [],
    seconds: 0,
  };
  const held = await retriever.hashes(domain);
  const before = (await states?.load(domain)) ?? new Map<string, SourceState>();
  const read = await readSources(before, held, options, report);
  report.commits = [...new Set(read.flatMap(({ result }) => result?.commit ?? []))];
  const { owned, retained, after } = assignPaths(read, before, report.warnings);

  const upsert: Page[] = [];
  let skipped = 0;
  const pause = createPauses();
  for (const [index, { page, config }] of owned.entries()) {
    signal?.throwIfAborted();
    const hash = hashWith(page.hash, config);
    const known = held.get(page.path);
    if (known === hash) report.unchanged += 1;
    else {
      const fresh = await readOrSkip(page, known !== undefined, options, report);
      if (fresh) {
        upsert.push({ ...withDefaults(fresh, config), path: page.path, hash });
        report.passages += fresh.passages.length;
        report[known === undefined ? 'added' : 'changed'] += 1;
      } else if (known === undefined) skipped += 1;
    }
    onProgress?.({ done: index + 1, total: owned.length, path: page.from });
    await pause();
  }
  if (read.every(({ result }) => result)) {
    const files = read.flatMap(({ result }) => result?.words ?? []);
    const onWarning = (warning: string) => void report.warnings.push(warning);
    const words = await readOwnerWords(files, { parse: options.parse ?? parse, onWarning });
    await options.onWords?.(words);
  }
  const found = new Set(owned.map(({ page }) => page.path));
  const remove = removable(held, found, retained, before, report.failures.length > 0);
  report.removed = remove.length;
  if (options.acceptFewer !== true) assertNotMany(remove, held, before);
  report.pages = found.size + retained.size - skipped;
  signal?.throwIfAborted();
  if (upsert.length > 0 || remove.length > 0) {
    const paths = [...upsert.map(({ path }) => path), ...remove];
    await options.onChange?.({ paths, commits: report.commits });
    const pages = { done: owned.length, total: owned.length, path: '' };
    await retriever.apply(
      domain,
      { upsert, remove },
      {
        signal,
        onEmbedded: (embedding) => onProgress?.({ ...pages, embedding }),
        onWarning: (warning) => void report.warnings.push(warning),
      },
    );
  }
  await states?.save(domain, before, after);
  report.seconds = (performance.now() - started) / 1000;
  return report;
}

/** One page that can't be read doesn't stop the others. If the index has a version of it, that stays. */
async function readOrSkip(
  page: SourcePage,
  isKnown: boolean,
  { signal }: IndexSiteOptions,
  report: IndexReport,
): Promise<Omit<Page, 'hash'> | undefined> {
  try {
    return await page.read();
  } catch (error) {
    signal?.throwIfAborted();
    const stays = isKnown ? ' Its previous version stays.' : '';
    report.warnings.push(`${page.from}: not read, because ${describeFault(error)}.${stays}`);
    return undefined;
  }
}

/** A whole document that takes too long fails its source. */
function toDocentError(error: unknown, source: string): DocentError | undefined {
  if (error instanceof DocentError) return error;
  if (!(error instanceof TaskLimitError)) return undefined;
  return new DocentError('too_large', `${source}: not read, because ${error.message}.`);
}

function describeFault(error: unknown): string {
  if (error instanceof TaskLimitError) return error.message;
  if (error instanceof RangeError) return 'it is nested too deep';
  return `reading it failed: ${error instanceof Error ? error.message : String(error)}`;
}

/** The result of a source. Without one, the source failed. */
interface Read extends OpenSource {
  result?: SourceResult;
}

async function readSources(
  before: ReadonlyMap<string, SourceState>,
  held: ReadonlyMap<string, string>,
  options: IndexSiteOptions,
  report: IndexReport,
): Promise<Read[]> {
  const { docs, signal, webLimits } = options;
  const copies = options.copies ?? join(tmpdir(), 'docent-repositories');
  const secret = options.secret ?? (() => undefined);
  const client = createWebClient({ privateHosts: docs.allowPrivateHosts, limits: webLimits });
  const read: Read[] = [];
  const errors: DocentError[] = [];
  try {
    for (const one of openSources(docs, { client, copies, secret })) {
      const { source, config } = one;
      try {
        const result = await source.read({
          parse: options.parse ?? parse,
          isHeld: (path, hash) => held.get(path) === hashWith(hash, config),
          kept: before.get(source.id)?.kept,
          signal,
          onProgress: (progress) => options.onProgress?.(progress),
          onWarning: (warning) => void report.warnings.push(warning),
          onNote: (note) => void report.notes.push(note),
        });
        if (result.incomplete !== undefined) report.failures.push(result.incomplete);
        read.push({ ...one, result });
      } catch (error) {
        signal?.throwIfAborted();
        const known = toDocentError(error, source.id);
        if (!known) throw error;
        errors.push(known);
        report.failures.push(known.message);
        read.push(one);
      }
    }
  } finally {
    client.close();
  }
  const [first] = errors;
  if (first && errors.length === read.length) {
    const had = held.size > 0 ? ` The ${held.size} pages indexed before stay.` : '';
    const message = errors.map((error) => error.message).join(' ');
    throw new DocentError(first.code, message + had, { cause: first.cause });
  }
  return read;
}

interface OwnedPage {
  page: SourcePage;
  config: SourceConfig;
}

/** Assigns each path to the first source that has it. A failed source keeps its paths. */
function assignPaths(
  read: Read[],
  before: ReadonlyMap<string, SourceState>,
  warnings: string[],
): { owned: OwnedPage[]; retained: Set<string>; after: Map<string, SourceState> } {
  const owned: OwnedPage[] = [];
  const owner = new Map<string, string>();
  const retained = new Set<string>();
  const after = new Map<string, SourceState>();
  for (const { source, config, result } of read) {
    const kept = before.get(source.id);
    // Two sources may read different parts of one folder.
    const paths = after.get(source.id)?.paths ?? [];
    after.set(source.id, { paths, kept: result ? result.keep : kept?.kept });
    for (const page of result?.pages ?? []) {
      const first = owner.get(page.path);
      if (first !== undefined) {
        warnings.push(`${page.from}: skipped, because ${first} has the same path ${page.path}.`);
        continue;
      }
      owner.set(page.path, page.from);
      owned.push({ page, config });
      paths.push(page.path);
    }
    if (result && result.incomplete === undefined) continue;
    for (const path of kept?.paths ?? []) {
      if (owner.has(path)) continue;
      owner.set(path, source.id);
      retained.add(path);
      paths.push(path);
    }
  }
  return { owned, retained, after };
}

/**
 * Returns the paths that are in the index and no longer in a source. If a source failed, only paths of
 * other sources are returned, because an unknown page may be from the failed source.
 */
function removable(
  held: ReadonlyMap<string, string>,
  found: ReadonlySet<string>,
  retained: ReadonlySet<string>,
  before: ReadonlyMap<string, SourceState>,
  hasFailed: boolean,
): string[] {
  const owned = new Set([...before.values()].flatMap(({ paths }) => paths));
  return [...held.keys()].filter(
    (path) => !found.has(path) && !retained.has(path) && (!hasFailed || owned.has(path)),
  );
}

/** Most likely, a source that suddenly lacks many pages is broken. */
function assertNotMany(
  remove: readonly string[],
  held: ReadonlyMap<string, string>,
  before: ReadonlyMap<string, SourceState>,
): void {
  const removed = new Set(remove);
  for (const paths of [[...held.keys()], ...[...before.values()].map((state) => state.paths)]) {
    const gone = paths.filter((path) => removed.has(path));
    if (gone.length >= approvalPages && gone.length > paths.length * approvalShare)
      throw new NeedsApproval(gone.length, paths.length, gone);
  }
}

/** Settings of a source apply to its pages, so they are part of the hash. */
function hashWith(hash: string, config: SourceConfig): string {
  const { version, language, groups, tags } = config;
  if (version === undefined && language === undefined && !groups && !tags) return hash;
  const facts = JSON.stringify([version, language, groups, tags]);
  return sha256([hash, facts]);
}

export function withDefaults(
  page: Omit<Page, 'hash'>,
  { version, language, groups, tags }: SourceConfig,
): Omit<Page, 'hash'> {
  return {
    ...(version !== undefined && { version }),
    ...(language !== undefined && { language }),
    ...(groups && { groups }),
    ...(tags && { tags }),
    ...page,
  };
}
