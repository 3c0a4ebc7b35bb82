/**
 * The state of a site says which documents are current. It's one document. A run writes the next state
 * to another index and swaps both in one task, which fails if another run was faster. So readers always
 * see a complete state.
 */
import type { SiteNames } from './documents.ts';
import type { VectorSource } from '../vectors.ts';
import { EngineFault, isMissing, type MeilisearchClient } from './client.ts';

export interface SiteState {
  /** The run that made it. */
  mark: string;
  settingsVersion: number;
  /** The embedder that made the vectors; `null` without vectors. */
  embedder: VectorSource | null;
  /** The run that created the document index. */
  documents: string;
  /** Runs whose documents are current. */
  runs: string[];
  /** Obsolete page versions, with the time of their replacement in ms. */
  replaced: [page: string, since: number][];
  pages: number;
  passages: number;
  /** The longest folder that all pages share. */
  baseFolder: string;
  /** The languages of its pages, the most frequent first. States of earlier versions have none. */
  languages?: string[];
}

export type SiteStates = ReturnType<typeof createSiteStates>;

const pollIntervalMs = 1000;

export function createSiteStates(client: MeilisearchClient, names: SiteNames) {
  let state: SiteState | undefined;
  let polledAt = Number.NEGATIVE_INFINITY;
  let polling: Promise<SiteState | undefined> | undefined;

  async function newest(): Promise<SiteState | undefined> {
    const started = performance.now();
    const found = await read();
    // If two reads overlap, the later one wins.
    if (started >= polledAt) [state, polledAt] = [found, started];
    return found;
  }

  async function read(): Promise<SiteState | undefined> {
    try {
      const { json } = await client.request((api) =>
        api.index<{ json: string }>(names.state).getDocument('state'),
      );
      return JSON.parse(json) as SiteState;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** False if another run has replaced `before`. */
  async function commit(before: SiteState | undefined, next: SiteState): Promise<boolean> {
    const proposal = names.next(next.mark);
    const document = { id: 'state', json: JSON.stringify(next) };
    const written = await client.enqueue((api) =>
      api.index(proposal).addDocuments([document], { primaryKey: 'id' }),
    );
    await client.finish(written);
    const ownMark = names.mark(before ? before.mark : `${next.mark}first`);
    if (!before) await create(ownMark);
    try {
      for (let isRepaired = false; ; isRepaired = true) {
        try {
          await swap(before, next, ownMark);
          return true;
        } catch (error) {
          if (!(error instanceof EngineFault) || isRepaired) throw error;
          const now = await newest();
          if (now?.mark !== before?.mark) return false;
          if (!before) throw error;
          // A swap changes mark and state together. The state is unchanged, so someone deleted the mark.
          await create(ownMark);
        }
      }
    } finally {
      await newest();
    }
  }

  async function swap(
    before: SiteState | undefined,
    next: SiteState,
    ownMark: string,
  ): Promise<void> {
    const proposal = names.next(next.mark);
    const task = await client.enqueue((api) =>
      api.swapIndexes([
        before
          ? { indexes: [names.state, proposal], rename: false }
          : { indexes: [proposal, names.state], rename: true },
        { indexes: [ownMark, names.mark(next.mark)], rename: true },
      ]),
    );
    try {
      await client.finish(task);
    } catch (error) {
      if (!(error instanceof EngineFault && error.code === 'task_not_found')) throw error;
      // A key for only some indexes may swap them, but can't read the task. Tasks on one index run in
      // order, so when the next one is done, the state shows whether the swap succeeded.
      await create(proposal);
      if ((await newest())?.mark !== next.mark) throw error;
    }
  }

  async function create(uid: string): Promise<void> {
    const task = await client.enqueue((api) => api.createIndex(uid, { primaryKey: 'id' }));
    await client.finish(task).catch((error: unknown) => {
      if (!(error instanceof EngineFault && error.code === 'index_already_exists')) throw error;
    });
  }

  return {
    newest,
    commit,
    /** Polled at most once a second. */
    async current(): Promise<SiteState | undefined> {
      if (performance.now() - polledAt < pollIntervalMs) return state;
      // Concurrent questions share one read.
      return (polling ??= newest().finally(() => (polling = undefined)));
    },
  };
}
