/** For tests of what has jobs: a server process on a database, as far as jobs know it. */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { onTestFinished } from 'vitest';
import { quiet } from './each-database.ts';
import { ProjectConfig } from '../src/platform/config/project-config.ts';
import type { Project } from '../src/platform/tenants/projects.ts';
import type { Store } from '../src/platform/store/database.ts';
import { registerProcess } from '../src/platform/store/processes.ts';
import { createJobs } from '../src/agent/jobs/jobs.ts';
import { createCheckpoints } from '../src/agent/run/checkpoints.ts';
import { createLeases } from '../src/agent/run/leases.ts';

export const toProject = (id: string, more: object = {}): Project =>
  ProjectConfig.parse({
    id,
    organization: 'kestrel',
    repository: 'https://github.com/kestrel/docs',
    model: 'main',
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
  const processes = await registerProcess({ store, log: quiet });
  await processes.whenOthersDie(async () => {});
  const jobs = createJobs({
    ...store,
    now,
  });
  const leases = createLeases({ store, processes, jobs, now, perProject, maxQueueMinutes });
  const checkpoints = createCheckpoints({ jobs, now });
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
        instructions: [{ role: 'user', content: prompt }],
      });
      return job.id;
    },
    /** As a step does that takes up what was said. */
    takeInstructions: (id: string) =>
      database
        .updateTable('agent_instructions')
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

/** A call of a tool: its name and its input. */
export type Call = [name: string, input: object];

/** A model that calls tools as the test says, by what it is asked. */
export function modelThat(answer: (asked: Asked) => Call[] | Promise<Call[]>): LanguageModelV4 {
  let calls = 0;
  return {
    specificationVersion: 'v4',
    provider: 'tests',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('agents stream')),
    async doStream({ prompt }) {
      const parts: LanguageModelV4StreamPart[] = [
        { type: 'stream-start', warnings: [] },
        ...(await answer(toAsked(prompt))).map(([toolName, input]) => ({
          type: 'tool-call' as const,
          toolCallId: `call-${(calls += 1)}`,
          toolName,
          input: JSON.stringify(input),
        })),
        {
          type: 'finish',
          finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
          usage: {
            inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
            outputTokens: { total: 2, text: 2, reasoning: undefined },
          },
        },
      ];
      return {
        stream: new ReadableStream({
          start(controller) {
            for (const part of parts) controller.enqueue(part);
            controller.close();
          },
        }),
      };
    },
  };
}

export interface Asked {
  /** Texts of the users and notices of the service, oldest first. */
  said: string[];
  /** Whether the model has not answered since the last of them. */
  isNew: boolean;
}

function toAsked(prompt: LanguageModelV4CallOptions['prompt']): Asked {
  const said = prompt.flatMap((message) =>
    message.role === 'user'
      ? message.content.map((part) => (part.type === 'text' ? part.text : ''))
      : [],
  );
  return { said, isNew: prompt.at(-1)?.role === 'user' };
}
