/** One branch has one active job at a time: two would overwrite each other's pull request. */
import { DocentError } from '../../platform/errors.ts';
import type { Database } from '../../platform/store/database.ts';
import { lockUntilCommit } from '../../platform/store/lock.ts';
import { activeStates } from './states.ts';

interface Wanted {
  project: string;
  branch: string;
  /** The job that wants the branch; it doesn't conflict with itself. */
  jobId?: string | undefined;
}

/** Another active job that works on the branch. */
async function workerOf(
  database: Database,
  { project, branch, jobId }: Wanted,
): Promise<string | undefined> {
  const other = await database
    .selectFrom('agent_jobs')
    .select('id')
    .where('project', '=', project)
    .where('branch', '=', branch)
    .where('state', 'in', activeStates)
    .$if(jobId !== undefined, (jobs) => jobs.where('id', '!=', jobId ?? ''))
    .executeTakeFirst();
  return other?.id;
}

/** Whether another active job works on the branch. */
export async function isBranchBusy(
  database: Database,
  { id, project }: { id: string; project: string },
  branch: string,
): Promise<boolean> {
  return (await workerOf(database, { project, branch, jobId: id })) !== undefined;
}

/**
 * Rejects with `conflict` if another active job works on the branch. Otherwise no other job can take the
 * branch before the transaction ends.
 */
export async function holdBranch(tx: Database, wanted: Wanted): Promise<void> {
  // Without the lock, two requests at the same moment wouldn't see each other's job.
  await lockUntilCommit(tx, `agent jobs: branches of ${wanted.project}`);
  const other = await workerOf(tx, wanted);
  if (other === undefined) return;
  throw new DocentError(
    'conflict',
    wanted.jobId === undefined
      ? `The job ${other} works on the branch ${wanted.branch}; send it a message, or name another branch.`
      : `Another job, ${other}, works on the branch ${wanted.branch} now; send that one the message, wait for its end, or create a new job.`,
  );
}
