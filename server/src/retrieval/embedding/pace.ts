/** How many texts to send at once, and how long that may take, from what was measured. */

const start = 4;
const most = 128;
/** A batch that takes about this long loses little when the process is killed. */
const batchMs = 4000;
/** A slow server isn't a broken one: it has this many times what it usually takes. */
const patience = 10;
const leastMs = 60_000;
/** The first answer may wait for the model to load. */
export const loadMs = 600_000;
/** How much the newest batch counts for the speed. */
const newest = 0.25;

export function createPace() {
  let size = start;
  let limit = most;
  let batches = 0;
  let perTextMs = 0;
  return {
    size: () => size,
    /** No batch may be larger. */
    limit(texts: number): void {
      limit = Math.min(limit, texts);
      size = Math.min(size, limit);
    },
    took(texts: number, ms: number): void {
      batches += 1;
      // The first one may have waited for the model to load, which says nothing about its speed.
      perTextMs += (ms / texts - perTextMs) * (batches > 2 ? newest : 1);
      if (texts < size) return;
      const fitting = Math.floor((batchMs * texts) / Math.max(ms, 1));
      size = Math.max(1, Math.min(fitting, 2 * size, limit));
    },
    /** A whole number, as timers want it. */
    timeLimitMs: (texts: number): number =>
      batches === 0 ? loadMs : Math.max(leastMs, Math.ceil(patience * perTextMs * texts)),
    /** Texts per second. */
    perSecond: () => 1000 / Math.max(perTextMs, 0.01),
  };
}
