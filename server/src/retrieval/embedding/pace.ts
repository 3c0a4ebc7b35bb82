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
/** The batches of which the speed is the mean. */
const remembered = 8;

export function createPace() {
  let size = start;
  let limit = most;
  let batches = 0;
  const recent: { texts: number; ms: number }[] = [];
  const perTextMs = (): number | undefined => {
    const texts = recent.reduce((sum, one) => sum + one.texts, 0);
    return texts === 0 ? undefined : recent.reduce((sum, one) => sum + one.ms, 0) / texts;
  };
  return {
    size: () => size,
    /** No batch may be larger. */
    limit(texts: number): void {
      limit = Math.min(limit, texts);
      size = Math.min(size, limit);
    },
    took(texts: number, ms: number): void {
      recent.push({ texts, ms });
      batches += 1;
      // The first one may have waited for the model to load, which says nothing about its speed.
      if (batches === 2 || recent.length > remembered) recent.shift();
      if (texts < size) return;
      const fitting = Math.floor((batchMs * texts) / Math.max(ms, 1));
      size = Math.max(1, Math.min(fitting, 2 * size, limit));
    },
    /** A whole number, as timers want it. */
    timeLimitMs(texts: number): number {
      const each = perTextMs();
      return each === undefined ? loadMs : Math.max(leastMs, Math.ceil(patience * each * texts));
    },
    /** Texts per second; `undefined` before the first batch. */
    perSecond(): number | undefined {
      const each = perTextMs();
      return each === undefined ? undefined : 1000 / Math.max(each, 0.01);
    },
  };
}
