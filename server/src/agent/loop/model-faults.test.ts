import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import {
  cut,
  type ScriptedModel,
  silence,
  startScriptedModel,
} from '../../../../tests/support/scripted-model.ts';
import { JobError } from '../../platform/errors.ts';
import { describeError } from '../../platform/log.ts';
import {
  createStore,
  finish,
  openFiles,
  textAt,
  toAgentModel,
  wires,
  work,
} from '../../../testing/agent-loop.ts';

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel();
});
afterAll(() => model.close());
beforeEach(() => {
  model.requests.length = 0;
});

test.each([
  ['too busy', { status: 429, headers: { 'retry-after-ms': '5' } }],
  ['too busy, with a date', { status: 429, headers: { 'retry-after': new Date(0).toUTCString() } }],
  ['down', { status: 503 }],
  [
    'broken off on the way',
    ['Half a wo', { call: 'delete', input: { path: 'docs/index.md' } }, cut],
  ],
  ['ended without an end', [{ raw: ': nothing\n\n' }, cut]],
  ['reporting an error', [{ raw: 'data: {"error":{"message":"overloaded","code":503}}\n\n' }]],
] as const)('a provider that is %s is tried again', async (_what, fault) => {
  model.once(fault as Parameters<typeof model.once>[0]);
  model.once(fault as Parameters<typeof model.once>[0]);
  model.reply([finish()]);
  const files = openFiles();
  const store = createStore('Go');
  await expect(work(toAgentModel(model), store, { files })).resolves.toMatchObject({
    title: 'Correct a typo',
  });
  expect(model.requests).toHaveLength(3);
  // Nothing of a broken answer is done or stored.
  expect(await files.changes()).toEqual([]);
  expect(store.steps).toHaveLength(1);
});

const secretBody = {
  error: { message: 'Incorrect API key provided: sk-main. You asked: secret words' },
};

test.each([
  ['400', 'model_failed', 'The provider of the model "main" refuses the request (400).', 1],
  ['401', 'model_not_configured', 'The provider of the model "main" refuses the key.', 1],
  ['403', 'model_not_configured', 'The provider of the model "main" refuses the key.', 1],
  ['404', 'model_not_configured', 'The provider does not know the model "main".', 1],
  ['402', 'model_unavailable', 'The credit at the provider of the model "main" is used up.', 1],
  ['429', 'model_unavailable', 'The provider of the model "main" is busy.', 4],
  ['500', 'model_unavailable', 'The provider of the model "main" has a fault.', 4],
  ['529', 'model_unavailable', 'The provider of the model "main" has a fault.', 4],
])('%s in the end is %s', async (status, code, message, tries) => {
  model.reply({ status: Number(status), body: secretBody });
  const failed = await work(toAgentModel(model), createStore('secret words')).catch(
    (error: unknown) => error,
  );
  expect(failed).toBeInstanceOf(JobError);
  expect(failed).toMatchObject({ code, message });
  expect(model.requests).toHaveLength(tries);
});

test('credit that is used up is not asked for again', async () => {
  const error = { message: 'You exceeded your quota.', code: 'insufficient_quota' };
  model.reply({ status: 429, body: { error } });
  await expect(work(toAgentModel(model), createStore('Go'))).rejects.toMatchObject({
    code: 'model_unavailable',
    message: 'The credit at the provider of the model "main" is used up.',
  });
  expect(model.requests).toHaveLength(1);
});

test('neither what is told nor what is logged holds the key', async () => {
  model.reply({ status: 401, body: { error: { message: 'Incorrect key. Value: sk-main' } } });
  const failed = await work(toAgentModel(model), createStore('Go')).catch(
    (error: unknown) => error,
  );
  expect(JSON.stringify(describeError(failed))).not.toContain('sk-main');
});

test('a provider that wants to be left alone for long is not waited for', async () => {
  model.reply({ status: 429, headers: { 'retry-after': '3600' } });
  await expect(work(toAgentModel(model), createStore('Go'))).rejects.toMatchObject({
    code: 'model_unavailable',
  });
  expect(model.requests).toHaveLength(1);
});

test('a provider that nobody reaches is unavailable', async () => {
  const gone = await startScriptedModel();
  await gone.close();
  await expect(work(toAgentModel(gone), createStore('Go'))).rejects.toMatchObject({
    code: 'model_unavailable',
    message: 'The model "main" could not be reached.',
  });
});

test('a key that is missing is told as that', async () => {
  const { createOpenAI } = await import('@ai-sdk/openai');
  vi.stubEnv('OPENAI_API_KEY', undefined);
  try {
    const agent = toAgentModel(model, 'chat completions', { model: createOpenAI()('m') });
    await expect(work(agent, createStore('Go'))).rejects.toMatchObject({
      code: 'model_not_configured',
    });
  } finally {
    vi.unstubAllEnvs();
  }
});

test('what a provider filters fails the job', async () => {
  model.reply(['I', { end: 'content_filter' }]);
  await expect(work(toAgentModel(model), createStore('Go'))).rejects.toMatchObject({
    code: 'model_failed',
    message: 'The provider of the model "main" filtered its answer.',
  });
});

const cancelled = new JobError('cancelled', 'The job was canceled while it ran.');

test.each(wires)('an abort ends the request, over the wire of %s', async (wire) => {
  model.reply(['I begin', silence]);
  const controller = new AbortController();
  const store = createStore('Go');
  const working = work(toAgentModel(model, wire), store, {
    signal: controller.signal,
    onEvent: () => controller.abort(cancelled),
  });
  await expect(working).rejects.toBe(cancelled);
  await model.last.gone;
  expect(store.steps).toEqual([]);
});

test('an abort ends the wait before the next try', async () => {
  model.reply({ status: 503 });
  const controller = new AbortController();
  const working = work(toAgentModel(model), createStore('Go'), {
    signal: controller.signal,
    retry: { attempts: 9, baseMs: 60_000, capMs: 600_000 },
  });
  const failing = expect(working).rejects.toBe(cancelled);
  await model.request(1);
  setImmediate(() => controller.abort(cancelled));
  await failing;
  expect(model.requests).toHaveLength(1);
});

test('an abort between two calls leaves the second undone', async () => {
  model.reply([
    { call: 'write', input: { path: 'docs/one.md', content: '1' } },
    { call: 'write', input: { path: 'docs/two.md', content: '2' } },
  ]);
  const controller = new AbortController();
  const files = openFiles();
  const store = createStore('Go');
  const working = work(toAgentModel(model), store, {
    signal: controller.signal,
    files,
    onEvent: ({ type }) => {
      if (type === 'tool-result') controller.abort(cancelled);
    },
  });
  await expect(working).rejects.toBe(cancelled);
  expect(await textAt(files, 'docs/one.md')).toBe('1\n');
  expect(await textAt(files, 'docs/two.md')).toBeUndefined();
  expect(store.steps).toEqual([]);
});

test('a run that is aborted before it begins asks nobody', async () => {
  await expect(
    work(toAgentModel(model), createStore('Go'), { signal: AbortSignal.abort(cancelled) }),
  ).rejects.toBe(cancelled);
  expect(model.requests).toEqual([]);
});

test('a step that cannot be stored ends the run', async () => {
  model.reply([{ call: 'list' }]);
  const lost = new Error('LeaseLost');
  await expect(
    work(toAgentModel(model), createStore('Go'), { onStep: () => Promise.reject(lost) }),
  ).rejects.toBe(lost);
  expect(model.requests).toHaveLength(1);
});
