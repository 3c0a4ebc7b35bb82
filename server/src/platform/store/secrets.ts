import { randomBytes } from 'node:crypto';
import type { Database } from './database.ts';

/** What this service signs with. Made by whoever needs it first, and the same for every process and after a restart. */
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

/** Makes a new one: what was signed with the old one is void. */
export async function replaceSecret(database: Database, name: string): Promise<void> {
  await database
    .insertInto('secrets')
    .values({ name, value: newValue() })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: newValue() }))
    .execute();
}

const newValue = () => randomBytes(32).toString('base64url');

/** Reads a secret when it is first needed; a failure is not kept. */
export function createSecret(
  database: Database,
  name: string,
  /** So long it is believed to be the same, in milliseconds; for ever where nobody replaces it. */
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
