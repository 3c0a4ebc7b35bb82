/** Runs long work on the reader's page in slices while the page is idle. */

/** Each `yield` is a place where the page may interrupt the work. */
export type Work<Result> = Generator<undefined, Result, undefined>;

/** Far below the 50 ms of a long task, also on a machine that is four times slower. */
const sliceMs = 8;
/** A page that is never idle still gets a slice this often. */
const maxIdleMs = 250;

function whenIdle(then: () => void): void {
  if (typeof requestIdleCallback === 'function') requestIdleCallback(then, { timeout: maxIdleMs });
  else setTimeout(then, 16);
}

/** `undefined` if `signal` fired. `spentMs` excludes the pauses. */
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

/** Runs small work without a pause. */
export function atOnce<Result>(work: Work<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
