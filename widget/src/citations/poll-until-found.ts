/** Looks for something on a page that is still changing. */

const maxWaitMs = 8_000;
const minPauseMs = 150;
const pausePerPoll = 10;

export interface Polling<Found> {
  /** `spentMs`: how long the page was busy. */
  poll: (signal: AbortSignal) => Promise<{ found?: Found; spentMs: number }>;
  /** Called once, when it's found or given up. */
  done: (found: Found | undefined) => void;
  signal: AbortSignal;
}

/**
 * Polls at once, and again after the page has changed, with pauses of ten times the last poll. So
 * it never takes more than a tenth of the page's time. Returns a function that stops it.
 */
export function pollUntilFound<Found>({ poll, done, signal }: Polling<Found>): () => void {
  const gone = new AbortController();
  const until = performance.now() + maxWaitMs;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isPolling = false;
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
    // The page has changed in a way that we don't expect, so mark nothing.
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
  // After the browser, or the page's router, has followed the link.
  later();
  return stop;
}
