import { expect, test } from 'vitest';
import { checkConfig } from '../config/load.ts';
import { createAgentModels } from './agent-models.ts';

const folder = import.meta.dirname;
const site = {
  domain: 'a',
  organization: 'b',
  name: 'C',
  docs: { folder: '.' },
  allowedOrigins: [],
};

function load(models: object, agent: object = {}, variables: Record<string, string> = {}) {
  return checkConfig({ sites: [site], models, agent }, { folder, variables });
}

test('connects each provider with its key and settings', async () => {
  const { config, environment } = load(
    {
      own: { provider: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1', model: 'a' },
      open: { provider: 'openai', model: 'b', contextTokens: 400_000, maxOutputTokens: 9_000 },
      claude: {
        provider: 'anthropic',
        model: 'c',
        price: { inputPerMillion: 3, outputPerMillion: 15 },
      },
      any: { provider: 'ai-sdk', package: '@ai-sdk/anthropic', model: 'd' },
    },
    {},
    { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' },
  );
  const models = createAgentModels(config, environment);
  const known = await Promise.all(
    ['own', 'open', 'claude', 'any'].map((name) => models.forName(name)),
  );
  expect(known.map(({ name, model }) => [name, model.modelId, model.provider])).toEqual([
    ['own', 'a', 'own.chat'],
    ['open', 'b', 'openai.responses'],
    ['claude', 'c', 'anthropic.messages'],
    ['any', 'd', 'anthropic.messages'],
  ]);
  expect(known.map(({ contextTokens }) => contextTokens)).toEqual([
    32_000, 400_000, 128_000, 128_000,
  ]);
  expect(known.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([
    undefined,
    9_000,
    undefined,
    undefined,
  ]);
  expect(known[2]?.price).toEqual({ inputPerMillion: 3, outputPerMillion: 15 });
  expect(await models.forName('own')).toBe(known[0]);
});

test('a job without a model has nothing that reads words', async () => {
  const { config, environment } = load({});
  const models = createAgentModels(config, environment);
  await expect(models.forName(null)).rejects.toMatchObject({ code: 'model_not_configured' });
});

test.each(['gone', 'constructor', '__proto__'])('a job whose model is %s fails', async (name) => {
  const { config, environment } = load({});
  const models = createAgentModels(config, environment);
  await expect(models.forName(name)).rejects.toMatchObject({
    code: 'model_not_configured',
    message: `The model "${name}" of this job is no longer among the configured ones.`,
  });
});

test('a package without a provider fails the job and says what to write', async () => {
  const { config, environment } = load({
    main: { provider: 'ai-sdk', package: 'ulid', model: 'm' },
  });
  const models = createAgentModels(config, environment);
  await expect(models.forName('main')).rejects.toMatchObject({
    code: 'model_not_configured',
    message:
      'The model "main" cannot be used: models.main.package "ulid" has no function that makes a provider; write a package of an AI SDK provider, such as "@ai-sdk/google".',
  });
});
