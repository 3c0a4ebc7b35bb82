import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ModelConfig } from '../config/model-config.ts';
import { loadModel } from './ai-sdk-package.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docent-packages-'));
});
afterAll(() => rm(folder, { recursive: true }));

const model = (version: string) =>
  `{ specificationVersion: '${version}', provider: 'p', modelId: id, supportedUrls: {}, doStream() {}, doGenerate() {} }`;

/** Puts a package where npm would. */
async function install(name: string, code: string, manifest: object = {}): Promise<void> {
  const place = join(folder, 'node_modules', name);
  await mkdir(place, { recursive: true });
  const whole = { name, version: '1.0.0', type: 'module', exports: './index.js', ...manifest };
  await writeFile(join(place, 'package.json'), JSON.stringify(whole));
  await writeFile(join(place, 'index.js'), code);
}

function load(name: string, more: object = {}, key: { apiKey?: string } = {}) {
  const settings = ModelConfig.parse({
    provider: 'ai-sdk',
    package: name,
    model: 'm-1',
    folder,
    ...more,
  });
  if (settings.provider !== 'ai-sdk') throw new Error('Not the form that is tested');
  return loadModel('main', settings, key);
}

test('options and the key reach the function that makes the provider', async () => {
  const code = `export const createPlain = (options) => (id) => ({ ...${model('v4')}, options });
    export const createOldName = createPlain;`;
  await install('plain-provider', code);
  const made = await load('plain-provider', { options: { region: 'eu' } }, { apiKey: 'k' });
  expect(made).toMatchObject({ modelId: 'm-1', options: { region: 'eu', apiKey: 'k' } });
});

test('a provider may be an object, and its package for `import` alone or CommonJS', async () => {
  const object = `{ languageModel: (id) => (${model('v4')}) }`;
  await install('import-only', `export const createIt = () => (${object});`, {
    exports: { '.': { import: './index.js' } },
  });
  await install('common-provider', `module.exports = { createIt: () => (${object}) };`, {
    type: 'commonjs',
  });
  expect(await load('import-only')).toMatchObject({ modelId: 'm-1' });
  expect(await load('common-provider')).toMatchObject({ modelId: 'm-1' });
});

test.each(['v2', 'v3'])('a model of the form %s becomes one of the newest', async (version) => {
  await install(`old-${version}`, `export const createOld = () => (id) => (${model(version)});`);
  const made = await load(`old-${version}`);
  expect(made).toMatchObject({ specificationVersion: 'v4', modelId: 'm-1' });
});

test('a package in our own installation is found too', async () => {
  const made = await load('@ai-sdk/anthropic', {}, { apiKey: 'k' });
  expect(made).toMatchObject({ modelId: 'm-1', provider: 'anthropic.messages' });
});

test('where the package has several functions, `create` says which', async () => {
  const two = `export const createOne = () => (id) => (${model('v4')});
    export const createTwo = () => (id) => ({ ...${model('v4')}, isTwo: true });`;
  await install('two-providers', two);
  await expect(load('two-providers')).rejects.toThrow(
    'models.main.package "two-providers" has several functions that make a provider; write one as "create" (createOne, createTwo)',
  );
  expect(await load('two-providers', { create: 'createTwo' })).toMatchObject({ isTwo: true });
  await expect(load('two-providers', { create: 'createSix' })).rejects.toThrow(
    'models.main.create "createSix" is no function of "two-providers" (createOne, createTwo)',
  );
});

test.each([
  ['not-there', undefined, 'is not installed; run "npm install not-there" in '],
  ['no-provider', 'export const add = 1;', 'has no function that makes a provider'],
  ['no-model', 'export const createX = () => () => ({});', 'makes no language models of the AI'],
  ['broken', 'throw new Error("boom");', 'cannot be loaded: boom'],
])('%s is told with what to write', async (name, code, words) => {
  if (code !== undefined) await install(name, code);
  await expect(load(name)).rejects.toThrow(`models.main.package "${name}" ${words}`);
});

test('what a package says of its options is not repeated: it may hold the key', async () => {
  const code =
    'export const createX = ({ apiKey }) => { throw new TypeError(`bad key ${apiKey}`) };';
  await install('leaky', code);
  const failed = await load('leaky', {}, { apiKey: 'sk-secret' }).catch(
    (error: Error) => error.message,
  );
  expect(failed).toContain('"leaky" does not take these options (TypeError)');
  expect(failed).not.toContain('sk-secret');
});
