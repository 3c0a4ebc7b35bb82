import { createOverlay } from '../workspace/overlay.ts';
import type { FileChange } from '../workspace/tree.ts';
import type { Forges } from '../forge/create-forges.ts';
import type { Projects } from '../../platform/tenants/projects.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Job } from '../jobs/job.ts';
import { loadEdits } from '../run/saved-work.ts';

/**
 * The unpublished changes of a job on top of its commit, even if the job failed. Empty before the job begins
 * and once its edits are published.
 */
export function createJobChanges(deps: {
  database: Database;
  forges: Pick<Forges, 'forProject'>;
  projects: Pick<Projects, 'byId'>;
}) {
  const { database, forges, projects } = deps;

  return async (job: Job, signal?: AbortSignal): Promise<FileChange[]> => {
    const project = projects.byId(job.project);
    if (!project || job.sourceCommit === null) return [];
    const edits = await loadEdits(database, job.id);
    if (edits.length === 0) return [];
    const tree = await forges.forProject(project).openTree(job.sourceCommit, signal);
    return createOverlay(tree, edits, signal).changes();
  };
}
