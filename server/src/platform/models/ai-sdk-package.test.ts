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

/** Writes a package where npm would install it. */
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

test('passes options and the key to the function that creates the provider', async () => {
  const code = `export const createPlain = (options) => (id) => ({ ...${model('v4')}, options });
    export const createOldName = createPlain;`;
  await install('plain-provider', code);
  const made = await load('plain-provider', { options: { region: 'eu' } }, { apiKey: 'k' });
  expect(made).toMatchObject({ modelId: 'm-1', options: { region: 'eu', apiKey: 'k' } });
});

test('accepts a provider that is an object, from an ESM or a CommonJS package', async () => {
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

test.each(['v2', 'v3'])('converts a model with interface %s to the newest one', async (version) => {
  await install(`old-${version}`, `export const createOld = () => (id) => (${model(version)});`);
  const made = await load(`old-${version}`);
  expect(made).toMatchObject({ specificationVersion: 'v4', modelId: 'm-1' });
});

test('also finds a package in our own installation', async () => {
  const made = await load('@ai-sdk/anthropic', {}, { apiKey: 'k' });
  expect(made).toMatchObject({ modelId: 'm-1', provider: 'anthropic.messages' });
});

test('if a package has several functions, `create` selects one', async () => {
  const two = `export const createOne = () => (id) => (${model('v4')});
    export const createTwo = () => (id) => ({ ...${model('v4')}, isTwo: true });`;
  await install('two-providers', two);
  await expect(load('two-providers')).rejects.toThrow(
    'models.main.package "two-providers" has several functions that make a provider; write one as "create" (createOne, createTwo)',
  );
  expect(await load('two-providers', { create: 'createTwo' })).toMatchObject({ isTwo: true });
  await expect(load('two-providers', { create: 'createSix' })).rejects.toThrow(
    'models.main.create "createSix" is no function of "two-providers" (it has: createOne, createTwo)',
  );
});

test.each([
  ['not-there', undefined, 'is not installed; run "npm install not-there" in '],
  ['no-provider', 'export const add = 1;', 'has no function that makes a provider'],
  ['no-model', 'export const createX = () => () => ({});', 'makes no language models of the AI'],
  ['broken', 'throw new Error("boom");', 'cannot be loaded: boom'],
])('reports %s and says what to write', async (name, code, words) => {
  if (code !== undefined) await install(name, code);
  await expect(load(name)).rejects.toThrow(`models.main.package "${name}" ${words}`);
});

test('does not repeat a package’s error about its options, which may contain the key', async () => {
  const code =
    'export const createX = ({ apiKey }) => { throw new TypeError(`bad key ${apiKey}`) };';
  await install('leaky', code);
  const failed = await load('leaky', {}, { apiKey: 'sk-secret' }).catch(
    (error: Error) => error.message,
  );
  expect(failed).toContain('"leaky" does not take these options (TypeError)');
  expect(failed).not.toContain('sk-secret');
});
