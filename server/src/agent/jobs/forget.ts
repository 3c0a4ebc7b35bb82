/** Deletes jobs whose retention has ended. */
import { type Audit, system } from '../../notify/audit/audit.ts';
import type { Database } from '../../platform/store/database.ts';
import { forgetMade } from '../../platform/store/idempotency.ts';
import { lockJob } from './states.ts';
import { sql } from 'kysely';
import { forgetInDeliveries } from '../../notify/webhooks/deliveries.ts';
import type { ForgetWords } from '../../platform/tenants/projects.ts';

/** Jobs per query. Each is deleted in its own transaction, so that no lock is held for long. */
const atATime = 200;

/** The largest first: a log may have thousands of rows. The job's own row comes last. */
const tables = ['agent_events', 'agent_messages', 'agent_edits', 'agent_instructions'] as const;

/**
 * Deletes archived jobs that ended before that time, with their instructions, conversation, edits, log
 * and idempotency keys; returns how many. The audit trail still shows that they existed.
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
        // Another process has deleted it.
        if (!job) return;
        for (const table of tables) {
          await tx.deleteFrom(table).where('job_id', '=', id).execute();
        }
        await forgetMade(tx, [id]);
        await tx.deleteFrom('agent_jobs').where('id', '=', id).execute();
        const { organization, project, state: status, finished_at: finishedAt } = job;
        await audit.record(tx, {
          organization,
          project,
          job: id,
          actor: system,
          type: 'job.deleted',
          data: { status, finishedAt },
        });
        deleted += 1;
      });
    }
    if (old.length < atATime) return deleted;
  }
}

const deleted = '[deleted]';

/** What may hold a reader's words, as such and in JSON, which escapes quotation marks. */
const holders = [
  ['agent_jobs', 'id', ['title', 'message', 'summary', 'notice'], ['todos', 'failure']],
  ['agent_instructions', 'job_id', ['content'], []],
  ['agent_messages', 'job_id', [], ['message']],
  ['agent_events', 'job_id', [], ['data']],
] as const;

/** Removes a reader's words from an agent job: from its row, its instructions, its conversation, its log, and its webhooks. */
export const forgetWords: ForgetWords = async function forgetWords(
  tx: Database,
  jobId: string,
  texts: readonly string[],
): Promise<void> {
  for (const text of texts) {
    const inJson = JSON.stringify(text).slice(1, -1);
    const without = (columns: readonly string[], words: string) =>
      columns.map((name) => [name, sql<string>`replace(${sql.ref(name)}, ${words}, ${deleted})`]);
    for (const [table, key, plain, json] of holders) {
      const change = Object.fromEntries([...without(plain, text), ...without(json, inJson)]);
      await tx.updateTable(table).set(change).where(key, '=', jobId).execute();
    }
    await forgetInDeliveries(tx, jobId, { text: inJson, instead: deleted });
  }
};
