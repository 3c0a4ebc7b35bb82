/** Queries of the pages. */
import type { AgentLogEntry } from '@docent/shared/agent-events';
import type { Database } from '../../platform/store/database.ts';
import { type Job, toJob } from './job.ts';
import type { JobEvents } from './events.ts';

/** The newest job whose pull request has this number. */
export async function jobOfPull(
  database: Database,
  project: string,
  number: number,
): Promise<Job | undefined> {
  const row = await database
    .selectFrom('agent_jobs')
    .selectAll()
    .where('project', '=', project)
    .where('pull_number', '=', number)
    .orderBy('id', 'desc')
    .executeTakeFirst();
  return row && toJob(row);
}

/** Everything that has happened so far, oldest first. */
export async function wholeLog(events: Pick<JobEvents, 'read'>, jobId: string) {
  const log: AgentLogEntry[] = [];
  for (;;) {
    const more = await events.read(jobId, log.at(-1)?.seq ?? 0);
    if (more.length === 0) return log;
    log.push(...more);
  }
}
