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
    const old = await tree.read(
      edits.map(({ path }) => path),
      signal,
    );
    return edits.flatMap(({ path, content, movedFrom }): FileChange[] => {
      const before = old.get(path);
      const after = content ?? undefined;
      if (after === undefined) {
        return before ? [{ path, kind: 'deleted', before, after }] : [];
      }
      if (before?.equals(after)) return [];
      if (before) return [{ path, kind: 'modified', before, after }];
      return [
        { path, kind: 'added', before, after, ...(movedFrom !== null && { from: movedFrom }) },
      ];
    });
  };
}
