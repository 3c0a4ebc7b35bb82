/** Long work on somebody's page: done in slices, while the page itself has nothing to do. */

/** Each `yield` is a place where it may be interrupted. */
export type Work<Result> = Generator<undefined, Result, undefined>;

/** Far below the 50 ms from which a page feels stuck, also on a machine that is four times slower. */
const sliceMs = 8;
/** A page that is never idle is worked on all the same, a slice at a time. */
const maxIdleMs = 250;

/** Safari has no idle callbacks. */
function whenIdle(then: () => void): void {
  if (typeof requestIdleCallback === 'function') requestIdleCallback(then, { timeout: maxIdleMs });
  else setTimeout(then, 16);
}

/** `undefined` where `signal` fired. `spentMs`: without the pauses between the slices. */
export function inSlices<Result>(
  work: Work<Result>,
  signal: AbortSignal,
): Promise<{ result: Result; spentMs: number } | undefined> {
  let spentMs = 0;
  return new Promise((resolve, reject) => {
    const slice = () => {
      if (signal.aborted) return resolve(undefined);
      const begun = performance.now();
      try {
        do {
          const { done, value } = work.next();
          if (!done) continue;
          return resolve({ result: value, spentMs: spentMs + performance.now() - begun });
        } while (performance.now() - begun < sliceMs);
      } catch (error) {
        return reject(error as Error);
      }
      spentMs += performance.now() - begun;
      whenIdle(slice);
    };
    whenIdle(slice);
  });
}

/** The same at once, for what is small. */
export function atOnce<Result>(work: Work<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
