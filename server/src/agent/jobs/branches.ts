/** One branch has one active job at a time: two would overwrite each other's pull request. */
import { DocentError } from '../../platform/errors.ts';
import type { Database } from '../../platform/store/database.ts';
import { lockUntilCommit } from '../../platform/store/lease.ts';
import { activeStates } from './states.ts';

/** Another active job that works on the branch. A job doesn't conflict with itself. */
async function otherOn(
  database: Database,
  { id = '', project, branch }: { id?: string | undefined; project: string; branch: string },
): Promise<string | undefined> {
  const other = await database
    .selectFrom('agent_jobs')
    .select('id')
    .where('project', '=', project)
    .where('branch', '=', branch)
    .where('state', 'in', activeStates)
    .where('id', '!=', id)
    .executeTakeFirst();
  return other?.id;
}

export async function isBranchBusy(
  database: Database,
  { id, project }: { id: string; project: string },
  branch: string,
): Promise<boolean> {
  return (await otherOn(database, { id, project, branch })) !== undefined;
}

/**
 * Rejects with `conflict` if another active job works on the branch. Otherwise no other job can take the
 * branch before the transaction ends. A new job has no id yet.
 */
export async function holdBranch(
  tx: Database,
  { id, project, branch }: { id?: string; project: string; branch: string },
): Promise<void> {
  // Without the lock, two requests at the same moment wouldn't see each other's job.
  await lockUntilCommit(tx, `agent jobs: branches of ${project}`);
  const other = await otherOn(tx, { id, project, branch });
  if (other === undefined) return;
  throw new DocentError(
    'conflict',
    id === undefined
      ? `The job ${other} works on the branch ${branch}; send it a message, or name another branch.`
      : `Another job, ${other}, works on the branch ${branch} now; send that one the message, wait for its end, or create a new job.`,
  );
}
