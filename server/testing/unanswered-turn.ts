import type { Database } from '../src/platform/store/database.ts';
import { joinGap } from '../src/reader/gaps/join-gap.ts';

/** Ends a turn of the thread `t` without an answer, and joins it to its gap, in one transaction. */
export async function endUnanswered(
  database: Database,
  turn: { id: string; domain: string; question: string },
  createdAt: string,
): Promise<void> {
  const { domain } = turn;
  await database
    .insertInto('threads')
    .values({ id: 't', domain, fp: 'jo', created_at: createdAt })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await database.transaction().execute(async (tx) => {
    await tx
      .insertInto('turns')
      .values({
        ...turn,
        thread_id: 't',
        status: 'complete',
        outcome: 'unanswered',
        context: '[]',
        answer: '',
        sources: '[]',
        model: 'm',
        owner: 'me',
        created_at: createdAt,
      })
      .execute();
    await joinGap(tx, { ...turn, createdAt });
  });
}
