/**
 * Makes one thing for one `Idempotency-Key`, however often the request is sent, and to however many
 * processes. The row with the key is written in the transaction that makes the thing.
 */
import { digestOf } from '../hash.ts';
import { dayMs } from '../time.ts';
import { DocentError } from '../errors.ts';
import { chunksOf, type Database } from './database.ts';

export interface KeyedRequest {
  /** What the request makes, and where. */
  scope: string;
  /** The client's key, with what identifies the client. */
  key: string;
  /** With the same key, it must be the same. */
  body: unknown;
}

/** Notes the id of what was made, in the transaction that makes it. */
export type NoteMade = (transaction: Database, id: string) => Promise<void>;

/** Rolls back what was made if another attempt was faster. */
class Overtaken extends Error {}

/**
 * Runs `make`, or returns the id of what the same request made before. Of several attempts at the same
 * time, one makes the thing; the others wait for its row and roll back.
 */
export async function makeOnce(
  { database, now }: { database: Database; now: () => Date },
  request: KeyedRequest | undefined,
  make: (note: NoteMade) => Promise<string>,
): Promise<{ id: string; isReplay: boolean }> {
  if (request === undefined) return { id: await make(async () => {}), isReplay: false };
  const before = await findMade(database, request);
  if (before !== undefined) return { id: before, isReplay: true };
  const { scope, key, body } = digestsOf(request);
  let noted: string | undefined;
  try {
    const id = await make(async (transaction, made) => {
      const { numInsertedOrUpdatedRows } = await transaction
        .insertInto('idempotency_keys')
        .values({ scope, key, body, made, created_at: now().toISOString() })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow();
      if (Number(numInsertedOrUpdatedRows) === 0) throw new Overtaken();
      noted = made;
    });
    return { id, isReplay: false };
  } catch (error) {
    // It failed after its transaction, so the client may send the request again.
    if (noted !== undefined) {
      await database
        .deleteFrom('idempotency_keys')
        .where('scope', '=', scope)
        .where('key', '=', key)
        .where('made', '=', noted)
        .execute();
    }
    // This attempt may also conflict with what the faster one made.
    const isInTheWay = error instanceof DocentError && error.code === 'conflict';
    if (!(error instanceof Overtaken) && !isInTheWay) throw error;
    const made = await findMade(database, request);
    if (made === undefined) throw error;
    return { id: made, isReplay: true };
  }
}

/** The ID of what this request made. Rejects if its key came with another body. */
async function findMade(database: Database, request: KeyedRequest): Promise<string | undefined> {
  const { scope, key, body } = digestsOf(request);
  const row = await database
    .selectFrom('idempotency_keys')
    .select(['body', 'made'])
    .where('scope', '=', scope)
    .where('key', '=', key)
    .executeTakeFirst();
  if (row && row.body !== body) {
    throw new DocentError(
      'conflict',
      'This `Idempotency-Key` was sent before with another body; send a new key with a new request.',
    );
  }
  return row?.made;
}

/** Call it when the things are deleted. Then a request with one of their keys makes a new one. */
export async function forgetMade(database: Database, ids: readonly string[]): Promise<void> {
  for (const some of chunksOf(ids)) {
    await database.deleteFrom('idempotency_keys').where('made', 'in', some).execute();
  }
}

/** Deletes keys after a day, when no client sends the request again. */
export async function deleteOldKeys(database: Database, scope: string, now: Date): Promise<void> {
  const before = new Date(now.getTime() - dayMs).toISOString();
  await database
    .deleteFrom('idempotency_keys')
    .where('scope', '=', scope)
    .where('created_at', '<', before)
    .execute();
}

export function keyDigest(scope: string, key: string): string {
  return digestOf([scope, key]);
}

/** The body's digest contains the key, so nobody can guess the words of a question. */
function digestsOf({ scope, key, body }: KeyedRequest) {
  return { scope, key: keyDigest(scope, key), body: digestOf([scope, key, body]) };
}
