/**
 * Writes the next state of a site. Small changes go into the current index; large ones, and changed
 * settings, create a new index. Readers see the changes when the state is swapped. A later run removes
 * what a killed run left.
 */
import { decodeTime, ulid } from 'ulid';
import { chunksOf } from '../../platform/store/database.ts';
import type { Embedder } from '../embedder.ts';
import { languagesOf } from '../languages.ts';
import { commonFolder } from '../page-path.ts';
import { type KeptVectors, openKeptVectors } from '../embedding/kept-vectors.ts';
import { embedPages } from '../embedding/trust.ts';
import type { ApplyOptions, Page, PageChanges } from '../retriever.ts';
import { collectVectors, isMadeBy, type PassageVectors, sliceVectors } from '../vectors.ts';
import { createUploads, isMissing } from './client.ts';
import {
  documentsOf,
  indexSettings,
  oneOf,
  pageOfDocument,
  type Run,
  settingsVersion,
} from './documents.ts';
import { createSiteReader, type Difference, type Known, type SiteDeps } from './site-reader.ts';
import type { SiteState, SiteStates } from './site-state.ts';

/** How long other processes may still read documents of the previous state. */
const readersMs = 10_000;
/** The age at which documents without a state must be from a killed run. */
const staleMs = 60 * 60 * 1000;
/** Limits for writing into the current index. */
const inPlace = { pages: 20, share: 0.25, maxPages: 1000, runs: 100 };
const removedAtOnce = 200;
const embeddedAtOnce = 50;

export type SiteWriter = ReturnType<typeof createSiteWriter>;

export function createSiteWriter(deps: SiteDeps & { states: SiteStates }) {
  const { client, names, states, embedder } = deps;
  const reader = createSiteReader(deps);

  async function apply(changes: PageChanges, options: ApplyOptions = {}): Promise<void> {
    const { kept: folder } = deps;
    const kept =
      embedder && folder !== undefined ? await openKeptVectors(folder, embedder) : undefined;
    for (;;) {
      const state = await states.newest();
      const changed = await reader.difference(state, changes);
      if (!changed && (!state || isCurrent(state, embedder))) return;
      const started = Date.now();
      const run: Run = { id: ulid(started).toLowerCase(), started };
      let isDone = false;
      try {
        const known = changed ? await embed(state, changed, kept, options) : [];
        const next =
          state && changed && isCurrent(state, embedder) && fitsBeside(state, changed)
            ? await writeBeside(state, changed, run, known)
            : await writeAnew(state, changed ?? { upsert: [], replaced: [] }, run, known, options);
        isDone = await states.commit(state, next);
        if (isDone) await tidyAfter(state, next);
        if (isDone) await kept?.remove();
        if (isDone) return;
      } finally {
        if (!isDone) await withdraw(state, run);
      }
    }
  }

  /** Runs before anything is written, and all at once, so that the rest of the time is known. */
  async function embed(
    state: SiteState | undefined,
    changed: Difference,
    kept: KeptVectors | undefined,
    options: ApplyOptions,
  ): Promise<Known> {
    if (!embedder) return [];
    const pages = changed.upsert;
    const earlier = {
      source: state?.embedder,
      vectors: state ? await reader.vectorsOf(state, changed) : [],
      changed: pages.length / (state?.pages || 1),
    };
    return [await embedPages(embedder, pages, earlier, kept, options)];
  }

  async function writeBeside(
    state: SiteState,
    changed: Difference,
    run: Run,
    known: Known,
  ): Promise<SiteState> {
    const index = names.documents(state.documents);
    const uploads = createUploads(client, index);
    const isEnded = ([, since]: [string, number]) => run.started - since > readersMs;
    const ended = state.replaced.filter(isEnded).map(([page]) => page);
    for (const some of chunksOf(ended, removedAtOnce)) await uploads.remove([oneOf('page', some)]);
    await uploads.remove([`NOT ${oneOf('run', state.runs)}`, `started < ${run.started - staleMs}`]);
    for await (const [page, vectors] of withVectors(changed.upsert, known))
      await uploads.add(documentsOf(page, run, vectors));
    await uploads.finish();
    const replaced = changed.replaced.map(({ id }): [string, number] => [id, run.started]);
    const paths = changed.upsert.map((page) => page.path);
    return {
      ...state,
      mark: run.id,
      runs: [...state.runs, run.id],
      replaced: [...state.replaced.filter((one) => !isEnded(one)), ...replaced],
      pages: state.pages + changed.upsert.length - changed.replaced.length,
      passages:
        changed.upsert.reduce((sum, { passages }) => sum + passages.length, state.passages) -
        changed.replaced.reduce((sum, { passages }) => sum + passages, 0),
      baseFolder: commonFolder([...paths, `${state.baseFolder}/x`]),
      languages: [...new Set([...(state.languages ?? []), ...languagesOf(changed.upsert)])],
    };
  }

  async function writeAnew(
    state: SiteState | undefined,
    changed: Difference,
    run: Run,
    fresh: Known,
    options: ApplyOptions,
  ): Promise<SiteState> {
    const index = names.documents(run.id);
    const created = await client.enqueue((api) => api.createIndex(index, { primaryKey: 'id' }));
    await client.finish(created);
    const uploads = createUploads(client, index);
    await uploads.settings(indexSettings(embedder?.source.dimensions));
    const paths: string[] = [];
    const written: Pick<Page, 'language'>[] = [];
    let passages = 0;
    const write = async (pages: readonly Page[], known: Known): Promise<void> => {
      for await (const [page, vectors] of withVectors(pages, known, options)) {
        paths.push(page.path);
        written.push({ ...(page.language !== undefined && { language: page.language }) });
        passages += page.passages.length;
        await uploads.add(documentsOf(page, run, vectors));
      }
    };
    const ended = new Set(changed.replaced.map(({ id }) => id));
    if (state) {
      for await (const page of reader.stored(state)) {
        if (ended.has(page.id)) continue;
        await write([pageOfDocument(page)], [reader.heldVectors(state, page)]);
      }
    }
    await write(changed.upsert, fresh);
    await uploads.finish();
    return {
      mark: run.id,
      settingsVersion,
      embedder: embedder
        ? { ...embedder.source, ...(fresh[0] && { trust: fresh[0].trust }) }
        : null,
      documents: run.id,
      runs: [run.id],
      replaced: [],
      pages: paths.length,
      passages,
      baseFolder: commonFolder(paths),
      languages: languagesOf(written),
    };
  }

  /** Embeds the passages of several pages together. */
  async function* withVectors(
    pages: readonly Page[],
    known: Known,
    options?: ApplyOptions,
  ): AsyncGenerator<[Page, PassageVectors?]> {
    for (const some of embedder ? chunksOf(pages, embeddedAtOnce) : [pages]) {
      const all =
        embedder && (await collectVectors(embedder, some, known, undefined, options)).vectors;
      let first = 0;
      for (const page of some) {
        const next = first + page.passages.length;
        yield all ? [page, sliceVectors(all, first, next)] : [page];
        first = next;
      }
    }
  }

  /** Removes obsolete indexes. Processes that still read one of them switch to the newest state. */
  async function tidyAfter(before: SiteState | undefined, now: SiteState): Promise<void> {
    const ended = [names.next(now.mark)];
    if (before && before.documents !== now.documents) ended.push(names.documents(before.documents));
    const { results } = await client.request((api) => api.getRawIndexes({ limit: 1_000_000 }));
    const needed = new Set([names.documents(now.documents), names.mark(now.mark)]);
    for (const { uid } of results) {
      const run = names.runOf(uid);
      if (run !== undefined && !needed.has(uid) && isStale(run)) ended.push(uid);
    }
    for (const index of new Set(ended)) await drop(index);
  }

  /** Cleans up after a failed attempt, as far as possible. A later run removes the rest by its age. */
  async function withdraw(state: SiteState | undefined, run: Run): Promise<void> {
    const clean = [
      drop(names.documents(run.id)),
      drop(names.next(run.id)),
      drop(names.mark(`${run.id}first`)),
    ];
    if (state)
      clean.push(
        createUploads(client, names.documents(state.documents)).remove([`run = ${run.id}`]),
      );
    await Promise.allSettled(clean);
  }

  async function drop(index: string): Promise<void> {
    await client
      .enqueue((api) => api.deleteIndex(index))
      .catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
  }

  return { held: reader.held, apply };
}

/** Whether a state has our settings and this embedder. If not, the whole site is rewritten. */
export function isCurrent(state: SiteState, embedder: Embedder | undefined): boolean {
  return state.settingsVersion === settingsVersion && isMadeBy(state.embedder, embedder);
}

function fitsBeside(state: SiteState, { upsert, replaced }: Difference): boolean {
  const changes = Math.max(upsert.length, replaced.length);
  return (
    state.runs.length < inPlace.runs &&
    state.replaced.length + replaced.length <= inPlace.maxPages &&
    changes <= Math.max(inPlace.pages, state.pages * inPlace.share)
  );
}

function isStale(run: string): boolean {
  try {
    return Date.now() - decodeTime(run.slice(0, 26).toUpperCase()) > staleMs;
  } catch {
    return false;
  }
}
