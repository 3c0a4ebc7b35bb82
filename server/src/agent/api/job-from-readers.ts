import type { Gap } from '@docent/shared/analytics';
import type { CreateJob, Project } from '../../platform/tenants/projects.ts';
import { chunksOf } from '../../platform/store/chunks.ts';
import type { Database } from '../../platform/store/database.ts';
import { toInstruction } from '../jobs/instructions.ts';
import { toJob } from '../jobs/job.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { toAgentJob } from './show-job.ts';

/** The reader's half of the service asks the agent's for a job from what readers said, or for the job that works on it already. */
export function createJobFromReaders(jobs: Jobs): CreateJob {
  return async function jobFromReaders(request) {
    const { prompt, command, existing, onMade, ...rest } = request;
    const known = existing && (await jobs.find(rest.project.id, existing));
    if (known) return { job: toAgentJob(known), isReplay: true };
    const instructions = [toInstruction({ prompt, command })];
    const made = await jobs.create({ ...rest, instructions }, onMade);
    return { job: toAgentJob(made.job), isReplay: made.isReplay };
  };
}

/** It also asks what became of such jobs. Those that were deleted have no entry. */
export function createJobOutcomes(database: Database) {
  return async function outcomesOf(
    project: Project,
    ids: readonly string[],
  ): Promise<Map<string, NonNullable<Gap['job']>>> {
    const found = new Map<string, NonNullable<Gap['job']>>();
    for (const some of chunksOf(ids)) {
      const rows = await database
        .selectFrom('agent_jobs')
        .selectAll()
        .where('project', '=', project.id)
        .where('id', 'in', some)
        .execute();
      for (const { id, status, state, pull, pullState, pullEndedAt, ...job } of rows.map(toJob)) {
        const { createdAt, finishedAt } = job;
        const pullRequest = pull && { ...pull, state: pullState, endedAt: pullEndedAt };
        const stands = { status, isQueued: state === 'queued', createdAt, finishedAt };
        found.set(id, { id, project: project.id, ...stands, pullRequest });
      }
    }
    return found;
  };
}
