/** Loads a page's data, and again after a lost connection and a new sign-in. */
import {
  batch,
  type ReadonlySignal,
  type Signal,
  effect,
  untracked,
  useComputed,
  useSignal,
} from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { session } from '../session.ts';
import { ApiError, connection, get, type Query, toSearch } from './client.ts';

export interface Loaded<T> {
  data: Signal<T | undefined>;
  error: Signal<ApiError | undefined>;
  isLoading: Signal<boolean>;
  reload: () => Promise<void>;
}

/**
 * Loads when the page opens and when `key` changes, and aborts when the page is left. If only the part of
 * the key after `?` changes, the old data stays until the new data is there.
 */
export function useLoad<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const data = useSignal<T | undefined>(undefined);
  const error = useSignal<ApiError | undefined>(undefined);
  const isLoading = useSignal(true);
  const latest = useRef({ load, key: '', abort: new AbortController() });
  latest.current.load = load;

  const reload = useCallback(async () => {
    latest.current.abort.abort();
    const { signal } = (latest.current.abort = new AbortController());
    isLoading.value = true;
    const settle = (change: () => void) => {
      if (signal.aborted) return;
      batch(() => {
        change();
        isLoading.value = false;
      });
    };
    await latest.current.load(signal).then(
      (value) =>
        settle(() => {
          data.value = value;
          error.value = undefined;
        }),
      (failure: unknown) => settle(() => (error.value = toApiError(failure))),
    );
  }, []);

  useEffect(() => {
    if (resourceOf(latest.current.key) !== resourceOf(key)) data.value = undefined;
    latest.current.key = key;
    void reload();
    return () => latest.current.abort.abort();
  }, [key]);

  useReturn(() => void reload());
  return { data, error, isLoading, reload };
}

/** Loads from an endpoint: `useGet<SitesReply>('/v1/sites')`. */
export const useGet = <T>(path: string, query: Query = {}): Loaded<T> =>
  useLoad(path + toSearch(query), (signal) => get<T>(path, query, signal));

const everyMs = 2_000;

/**
 * Loads again while the service works on what the page shows. The work of an indexing run, a job, or
 * another process is a row that its process writes as often, so a stream would only read it in our place.
 */
export function useReloadWhile(
  isActive: boolean,
  { reload }: Pick<Loaded<unknown>, 'reload'>,
): void {
  useEffect(() => {
    if (!isActive) return undefined;
    const timer = setInterval(() => document.hidden || void reload(), everyMs);
    return () => clearInterval(timer);
  }, [isActive]);
}

export interface Listing<Row> {
  rows: ReadonlySignal<Row[] | undefined>;
  error: Signal<ApiError | undefined>;
  isLoading: Signal<boolean>;
  hasMore: ReadonlySignal<boolean>;
  loadMore: () => Promise<void>;
  reload: () => Promise<void>;
}

/** A list that comes in pages: `useList<Entry>('/v1/audit', 'entries', { action })`. */
export function useList<Row>(path: string, name: string, query: Query = {}): Listing<Row> {
  const { data, error, isLoading, reload } = useGet<Page>(path, query);
  const later = useSignal<{ first: Page; pages: Page[] } | undefined>(undefined);
  const isLoadingMore = useRef(false);
  const pages = useComputed(() => {
    const first = data.value;
    if (!first) return undefined;
    return later.value?.first === first ? [first, ...later.value.pages] : [first];
  });
  const rows = useComputed(() => pages.value?.flatMap((page) => page[name] as Row[]));
  const cursor = useComputed(() => {
    const last = pages.value?.at(-1);
    return last?.hasMore ? last.nextCursor : null;
  });
  const hasMore = useComputed(() => cursor.value !== null);
  const loadMore = async () => {
    const first = data.peek();
    if (!first || cursor.peek() === null || isLoadingMore.current) return;
    isLoadingMore.current = true;
    try {
      const page = await get<Page>(path, { ...query, cursor: cursor.peek() ?? '' });
      // A filter may have changed meanwhile.
      if (data.peek() === first) {
        later.value = { first, pages: [...(pages.peek() ?? []).slice(1), page] };
      }
    } catch (failure) {
      error.value = toApiError(failure);
    } finally {
      isLoadingMore.current = false;
    }
  };
  return { rows, error, isLoading, hasMore, loadMore, reload };
}

interface Page {
  nextCursor: string | number | null;
  hasMore: boolean;
  [name: string]: unknown;
}

/** Calls back when the connection or the session was lost and is there again. */
function useReturn(callback: () => void): void {
  // Not `useSignalEffect`: it runs with the next frame, which tabs in the background don't get.
  useEffect(() => {
    let wasAway = false;
    return effect(() => {
      const isHere = connection.value === 'ok' && session.value?.state === 'signed-in';
      if (isHere && wasAway) untracked(callback);
      wasAway = !isHere;
    });
  }, []);
}

const resourceOf = (key: string) => key.split('?')[0];

export function toApiError(failure: unknown): ApiError {
  if (failure instanceof ApiError) return failure;
  // A bug of ours: the console says where.
  console.error(failure);
  return new ApiError(
    0,
    'internal',
    'This page failed. Reload it, and report it if it fails again.',
  );
}
