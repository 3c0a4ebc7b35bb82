/** Looks for something on a page that is not whole yet: as seldom as it can, and not for ever. */

/** A router or a slow page may take this long to show what the address names. */
const longestWaitMs = 8_000;
/** The least pause between two looks, and its length beside that of the last one. */
const leastPauseMs = 150;
const pausePerLook = 10;

export interface Looking<Found> {
  /** `spentMs`: how long the page was kept busy for it. */
  look: (signal: AbortSignal) => Promise<{ found?: Found; spentMs: number }>;
  /** Once: when it is found, or when it is given up. */
  done: (found: Found | undefined) => void;
  /** Ends it without a word. */
  signal: AbortSignal;
}

/**
 * Looks at once, and again only where the page has changed since: never while a look is going on, and
 * after a pause that is ten times as long as the look was. So on a page of any size that never rests,
 * it takes a tenth of the time at most. Returns what ends it.
 */
export function lookUntilFound<Found>({ look, done, signal }: Looking<Found>): () => void {
  const gone = new AbortController();
  const until = performance.now() + longestWaitMs;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isLooking = false;
  /** Since the last look was begun. */
  let isChanged = true;
  let pauseMs = leastPauseMs;

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
  const lookNow = async () => {
    timer = undefined;
    isLooking = true;
    isChanged = false;
    // What was there is gone by now, or the page is a strange one: then nothing is marked on it.
    const { found, spentMs } = await look(gone.signal).catch(() => ({
      spentMs: 0,
      found: undefined,
    }));
    isLooking = false;
    if (gone.signal.aborted) return;
    pauseMs = Math.max(leastPauseMs, spentMs * pausePerLook);
    if (found !== undefined) end(found);
    else if (performance.now() >= until) end();
    else if (isChanged) later();
  };
  const later = () => {
    isChanged = true;
    if (!isLooking) timer ??= setTimeout(() => void lookNow(), pauseMs);
  };
  /** What changes in the last moment counts too. */
  const lastLook = () => {
    if (isLooking) return;
    clearTimeout(timer);
    if (isChanged) void lookNow();
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
  const last = setTimeout(lastLook, longestWaitMs);
  signal.addEventListener('abort', stop, { signal: gone.signal });
  // After the browser, or the page's router, has gone where the link leads.
  later();
  return stop;
}
