/** Looks for something on a page that is not whole yet: as seldom as it can, and not for ever. */

/** A router or a slow page may take this long to show what the address names. */
const maxWaitMs = 8_000;
/** The least pause between two searches, and how many times as long as the last search it is. */
const minPauseMs = 150;
const pausePerPoll = 10;

export interface Polling<Found> {
  /** `spentMs`: how long the page was kept busy for it. */
  poll: (signal: AbortSignal) => Promise<{ found?: Found; spentMs: number }>;
  /** Once: when it is found, or when it is given up. */
  done: (found: Found | undefined) => void;
  /** Ends it without a word. */
  signal: AbortSignal;
}

/**
 * Looks at once, and again only where the page has changed since: never while a poll is going on, and
 * after a pause that is ten times as long as the poll was. So on a page of any size that never rests,
 * it takes a tenth of the time at most. Returns what ends it.
 */
export function pollUntilFound<Found>({ poll, done, signal }: Polling<Found>): () => void {
  const gone = new AbortController();
  const until = performance.now() + maxWaitMs;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isPolling = false;
  /** Since the last poll was begun. */
  let isChanged = true;
  let pauseMs = minPauseMs;

  const stop = () => {
    gone.abort();
    clearTimeout(timer);
    clearTimeout(last);
    observer.disconnect();
  };
  const end = (found?: Found) => {
    stop();
    done(found);
  };
  const pollNow = async () => {
    timer = undefined;
    isPolling = true;
    isChanged = false;
    // What was there is gone by now, or the page is a strange one: then nothing is marked on it.
    const { found, spentMs } = await poll(gone.signal).catch(() => ({
      spentMs: 0,
      found: undefined,
    }));
    isPolling = false;
    if (gone.signal.aborted) return;
    pauseMs = Math.max(minPauseMs, spentMs * pausePerPoll);
    if (found !== undefined) end(found);
    else if (performance.now() >= until) end();
    else if (isChanged) later();
  };
  const later = () => {
    isChanged = true;
    if (!isPolling) timer ??= setTimeout(() => void pollNow(), pauseMs);
  };
  /** What changes in the last moment counts too. */
  const lastPoll = () => {
    if (isPolling) return;
    clearTimeout(timer);
    if (isChanged) void pollNow();
    else end();
  };

  const observer = new MutationObserver(later);
  observer.observe(document.documentElement, {
    childList: true,
    subtree: true,
    characterData: true,
  });
  for (const event of ['popstate', 'hashchange', 'load'])
    addEventListener(event, later, { signal: gone.signal });
  const last = setTimeout(lastPoll, maxWaitMs);
  signal.addEventListener('abort', stop, { signal: gone.signal });
  // After the browser, or the page's router, has gone where the link leads.
  later();
  return stop;
}
