import { randomBytes } from 'node:crypto';
import type { Database } from './database.ts';

/** A secret that the service signs with. It's created on first use, and stays the same for all processes and restarts. */
export async function readSecret(database: Database, name: string): Promise<string> {
  await database
    .insertInto('secrets')
    .values({ name, value: newValue() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = await database
    .selectFrom('secrets')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return row.value;
}

/** Replaces a secret. What was signed with the old one becomes invalid. */
export async function replaceSecret(database: Database, name: string): Promise<void> {
  await database
    .insertInto('secrets')
    .values({ name, value: newValue() })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: newValue() }))
    .execute();
}

const newValue = () => randomBytes(32).toString('base64url');

/** Reads a secret on first use. A failure isn't cached. */
export function createSecret(
  database: Database,
  name: string,
  /** How long to cache it, in milliseconds; forever if nobody replaces it. */
  keptMs = Infinity,
): () => Promise<string> {
  let secret: Promise<string> | undefined;
  let readAt = 0;
  return () => {
    if (performance.now() - readAt > keptMs) secret = undefined;
    if (secret === undefined) {
      readAt = performance.now();
      secret = readSecret(database, name).catch((error: unknown) => {
        secret = undefined;
        throw error;
      });
    }
    return secret;
  };
}
