/**
 * Questions that are asked again, as rows: each waits for an index run, is claimed by one process, and ends
 * once. What came of it is noted at the questions of the gap, so that no view has to work it out.
 */
import type { Selectable } from 'kysely';
import { newId } from '../../platform/ids.ts';
import { dayMs } from '../../platform/time.ts';
import { chunksOf, type Database } from '../../platform/store/database.ts';
import type { Tables } from '../../platform/store/tables.ts';
import { joinGap, lockGaps, settleGap } from './join-gap.ts';

export type Ask = Selectable<Tables['gap_asks']>;

/** What a question is asked again for. */
export interface Cause extends Pick<
  Tables['gap_asks'],
  'domain' | 'kind' | 'cause' | 'since' | 'needs'
> {}

/** The gaps' questions without an answer: each wording once, the newest first. */
export async function queueGaps(
  tx: Database,
  gapIds: readonly string[],
  cause: Cause,
  at: Date,
  most: number,
): Promise<number> {
  if (most === 0 || gapIds.length === 0) return 0;
  await lockGaps(tx, cause.domain);
  const rows = await questionsOf(tx, gapIds);
  const waiting = await tx
    .selectFrom('gap_asks')
    .select('turn_id')
    .where('state', '=', 'waiting')
    .where('kind', '=', 'again')
    .where('domain', '=', cause.domain)
    .execute();
  const asked = new Set(waiting.map(({ turn_id }) => turn_id));
  const open = rows.filter(({ answered_by }) => answered_by === null);
  // An owner may ask again what had an answer.
  const wanted = Map.groupBy(open.length > 0 ? open : rows, wordingOf).values();
  const chosen = [...wanted].filter((same) => !same.some(({ id }) => asked.has(id)));
  const ids = chosen.slice(0, most).flatMap(([first]) => first?.id ?? []);
  return queueTurns(tx, ids, cause, at);
}

/** Those that were queued for the same cause before aren't queued again. */
export async function queueTurns(
  tx: Database,
  turnIds: readonly string[],
  cause: Cause,
  at: Date,
): Promise<number> {
  let queued = 0;
  for (const some of chunksOf(turnIds, 100)) {
    const created_at = at.toISOString();
    const rows = some.map((turn_id) => ({
      ...cause,
      id: newId(),
      turn_id,
      state: 'waiting' as const,
      created_at,
      attempts: 0,
      answer: '',
      sources: '[]',
      commits: '[]',
      micro_dollars: 0,
      is_lost: 0,
    }));
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto('gap_asks')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['turn_id', 'cause']).doNothing())
      .executeTakeFirstOrThrow();
    queued += Number(numInsertedOrUpdatedRows ?? 0);
  }
  return queued;
}

const wordingOf = ({ gap_id, question }: { gap_id: string; question: string }) =>
  `${gap_id} ${question}`;

/** The questions of gaps that readers didn't replace, newest first. */
const questionsOf = (tx: Database, gapIds: readonly string[]) =>
  tx
    .selectFrom('gap_questions')
    .innerJoin('turns', 'turns.id', 'gap_questions.turn_id')
    .select(['turns.id', 'turns.question', 'gap_id', 'answered_by'])
    .where('gap_id', 'in', gapIds)
    .where('turns.replaced_by', 'is', null)
    .orderBy('turns.id', 'desc')
    .limit(5_000)
    .execute();

export type Found = Pick<
  Ask,
  'outcome' | 'answer' | 'sources' | 'model' | 'micro_dollars' | 'indexed_at' | 'commits'
>;

/** Ends an ask in one transaction; `false` if this process lost it to another. */
export async function endAsk(
  database: Database,
  ask: Pick<Ask, 'id' | 'owner' | 'domain' | 'kind' | 'turn_id'>,
  found: Found,
  at: Date,
): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    await lockGaps(tx, ask.domain);
    const isAnswered = found.outcome === 'answered';
    const isLost = ask.kind === 'check' && !isAnswered;
    const finished_at = at.toISOString();
    const { numUpdatedRows } = await tx
      .updateTable('gap_asks')
      .set({ ...found, state: 'done', is_lost: isLost ? 1 : 0, finished_at })
      .set({ owner: null, lease_until: null })
      .where('id', '=', ask.id)
      .where('owner', '=', ask.owner)
      .where('state', '=', 'waiting')
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    if (ask.kind === 'check' && !isLost) return true;
    const turn = await tx
      .selectFrom('turns')
      .select(['id', 'domain', 'question', 'created_at as createdAt'])
      .where('id', '=', ask.turn_id)
      .executeTakeFirst();
    if (!turn) return true;
    if (isLost && !(await gapOf(tx, turn.id))) await joinGap(tx, turn);
    const gap = await gapOf(tx, turn.id);
    if (!gap) return true;
    const same = (await questionsOf(tx, [gap])).filter((one) => one.question === turn.question);
    for (const some of chunksOf(same)) {
      const ids = some.map(({ id }) => id);
      await tx
        .updateTable('gap_questions')
        .set({ asked_at: finished_at, answered_by: isAnswered ? ask.id : null })
        .where('turn_id', 'in', ids)
        .execute();
    }
    if (isLost) {
      const lost = tx.updateTable('gap_questions').set({ lost_by: ask.id });
      await lost.where('turn_id', '=', turn.id).execute();
    }
    await settleGap(tx, gap, at);
    return true;
  });
}

async function gapOf(tx: Database, turnId: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom('gap_questions')
    .select('gap_id')
    .where('turn_id', '=', turnId)
    .executeTakeFirst();
  return row?.gap_id;
}

/** The gaps that these jobs work on. */
export async function gapsOfJobs(tx: Database, jobIds: readonly string[]): Promise<string[]> {
  const rows = await tx
    .selectFrom('reader_jobs')
    .innerJoin('gap_questions', 'gap_questions.turn_id', 'reader_jobs.turn_id')
    .select('gap_id')
    .distinct()
    .where('job_id', 'in', [...jobIds, ''])
    .execute();
  return rows.map(({ gap_id }) => gap_id);
}

/** Checks that lost nothing are of no use later. */
export async function deleteOldChecks(database: Database, now: Date): Promise<void> {
  await database
    .deleteFrom('gap_asks')
    .where('kind', '=', 'check')
    .where('is_lost', '=', 0)
    .where('state', '!=', 'waiting')
    .where('finished_at', '<', new Date(now.getTime() - 30 * dayMs).toISOString())
    .execute();
}
