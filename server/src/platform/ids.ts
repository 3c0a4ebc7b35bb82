import { randomFillSync } from 'node:crypto';
import { ulid } from 'ulid';

/**
 * Makes ids: ULIDs, whose 80 random bits come from the system's generator, so they cannot be guessed.
 * Those of one process sort in the order in which they were made.
 */
export type NewId = () => string;

/** The system is asked for many random bytes at a time: asked for each of the 16 it takes longer than all else. */
const pool = new Uint8Array(4_096);
let used = pool.length;

function random(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  // 256 values fall evenly on the 32 characters of a ULID.
  const value = (pool[used] ?? 0) / 256;
  pool[used] = 0;
  used += 1;
  return value;
}

let lastMs = 0;

/**
 * Rows are read in the order of their ids, so two of one millisecond, or of a clock that was set back,
 * must not swap: the second gets the next millisecond. (The random part counting up would do as well,
 * but then who has one id can guess the next.)
 */
export const newId: NewId = () => {
  lastMs = Math.max(Date.now(), lastMs + 1);
  return ulid(lastMs, random);
};
