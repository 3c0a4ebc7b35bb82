/** One request that is sent twice makes one thing: `Idempotency-Key` with what it was sent to. */
import { createHash } from 'node:crypto';
import { DocentError } from '../../errors.ts';
import type { Database } from '../../store/database.ts';

interface Attempt {
  database: Database;
  at: string;
  project: string;
  /** The caller's key with what it was sent to; `undefined`: there is none, so each attempt counts. */
  request: string | undefined;
  hash: string;
}

/** Notes, in the transaction of `create`, that this request made that job. */
type Record = (tx: Database, jobId: string) => Promise<void>;

/** Thrown to undo what was made where another attempt was faster. */
class Overtaken extends Error {}

/**
 * Runs `create`, or gives back what the same request made before. Of several at once one creates; the
 * others wait for it on the row's key, and undo what they have begun.
 */
export async function createOrReplay(
  attempt: Attempt,
  create: (record: Record) => Promise<string>,
): Promise<{ id: string; isReplay: boolean }> {
  const { database, at, project, request, hash } = attempt;
  if (request === undefined) return { id: await create(async () => {}), isReplay: false };
  const before = await find(attempt, request);
  if (before !== undefined) return { id: before, isReplay: true };
  try {
    const id = await create(async (tx, jobId) => {
      const { numInsertedOrUpdatedRows } = await tx
        .insertInto('agent_requests')
        .values({ project, request_key: request, body_hash: hash, job_id: jobId, created_at: at })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow();
      if (Number(numInsertedOrUpdatedRows) === 0) throw new Overtaken();
    });
    return { id, isReplay: false };
  } catch (error) {
    // What the first attempt has made may also be what refuses the others: its branch is busy.
    const isInTheWay = error instanceof DocentError && error.code === 'conflict';
    if (!(error instanceof Overtaken) && !isInTheWay) throw error;
    const made = await find({ ...attempt, database }, request);
    if (made === undefined) throw error;
    return { id: made, isReplay: true };
  }
}

async function find(
  { database, project, hash }: Attempt,
  request: string,
): Promise<string | undefined> {
  const row = await database
    .selectFrom('agent_requests')
    .select(['body_hash', 'job_id'])
    .where('project', '=', project)
    .where('request_key', '=', request)
    .executeTakeFirst();
  if (row && row.body_hash !== hash) {
    throw new DocentError(
      'conflict',
      'This `Idempotency-Key` was sent before with another body; send a new key with a new request.',
    );
  }
  return row?.job_id;
}

/** The same for the same request, whichever version of the API it came by. */
export function bodyHash(body: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(body)).digest('hex');
}
