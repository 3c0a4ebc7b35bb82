/** The index of one site on disk: opens the newest version and writes the next one. */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Embedder } from '../embedder.ts';
import { createIndexBuilder } from '../ranker/index-builder.ts';
import {
  createIndexWriter,
  type IndexWriter,
  identityOf,
  type IndexFile,
  openIndexFile,
  type PageHead,
  toPage,
  toRecord,
} from './index-file.ts';
import { commonFolder, normalizePath } from '../page-path.ts';
import type { Page, PageChanges } from '../retriever.ts';
import { collectVectors, isMadeBy, type PassageVectors } from '../vectors.ts';

/** One version of a site in memory. */
export interface OpenSite extends IndexFile {
  /** Page numbers by normalized path. */
  pageOf: Map<string, number>;
  /** The longest folder that all pages share. */
  baseFolder: string;
}

export type SiteIndex = ReturnType<typeof createSiteIndex>;

const pollIntervalMs = 1000;
/** How long building an index may block the process. */
const yieldIntervalMs = 15;
const fileName = 'index.docent';
/** The age at which a temporary file must be from a killed process. */
const staleMs = 60 * 60 * 1000;

export function createSiteIndex(
  folder: string,
  onProblem: (message: string, error?: unknown) => void,
  embedder?: Embedder,
) {
  const path = join(folder, fileName);
  let site: OpenSite | undefined;
  let polledAt = Number.NEGATIVE_INFINITY;
  let polling: Promise<void> | undefined;
  let applying: Promise<void> = Promise.resolve();
  let refused: string | undefined;
  let isClosed = false;
  /** The version that the next one is built from. It must stay open until then. */
  let base: OpenSite | undefined;

  async function poll(): Promise<void> {
    polledAt = performance.now();
    const found = await stat(path).catch(() => undefined);
    const identity = found && identityOf(found);
    if (isClosed || identity === site?.identity || (identity !== undefined && identity === refused))
      return;
    if (identity === undefined) return swap(undefined);
    try {
      const opened = openIndexFile(path);
      if (opened) return swap(opened);
      refused = identity;
      onProblem('The index was written by another version of Docent; index the site again.');
    } catch (error) {
      refused = identity;
      onProblem('The index could not be read; the one before stays in use.', error);
    }
  }

  function swap(opened: IndexFile | undefined): void {
    // Searches don't await, so none of them is reading the old file now.
    if (site !== base) site?.close();
    site = opened && {
      ...opened,
      pageOf: new Map(opened.heads.map((head, page) => [normalizePath(head.path), page])),
      baseFolder: commonFolder(opened.heads.map((head) => head.path)),
    };
  }

  /** The newest version, polled now. */
  async function newest(): Promise<OpenSite | undefined> {
    await polling;
    polling = poll().finally(() => (polling = undefined));
    await polling;
    return site;
  }

  /** The newest version, polled at most once a second; `undefined` if there is no index. */
  async function current(): Promise<OpenSite | undefined> {
    if (performance.now() - polledAt >= pollIntervalMs) await newest();
    else if (!site) await polling;
    return site;
  }

  /** False if another process replaced the index in the meantime. The next attempt starts from its pages. */
  async function tryWrite(changes: PageChanges): Promise<boolean> {
    base = await newest();
    const identity = base?.identity;
    try {
      const next = changedPages(base, changes, isMadeBy(base?.vectors, embedder));
      if (!next) return true;
      await mkdir(folder, { recursive: true });
      await removeStale(folder);
      const writer = await createIndexWriter(
        join(folder, `${fileName}.${randomBytes(6).toString('hex')}.tmp`),
      );
      try {
        await build(writer, next, await vectorsOf(next, base, embedder));
        const now = await stat(path).catch(() => undefined);
        // An unreadable file is replaced.
        const isSame = !now || identityOf(now) === identity || identityOf(now) === refused;
        if (isSame) await writer.publish(path);
        else await writer.discard();
        return isSame;
      } catch (error) {
        await writer.discard();
        throw error;
      }
    } finally {
      if (base !== site) base?.close();
      base = undefined;
      await newest();
    }
  }

  return {
    current,
    newest,
    apply(changes: PageChanges): Promise<void> {
      const result = applying.then(async () => {
        while (!(await tryWrite(changes)));
      });
      applying = result.catch(() => undefined);
      return result;
    },
    close(): void {
      isClosed = true;
      swap(undefined);
    },
  };
}

/** A page of the next version: a new one, or the number of an unchanged one. */
type NextPage = { page: Page } | { head: PageHead; site: OpenSite; number: number };

/** The pages of the next version, sorted by path; `undefined` if nothing changes. */
function changedPages(
  before: OpenSite | undefined,
  changes: PageChanges,
  hasVectors: boolean,
): NextPage[] | undefined {
  const next = new Map<string, NextPage>();
  before?.heads.forEach((head, number) => next.set(head.path, { head, site: before, number }));
  let isChanged = !hasVectors && next.size > 0;
  for (const path of changes.remove) isChanged = next.delete(path) || isChanged;
  for (const page of changes.upsert) {
    const old = next.get(page.path);
    if (old && 'head' in old && old.head.hash === page.hash) continue;
    next.set(page.path, { page });
    isChanged = true;
  }
  if (!isChanged) return undefined;
  return [...next].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, page]) => page);
}

/** Runs before anything is written, so that nothing changes if the embedder fails. */
async function vectorsOf(
  next: readonly NextPage[],
  before: OpenSite | undefined,
  embedder: Embedder | undefined,
): Promise<PassageVectors | undefined> {
  if (!embedder) return undefined;
  const pages = next.map((one) => ('page' in one ? one.page : one.site.readPage(one.number)));
  return collectVectors(embedder, pages, [before?.vectors]);
}

async function build(
  writer: IndexWriter,
  pages: NextPage[],
  vectors: PassageVectors | undefined,
): Promise<void> {
  const builder = createIndexBuilder();
  let yieldedAt = performance.now();
  const rest = async (): Promise<void> => {
    if (performance.now() - yieldedAt < yieldIntervalMs) return;
    await yieldToOthers();
    yieldedAt = performance.now();
  };
  for (const next of pages) {
    const record = 'page' in next ? toRecord(next.page) : next.site.readRecord(next.number);
    const page = 'page' in next ? next.page : toPage(next.head, record);
    const { markdown: _, passages: __, ...head } = page;
    builder.add(page);
    await writer.add(head, record);
    await rest();
  }
  const steps = builder.finish();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return writer.finish(step.value, vectors);
    await rest();
  }
}

async function removeStale(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.tmp')) continue;
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > staleMs)
      await rm(join(folder, name), { force: true });
  }
}
