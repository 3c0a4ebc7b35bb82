/** The end of keeping: whoever sets one is rid of everything that a job knew. */
import type { Audit } from '../../platform/audit/audit.ts';
import { system } from '../../platform/audit/entry.ts';
import type { Database } from '../../platform/store/database.ts';
import { forgetMade } from '../../platform/store/idempotency.ts';
import { lockJob } from './states.ts';

/** Jobs looked up in one go; each is deleted in a transaction of its own, so nobody waits for long. */
const atATime = 200;

/** With the largest first: a log may be thousands of rows. The job's own row goes last. */
const tables = ['agent_events', 'agent_messages', 'agent_edits', 'agent_prompts'] as const;

/**
 * Deletes archived jobs that ended before that time, with their instructions, conversation, edits, log
 * and what makes a repeated request the same; gives back how many. The audit trail keeps that they were.
 */
export async function deleteEndedBefore(
  { database, audit }: { database: Database; audit: Pick<Audit, 'record'> },
  time: Date,
): Promise<number> {
  let deleted = 0;
  for (;;) {
    const old = await database
      .selectFrom('agent_jobs')
      .select('id')
      .where('archived_at', 'is not', null)
      .where('finished_at', '<', time.toISOString())
      .orderBy('finished_at')
      .limit(atATime)
      .execute();
    for (const { id } of old) {
      await database.transaction().execute(async (tx) => {
        const job = await lockJob(tx, id);
        // Another process was faster.
        if (!job) return;
        for (const table of tables) {
          await tx.deleteFrom(table).where('job_id', '=', id).execute();
        }
        await forgetMade(tx, [id]);
        await tx.deleteFrom('agent_jobs').where('id', '=', id).execute();
        const { organization, project, status, finished_at: finishedAt } = job;
        await audit.record(tx, [
          {
            organization,
            project,
            job: id,
            actor: system,
            type: 'job.deleted',
            data: { status, finishedAt },
          },
        ]);
        deleted += 1;
      });
    }
    if (old.length < atATime) return deleted;
  }
}
