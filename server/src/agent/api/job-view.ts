/** A job as people see it: with its title, its pull request, and changes that aren't published. */
import type { JobView } from '@docent/shared/job-pages';
import { createOncePerKey } from '../../platform/once-per-key.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Project } from '../../platform/tenants/projects.ts';
import type { Forges } from '../forge/create-forges.ts';
import { titleOf, userInstructions } from '../jobs/instructions.ts';
import type { Job } from '../jobs/job.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { LinkTo } from '../shares/page-links.ts';
import type { FileDiff } from '../workspace/diff.ts';
import { diffInWorker } from '../workspace/diffs.ts';
import type { FileChange } from '../workspace/tree.ts';
import { toAgentJob } from './show-job.ts';

export interface JobViewDeps {
  database: Database;
  forges: Pick<Forges, 'localForge'>;
  jobs: Pick<Jobs, 'read'>;
  /** Changes of a job that are not published. */
  changesOf: (job: Job, signal?: AbortSignal) => Promise<FileChange[]>;
  linkTo: LinkTo;
}

export type JobViews = ReturnType<typeof createJobViews>;

export function createJobViews({ database, forges, jobs, changesOf, linkTo }: JobViewDeps) {
  const diffs = createOncePerKey<FileDiff[]>(20);
  /** Every change of a job's files has an event. */
  const filesOf = (job: Job) =>
    diffs(`${job.id} ${job.events}`, async () => diffInWorker(await changesOf(job)));

  return {
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
