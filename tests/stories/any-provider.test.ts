/** Answers from AI SDK providers that are installed next to the configuration file. */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkConfig, ConfigError } from '@docent/server/docent';
import { expect, test } from 'vitest';
import { kestrel } from '../support/fixture.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import { startDocent } from '../support/start-docent.ts';

/** The folder of the tests’ own packages, which the server doesn’t depend on. */
const installation = dirname(fileURLToPath(new URL('.', import.meta.url)));

test.each(['@ai-sdk/groq', 'groq-of-ai-5'])('%s answers a reader', async (name) => {
  await using model = await startScriptedModel(['Kestrel is installed', ' with one command. [1]']);
  await using docent = await startDocent({
    models: {
      main: {
        provider: 'ai-sdk',
        package: name,
        folder: installation,
        model: 'llama-9',
        apiKeyEnv: 'GROQ_TEST_KEY',
        options: { baseURL: model.url },
      },
    },
    variables: { GROQ_TEST_KEY: 'key-of-groq' },
  });
  const { text } = await docent.ask('How do I install Kestrel?');
  expect(text).toContain('Kestrel is installed with one command.');
  expect(model.last.headers.authorization).toBe('Bearer key-of-groq');
  expect(model.last.body.model).toBe('llama-9');
});

test('a missing package is reported before the start', () => {
  const models = { main: { provider: 'ai-sdk', package: '@ai-sdk/not-there', model: 'llama-9' } };
  const check = () =>
    checkConfig({ sites: [kestrel], models }, { folder: '/', variables: {}, where: 'It' });
  expect(check).toThrow(ConfigError);
  expect(check).toThrow(
    'models.main.package "@ai-sdk/not-there" is not installed; run "npm install @ai-sdk/not-there" in /, or write the folder that it is installed in as "folder"',
  );
});
