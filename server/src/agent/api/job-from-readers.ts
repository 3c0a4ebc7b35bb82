import type { Gap } from '@docent/shared/analytics';
import type { CreateJob, Project } from '../../platform/tenants/projects.ts';
import type { Forges } from '../forge/create-forges.ts';
import { toInstruction } from '../jobs/instructions.ts';
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

/** How long the host of a repository may take while a person waits for a list. */
const maxHostMs = 3_000;

/** A page that stays open asks every few seconds. */
const askAgainMs = 60_000;

const unknown = { state: 'open' as 'open' | 'merged' | 'closed', endedAt: null as string | null };

/** It also asks what became of such a job. `undefined`: the job was deleted. */
export function createJobOutcomes({ jobs, forges }: { jobs: Jobs; forges: Forges }) {
  /** Pull requests as they were; of a merged one, that stays so. A host allows few questions an hour. */
  const known = new Map<string, { pull: typeof unknown; until: number }>();

  return async function outcomeOf(
    project: Project,
    jobId: string,
  ): Promise<Gap['job'] | undefined> {
    const job = await jobs.find(project.id, jobId);
    if (!job) return undefined;
    const { id, status, pull } = job;
    const shown = { id, project: project.id, status, pullRequest: null };
    if (!pull) return shown;
    const key = `${project.id} ${pull.number}`;
    let { pull: now, until } = known.get(key) ?? { pull: unknown, until: 0 };
    if (until < Date.now()) {
      const signal = AbortSignal.timeout(maxHostMs);
      const found = await forges
        .forProject(project)
        .readPullRequest(pull.number, signal)
        .catch(() => undefined);
      if (found) now = { state: found.state, endedAt: found.endedAt ?? null };
      // A repository on this machine may be asked as often as somebody looks.
      const askAgain = forges.localForge(project) ? 0 : Date.now() + askAgainMs;
      until = now.state === 'merged' ? Infinity : askAgain;
      known.set(key, { pull: now, until });
    }
    return { ...shown, pullRequest: { ...pull, ...now } };
  };
}
