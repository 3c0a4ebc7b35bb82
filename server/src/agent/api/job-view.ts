/** A job as people see it: with its title, its pull request, and changes that aren't published. */
import type { FileDiff, JobView } from '@docent/shared/job-pages';
import { createOncePerKey } from '../../platform/lru.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Project, Projects } from '../../platform/tenants/projects.ts';
import type { Forges } from '../forge/create-forges.ts';
import { titleOf, userInstructions } from '../jobs/instructions.ts';
import type { Job } from '../jobs/job.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { loadEdits } from '../run/saved-work.ts';
import type { LinkTo } from '../shares/page-links.ts';
import { diffInWorker } from '../workspace/diffs.ts';
import { createOverlay } from '../workspace/overlay.ts';
import type { FileChange } from '../workspace/tree.ts';
import { toAgentJob } from './show-job.ts';

export type JobViews = ReturnType<typeof createJobViews>;

export function createJobViews(deps: {
  database: Database;
  forges: Forges;
  projects: Pick<Projects, 'byId'>;
  jobs: Pick<Jobs, 'read'>;
  linkTo: LinkTo;
}) {
  const { database, forges, projects, jobs, linkTo } = deps;
  const diffs = createOncePerKey<FileDiff[]>(20);
  /** Every change of a job's files has an event. */
  const filesOf = (job: Job) =>
    diffs(`${job.id} ${job.events}`, async () => diffInWorker(await changesOf(job)));

  /**
   * The unpublished changes of a job on top of its commit, even if the job failed. Empty before the job begins
   * and once its edits are published.
   */
  async function changesOf(job: Job, signal?: AbortSignal): Promise<FileChange[]> {
    const project = projects.byId(job.project);
    if (!project || job.sourceCommit === null) return [];
    const edits = await loadEdits(database, job.id);
    if (edits.length === 0) return [];
    const tree = await forges.forProject(project).openTree(job.sourceCommit, signal);
    return createOverlay(tree, edits, signal).changes();
  }

  return {
    changesOf,

    async read(project: Project, id: string): Promise<JobView> {
      const job = await jobs.read(project.id, id);
      const [instructions, pull, files] = await Promise.all([
        userInstructions(database, [job.id], 'first'),
        job.pull ? forges.localForge(project)?.pull(job.pull.number) : undefined,
        // The rest is still of use if the repository can't be reached.
        job.status === 'completed' ? [] : filesOf(job).catch(() => []),
      ]);
      return {
        job: {
          ...toAgentJob(job, linkTo({ kind: 'job', project: project.id, job: job.id })),
          project: project.id,
          baseBranch: job.baseBranch,
          isCancelRequested: job.state === 'cancelling',
          takesWords: job.model !== null,
        },
        title: titleOf(job, instructions.get(job.id)),
        pullState: pull?.state ?? null,
        files,
      };
    },
  };
}
