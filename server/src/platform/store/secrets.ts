import { randomBytes } from 'node:crypto';
import type { Database } from './database.ts';

/** A secret that the service signs with. It's created on first use, and stays the same for all processes and restarts. */
async function readSecret(database: Database, name: string): Promise<string> {
  await database
    .insertInto('secrets')
    .values({ name, value: randomBytes(32).toString('base64url') })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = await database
    .selectFrom('secrets')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return row.value;
}

/** Reads a secret on first use. A failure isn't cached. */
export function createSecret(database: Database, name: string): () => Promise<string> {
  let secret: Promise<string> | undefined;
  return () =>
    (secret ??= readSecret(database, name).catch((error: unknown) => {
      secret = undefined;
      throw error;
    }));
}
