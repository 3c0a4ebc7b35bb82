/** For tests of what has jobs: a server process on a database, as far as jobs know it. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { onTestFinished } from 'vitest';
import { quiet } from '../../../testing/each-database.ts';
import { ProjectConfig } from '../../platform/config/project-config.ts';
import { newId } from '../../platform/ids.ts';
import type { Project } from '../../platform/tenants/projects.ts';
import type { Store } from '../../platform/store/database.ts';
import { registerProcess } from '../../platform/store/processes.ts';
import { createJobs } from '../jobs/jobs.ts';
import { createCheckpoints } from './checkpoints.ts';
import { createLeases } from './leases.ts';

export const toProject = (id: string, more: object = {}): Project =>
  ProjectConfig.parse({
    id,
    organization: 'kestrel',
    repository: 'https://github.com/kestrel/docs',
    ...more,
  });

export async function startProcess(
  store: Store,
  {
    now = () => new Date(),
    perProject = 1,
    maxQueueMinutes = 60,
  }: { now?: () => Date; perProject?: number; maxQueueMinutes?: number } = {},
) {
  const { database } = store;
  const processes = await registerProcess({ store, newId, log: quiet });
  await processes.whenOthersDie(async () => {});
  const jobs = createJobs({
    ...store,
    now,
    newId,
    branchName: (prefix, _prompt, id) => prefix + id.toLowerCase(),
  });
  const leases = createLeases({ store, processes, jobs, now, perProject, maxQueueMinutes });
  const checkpoints = createCheckpoints({ database, jobs, now });
  let isGone = false;
  const leave = async () => {
    if (!isGone) await processes.leave();
    isGone = true;
  };
  onTestFinished(leave);

  return {
    jobs,
    leases,
    checkpoints,
    /** Makes a job, and gives back its id. */
    ask: async (project = 'docs', prompt = 'Fix the install page'): Promise<string> => {
      const { job } = await jobs.create({
        project: toProject(project),
        origin: 'api',
        messages: [{ role: 'user', content: prompt }],
      });
      return job.id;
    },
    /** As a step does that takes up what was said. */
    takePrompts: (id: string) =>
      database
        .updateTable('agent_prompts')
        .set({ taken_at: now().toISOString() })
        .where('job_id', '=', id)
        .execute(),
    row: (id: string) =>
      database.selectFrom('agent_jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    /** The others find that it is gone, as after kill -9 and the time that that takes. */
    die: leave,
  };
}

export const nothingUsed = {
  steps: 0,
  inputTokens: 0,
  outputTokens: 0,
  microDollars: 0,
  runMs: 0,
};

/** Takes every question, and never says a word. */
export const silentModel: LanguageModelV4 = {
  specificationVersion: 'v4',
  provider: 'tests',
  modelId: 'silent',
  supportedUrls: {},
  doGenerate: () => new Promise(() => {}),
  doStream: () => Promise.resolve({ stream: new ReadableStream() }),
};
