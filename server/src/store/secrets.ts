import { randomBytes } from 'node:crypto';
import type { Database } from './database.ts';

/** What this service signs with. Made by whoever needs it first, and the same for every process and after a restart. */
export async function readSecret(database: Database, name: string): Promise<string> {
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

/** Reads a secret when it is first needed; a failure is not kept. */
export function createSecret(database: Database, name: string): () => Promise<string> {
  let secret: Promise<string> | undefined;
  return () => {
    secret ??= readSecret(database, name).catch((error: unknown) => {
      secret = undefined;
      throw error;
    });
    return secret;
  };
}
