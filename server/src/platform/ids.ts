import { randomBytes } from 'node:crypto';
import { ulid } from 'ulid';

let lastMs = 0;

/**
 * Makes an ID: a ULID with 80 random bits from the system's generator, so nobody can guess it. Rows are
 * read in the order of their IDs, so the IDs of one process sort in the order in which they were made:
 * the second one of a millisecond, or after a clock was set back, gets the next millisecond. (If the
 * random part counted up instead, whoever has one ID could guess the next.)
 */
export function newId(): string {
  lastMs = Math.max(Date.now(), lastMs + 1);
  const bytes = randomBytes(16).values();
  // 256 values fall evenly on the 32 characters of a ULID.
  return ulid(lastMs, () => (bytes.next().value ?? 0) / 256);
}

const personPrefix = 'user_';

/** The ID of a person. Rows and callers hold it in the place of a key's ID, so the two look different. */
export const newPersonId = (): string => personPrefix + newId();

export const isPersonId = (id: string): boolean => id.startsWith(personPrefix);
