/** The index of one site on disk: opens the newest version and writes the next one. */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createPauses } from '../../platform/pauses.ts';
import type { Embedder } from '../embedder.ts';
import { embedPages } from '../embedding/trust.ts';
import { openKeptVectors } from '../embedding/kept-vectors.ts';
import { buildIndex, countPassages } from '../ranker/index-builder.ts';
import { createPageAnalyzer, type PageTerms, stopTerms } from '../ranker/page-terms.ts';
import type { SearchIndex } from '../ranker/search-index.ts';
import { identityOf, type IndexFile, openIndexFile } from './index-file.ts';
import { createIndexWriter, type IndexWriter } from './index-writer.ts';
import { languagesOf } from '../languages.ts';
import { commonFolder, normalizePath } from '../page-path.ts';
import type { ApplyOptions, Page, PageChanges } from '../retriever.ts';
import { isMadeBy, type PassageVectors } from '../vectors.ts';

/** One version of a site in memory. */
export interface OpenSite extends IndexFile {
  /** The number of a page, by its normalized path. */
  pageAt(path: string): number | undefined;
  /** The longest folder that all pages share. */
  baseFolder: string;
  /** The languages of its pages, the most frequent first. */
  languages: readonly string[];
}

export type SiteIndex = ReturnType<typeof createSiteIndex>;

const pollIntervalMs = 1000;
const fileName = 'index.docent';
/** A few milliseconds of counting. */
const pagesAtOnce = 500;
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
    site = opened && toSite(opened);
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
  async function tryWrite(changes: PageChanges, options: ApplyOptions): Promise<boolean> {
    base = await newest();
    const identity = base?.identity;
    try {
      const next = changedPages(base, changes, isMadeBy(base?.vectors, embedder));
      if (!next) return true;
      await mkdir(folder, { recursive: true });
      await removeStale(folder);
      // Before anything is written, so that nothing changes if the embedder fails.
      const embedded = embedder && (await embed(embedder, next, options));
      const writer = await createIndexWriter(
        join(folder, `${fileName}.${randomBytes(6).toString('hex')}.tmp`),
      );
      try {
        await build(writer, next, base, embedded?.vectors);
        const now = await stat(path).catch(() => undefined);
        // An unreadable file is replaced.
        const isSame = !now || identityOf(now) === identity || identityOf(now) === refused;
        if (isSame) await writer.publish(path).then(() => embedded?.kept.remove());
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

  async function embed(by: Embedder, next: readonly NextPage[], options: ApplyOptions) {
    const pages = next.map((page) => toPage(page, base));
    const kept = await openKeptVectors(folder, by);
    const source = base?.vectors;
    const changed = next.filter((page) => typeof page !== 'number').length / (next.length || 1);
    const earlier = { source, vectors: [source], changed };
    return { vectors: await embedPages(by, pages, earlier, kept, options), kept };
  }

  return {
    current,
    newest,
    apply(changes: PageChanges, options: ApplyOptions = {}): Promise<void> {
      const result = applying.then(async () => {
        while (!(await tryWrite(changes, options)));
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

function toSite(opened: IndexFile): OpenSite {
  const { heads } = opened;
  let numbers: Map<string, number> | undefined;
  return {
    ...opened,
    pageAt(path) {
      numbers ??= new Map(heads.map((head, page) => [normalizePath(head.path), page]));
      return numbers.get(path);
    },
    // The pages are sorted by path, so what the first and the last share is in all of them.
    baseFolder: commonFolder([heads[0], heads.at(-1)].flatMap((head) => head?.path ?? [])),
    languages: languagesOf(heads),
  };
}

/** A page of the next version: a new one, or the number of an unchanged one. */
type NextPage = Page | number;

function toPage(next: NextPage, before: OpenSite | undefined): Page {
  return typeof next === 'number' ? (before as OpenSite).readPage(next) : next;
}

/** The pages of the next version, sorted by path; `undefined` if nothing changes. */
function changedPages(
  before: OpenSite | undefined,
  changes: PageChanges,
  hasVectors: boolean,
): NextPage[] | undefined {
  const next = new Map<string, NextPage>();
  before?.heads.forEach(({ path }, number) => next.set(path, number));
  let isChanged = !hasVectors && next.size > 0;
  for (const path of changes.remove) isChanged = next.delete(path) || isChanged;
  for (const page of changes.upsert) {
    const old = next.get(page.path);
    if (typeof old === 'number' && before?.heads[old]?.hash === page.hash) continue;
    next.set(page.path, page);
    isChanged = true;
  }
  if (!isChanged) return undefined;
  return [...next].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, page]) => page);
}

async function build(
  writer: IndexWriter,
  pages: readonly NextPage[],
  before: OpenSite | undefined,
  vectors: PassageVectors | undefined,
): Promise<void> {
  const pause = createPauses();
  // Terms that no page has anymore keep their numbers until they're the majority.
  const base = before && isMostlyUsed(before.index) ? before.index : undefined;
  const known = base && before?.readAllTerms();
  const analyzer = createPageAnalyzer(base);
  const terms: PageTerms[] = [];
  const analyzed: PageTerms[] = [];
  for (const next of pages) {
    if (typeof next === 'number' && base && known) terms.push(slicePage(known, base, next));
    else {
      const page = analyzer.analyze(toPage(next, before));
      terms.push(page);
      analyzed.push(page);
    }
    await pause();
  }
  const limits = new Uint32Array(analyzer.termCount());
  for (let at = 0; at < analyzed.length; at += pagesAtOnce) {
    countPassages(analyzed.slice(at, at + pagesAtOnce), limits.length, limits);
    await pause();
  }
  for (const [term, count] of base?.counts.entries() ?? [])
    limits[term] = (limits[term] ?? 0) + count;
  for (let at = 0; at < pages.length;) {
    const page = pages[at] as NextPage;
    let end = at + 1;
    if (typeof page !== 'number') await writer.add(page);
    else if (before) {
      while (pages[end] === page + end - at) end += 1;
      await writer.copy(before, page, page + end - at);
    }
    at = end;
    await pause();
  }
  const steps = buildIndex({ analyzer, pages: terms, limits, base });
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return writer.finish(step.value, terms, vectors);
    await pause();
  }
}

function isMostlyUsed({ termStarts, sortedTerms }: SearchIndex): boolean {
  return termStarts.length - stopTerms <= 2 * sortedTerms.length;
}

function slicePage(
  { bytes, starts }: PageTerms,
  { firstPassage }: SearchIndex,
  page: number,
): PageTerms {
  return { bytes, starts: starts.subarray(firstPassage[page], (firstPassage[page + 1] ?? 0) + 1) };
}

async function removeStale(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.tmp')) continue;
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > staleMs)
      await rm(join(folder, name), { force: true });
  }
}
