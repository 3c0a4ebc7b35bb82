/** What automations added to a pull request, as its description shows it. */
import type { Database } from '../../platform/store/database.ts';
import type { Job } from '../jobs/job.ts';

export interface TimelineEntry {
  at: string;
  /** The automation's name, and why it began. */
  cause: string;
  change: string;
}

/** Oldest first, with what the job adds now. */
export async function timelineOf(
  database: Database,
  { id, title }: Pick<Job, 'id' | 'title'>,
): Promise<TimelineEntry[]> {
  const rows = await database
    .selectFrom('agent_automation_runs as run')
    .innerJoin('agent_automations as automation', 'automation.id', 'run.automation_id')
    .innerJoin('agent_instructions as said', (join) =>
      join
        .onRef('said.job_id', '=', 'run.job_id')
        .onRef('said.seq', '=', 'run.instruction')
        .on('said.taken_at', 'is not', null),
    )
    .select(['run.created_at', 'run.cause_text', 'run.change', 'automation.name'])
    .where('run.job_id', '=', id)
    .where('run.outcome', 'in', ['started', 'added'])
    .orderBy('run.id')
    .execute();
  return rows.map(({ created_at: at, cause_text: why, change, name }) => ({
    at,
    cause: `${name}: ${why}`,
    change: change ?? title ?? '',
  }));
}
