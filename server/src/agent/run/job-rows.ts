/** What stands in the rows around a job: its instructions, its conversation, what it has used, its pull requests. */
import type { ModelMessage } from 'ai';
import type { Database } from '../../platform/store/database.ts';
import type { JobRow } from '../jobs/job.ts';
import type { Used } from './budgets.ts';

export function promptsOf(database: Database, jobId: string) {
  return database
    .selectFrom('agent_prompts')
    .select(['id', 'role', 'prompt', 'key_id'])
    .where('job_id', '=', jobId)
    .orderBy('seq');
}

export function waitingOf(database: Database, jobId: string) {
  return promptsOf(database, jobId).where('role', '!=', 'system').where('taken_at', 'is', null);
}

export async function addMessages(
  tx: Database,
  jobId: string,
  messages: readonly ModelMessage[],
): Promise<void> {
  if (messages.length === 0) return;
  const { last } = await tx
    .selectFrom('agent_messages')
    .select((row) => row.fn.max('seq').as('last'))
    .where('job_id', '=', jobId)
    .executeTakeFirstOrThrow();
  const first = Number(last ?? 0) + 1;
  await tx
    .insertInto('agent_messages')
    .values(
      messages.map((message, index) => ({
        job_id: jobId,
        seq: first + index,
        message: JSON.stringify(message),
        is_compacted: 0,
      })),
    )
    .execute();
}

export function usedColumns({ steps, inputTokens, outputTokens, microDollars, runMs }: Used) {
  return {
    steps,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    micro_dollars: microDollars,
    run_ms: runMs,
  };
}

/** A pull request that was merged or closed joins those before it. */
export function pullColumns(
  row: JobRow,
  {
    former,
    pull,
  }: {
    former: { number: number; url: string; head: { branch: string } } | undefined;
    pull: { number: number; url: string } | undefined;
  },
): Partial<JobRow> {
  const columns: Partial<JobRow> = {};
  if (former) {
    const { number, url, head } = former;
    const before = JSON.parse(row.former_pulls) as { number: number }[];
    const others = before.filter((each) => each.number !== number);
    columns.former_pulls = JSON.stringify([...others, { number, url, branch: head.branch }]);
    columns.pull_number = null;
    columns.pull_url = null;
  }
  if (pull) {
    columns.pull_number = pull.number;
    columns.pull_url = pull.url;
  }
  return columns;
}
