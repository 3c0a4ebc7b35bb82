import { randomFillSync } from 'node:crypto';
import { ulid } from 'ulid';

/** Makes ids: ULIDs, whose 80 random bits come from the system's generator, so they cannot be guessed. */
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

export const newId: NewId = () => ulid(undefined, random);
