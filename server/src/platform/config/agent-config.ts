import { z } from 'zod';
import { count, write } from './fields.ts';
import type { Config } from './schema.ts';

const modelName = z.string(write('the name of one of "models"')).optional();

/** What is to be said if the names of version 1, a faster and a more capable model, mean the same. */
export function sameModels({
  agent,
  projects,
}: Pick<Config, 'agent' | 'projects'>): string | undefined {
  const { sonnet, opus } = agent.models;
  const isSame = projects.some(
    ({ model }) => model !== undefined && (sonnet ?? model) === (opus ?? model),
  );
  return isSame
    ? 'Agent jobs that ask for the model "sonnet" or "opus" run on the same model; name two of your models in agent.models.'
    : undefined;
}

/** Agent jobs of all projects. */
export const AgentConfig = z
  .strictObject(
    {
      /** Jobs that run at the same time in one process. */
      concurrency: count('a number of jobs').default(2),
      /** Jobs of one project that run at the same time, over all processes. */
      perProject: count('a number of jobs').default(1),
      /** A job that waits longer fails. */
      maxQueueMinutes: count('a number of minutes').default(24 * 60),
      /** New jobs and messages of one project in one hour. */
      perProjectAndHour: count('a number of requests').default(100),
      archiveAfterDays: count('a number of days').default(30),
      /** Days after the end of an archived job. */
      deleteAfterDays: z
        .union(
          [z.literal('never'), z.number().int().positive()],
          write('a number of days, or "never"'),
        )
        .default('never'),
      /** The configured models behind the names of version 1. */
      models: z
        .strictObject(
          { sonnet: modelName, opus: modelName },
          write('an object such as { "sonnet": "main" }'),
        )
        .prefault({}),
    },
    write('an object of settings for agent jobs'),
  )
  .prefault({});
