/**
 * Which documents of a site are valid. One document says so; a run writes the next one beside it and
 * swaps both in one task, which fails where another run was faster. So a state is whole or not there.
 */
import type { SiteNames } from './names.ts';
import { EngineFault, isMissing } from './client.ts';
import type { MeilisearchClient } from './client.ts';

export interface SiteState {
  /** The run that made it. */
  mark: string;
  settingsVersion: number;
  /** What the vectors were made by; `null` where there are none. */
  embedder: { model: string; dimensions: number } | null;
  /** The run that made the index of documents. */
  documents: string;
  /** Runs whose documents are valid. */
  runs: string[];
  /** Versions of pages that are not valid any more, each with the time since when, in ms. */
  replaced: [page: string, since: number][];
  pages: number;
  passages: number;
  /** The folder that all pages are in. */
  baseFolder: string;
}

export interface SiteStates {
  /** Looked for anew at most once a second. */
  current(): Promise<SiteState | undefined>;
  newest(): Promise<SiteState | undefined>;
  /** False where another run put its state in the place of `before`. */
  commit(before: SiteState | undefined, next: SiteState): Promise<boolean>;
}

const pollIntervalMs = 1000;

export function createSiteStates(client: MeilisearchClient, names: SiteNames): SiteStates {
  let state: SiteState | undefined;
  let polledAt = Number.NEGATIVE_INFINITY;

  let polling: Promise<SiteState | undefined> | undefined;

  async function newest(): Promise<SiteState | undefined> {
    const started = performance.now();
    const found = await read();
    // Of two looks at once, the later one knows more.
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
          // The mark goes in the very moment that the state changes, and this state is still valid:
          // somebody has deleted the mark by hand.
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
      // A key for some indexes may swap them, but is not shown how it went. Work on one index is done
      // in order, so what is handed over now is done after the swap; then the state itself tells.
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
    async current() {
      if (performance.now() - polledAt < pollIntervalMs) return state;
      // Many questions at once look once.
      return (polling ??= newest().finally(() => (polling = undefined)));
    },
  };
}
