/** The language model fails in many ways. Readers get an error in time, in our words. */
import { createServer } from 'node:net';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createAsker, errorOf, partOf } from '../support/ask.ts';
import { serve, writeConfig } from '../support/cli.ts';
import { kestrel, putIndex, temporaryFolder } from '../support/fixture.ts';
import {
  cut,
  type Script,
  type ScriptedModel,
  silence,
  startScriptedModel,
} from '../support/scripted-model.ts';
import { makeKey, startDocent, type TestDocent, toModel } from '../support/start-docent.ts';

const question = 'How do I install Kestrel?';
/** A provider’s message, which readers must not see. */
const secret = 'Incorrect API key provided: sk-canary. You can find yours at platform.openai.com';

let model: ScriptedModel;
let docent: TestDocent;
/** Has short timeouts. Only for silent models, because a busy machine could exceed the timeouts. */
let hasty: TestDocent;

beforeAll(async () => {
  model = await startScriptedModel();
  docent = await startDocent({ model });
  const timeouts = { firstWordSeconds: 1, nextWordSeconds: 1 };
  hasty = await startDocent({ model, models: { main: { ...toModel(model.url), ...timeouts } } });
});
// Some are asked less often than a failure is scripted.
afterEach(() => model.clear());
afterAll(async () => {
  await docent[Symbol.asyncDispose]();
  await hasty[Symbol.asyncDispose]();
  await model.close();
});

const openAiError = { error: { message: secret, type: 'invalid_request_error', code: 'x' } };

const outOfCredit = {
  error: { message: secret, type: 'insufficient_quota', code: 'insufficient_quota' },
};
/** Trying again doesn't help: only the owner can fix it. */
const refused = /^The assistant isn't available now\. Only the owner of this site can fix it\.$/;

const faults: [what: string, script: Script, text: string, sentence: RegExp][] = [
  ['401', { status: 401, body: openAiError }, '', refused],
  ['402, out of credit', { status: 402, body: openAiError }, '', refused],
  ['404, no such model', { status: 404, body: openAiError }, '', refused],
  ['429, out of credit', { status: 429, body: outOfCredit }, '', refused],
  ['429', { status: 429, headers: { 'retry-after': '7' }, body: openAiError }, '', /is busy/],
  ['500', { status: 500, body: openAiError }, '', /reported an error/],
  [
    '500 with HTML',
    { status: 500, headers: { 'content-type': 'text/html' }, body: '<html>nginx' },
    '',
    /reported an error/,
  ],
  ['no answer at all', 'mute', '', /did not answer in time/],
  ['silent before the first word', [silence], '', /did not answer in time/],
  ['silent in the middle', ['Half', silence], 'Half', /did not answer in time/],
  ['cut before the first word', [cut], '', /cut off|could not be reached/],
  ['cut in the middle', ['Half', cut], 'Half', /cut off/],
  [
    'a line of garbage',
    ['Half', { raw: `data: {"broken": ${secret}\n\n` }, ' more'],
    'Half',
    /reported an error/,
  ],
  [
    'an error event',
    ['Half', { raw: `data: ${JSON.stringify(openAiError)}\n\n` }],
    'Half',
    /reported an error/,
  ],
];

const codeOf = (sentence: RegExp) => (sentence === refused ? 'model_refused' : 'upstream_failed');

describe('ends in an error part', () => {
  test.each(faults)('%s', async (what, script, text, sentence) => {
    model.onceAndAgain(script);
    const { ask, turns } = /silent|no answer/.test(what) ? hasty : docent;
    const asked = await ask(question);
    model.clear();
    expect(asked.status).toBe(200);
    expect(asked.text).toBe(text);
    const error = errorOf(asked.parts);
    expect(error).toEqual({
      code: codeOf(sentence),
      error: expect.stringMatching(sentence),
      requestId: asked.headers.get('x-request-id'),
      ...(what === '429' && { retryAfter: 7 }),
    });
    // The error comes last, after the end of the text.
    const types = asked.parts.map((part) => part.type);
    expect(types.slice(text === '' ? -1 : -2)).toEqual(
      text === '' ? ['error'] : ['text-end', 'error'],
    );
    expect(asked.raw).not.toMatch(/canary|platform\.openai|nginx|ECONN|fetch failed|127\.0\.0\.1/);

    const threadId = asked.headers.get('x-thread-id') ?? '';
    expect(await turns(threadId)).toMatchObject([{ status: 'failed', answer: text, question }]);

    // The next question in the same thread works.
    const next = await ask('How do I uninstall it?', { threadId });
    expect(next.text).toBe('Kestrel answers in words. [1]');
    expect(partOf(next.parts, 'finish')).toBeDefined();
  });

  // Without a reset connection: on a reused one, the request is sent again.
  test.each(faults.filter(([what]) => !what.startsWith('cut')))(
    '%s, for version 1 and chat completions',
    async (what, script, text, sentence) => {
      const { url, key } = /silent|no answer/.test(what) ? hasty : docent;
      const post = async (path: string, body: object) => {
        model.clear();
        model.onceAndAgain(script);
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
        const response = await fetch(url + path, {
          method: 'POST',
          headers,
          body: JSON.stringify(body),
        });
        return response.text();
      };
      const messages = [{ role: 'user', content: question }];
      const lines = await post('/discovery/v1/assistant/kestrel-docs/message', {
        fp: 'anonymous',
        messages,
      });
      const last = lines.trimEnd().split('\n').at(-1) ?? '';
      expect(last.slice(0, 2)).toBe('3:');
      const error = JSON.parse(JSON.parse(last.slice(2)) as string) as { error: string };
      expect(error).toMatchObject({ code: codeOf(sentence) });
      expect(error.error).toMatch(sentence);
      expect(lines.includes(`0:${JSON.stringify(text)}`)).toBe(text !== '');

      const chunks = await post('/v1/chat/completions', {
        model: 'docent',
        stream: true,
        messages,
      });
      const [event = '', done] = chunks.trimEnd().split('data: ').slice(-2);
      expect(done).toBe('[DONE]');
      const body = JSON.parse(event) as { error: { message: string } };
      expect(body.error).toMatchObject({ type: 'server_error', code: codeOf(sentence) });
      expect(body.error.message).toMatch(sentence);
      expect(lines + chunks).not.toMatch(/canary|platform\.openai|ECONN|fetch failed|127\.0\.0\.1/);
    },
  );

  test('the model’s server is not running', async () => {
    const port = await freePort();
    await using other = await startDocent({
      model: { url: `http://127.0.0.1:${port}/v1` },
    });
    const asked = await other.ask(question);
    expect(errorOf(asked.parts)).toMatchObject({ code: 'upstream_failed' });
    expect(asked.raw).not.toContain(String(port));
  });
});

/** A port that was just free. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

describe('before the first word', () => {
  const busy = { status: 429, body: openAiError };
  const passing: [what: string, script: Script][] = [
    ['429', busy],
    ['429 that asks for a short pause', { ...busy, headers: { 'retry-after': '0.1' } }],
    ['500', { status: 500, body: openAiError }],
    ['503', { status: 503, body: openAiError }],
    ['a connection that breaks', [cut]],
  ];

  test.each(passing)('%s is asked again, at most twice', async (_what, script) => {
    const before = model.requests.length;
    model.once(script);
    model.once(script);
    const asked = await docent.ask(question);
    expect(asked.text).toBe('Kestrel answers in words. [1]');
    expect(model.requests.length - before).toBe(3);
    const [turn] = await docent.turns(asked.headers.get('x-thread-id') ?? '');
    expect(turn).toMatchObject({ status: 'complete', input_tokens: 100 });
  });

  const lasting: [what: string, script: Script][] = [
    ['401', { status: 401, body: openAiError }],
    ['429 because the credit is used up', { status: 429, body: outOfCredit }],
    ['429 that asks for a long pause', { ...busy, headers: { 'retry-after': '6' } }],
  ];

  test.each(lasting)('%s is not asked again', async (_what, script) => {
    const before = model.requests.length;
    model.once(script);
    expect(errorOf((await docent.ask(question)).parts)).toHaveProperty('code');
    expect(model.requests.length - before).toBe(1);
  });

  test('the fallback answers instead, is named, and is what is paid', async () => {
    await using other = await startScriptedModel(['From the other one. [1]']);
    const price = { inputPerMillion: 1_000_000, outputPerMillion: 0 };
    await using server = await startDocent({
      models: {
        main: { ...toModel(model.url), price: { inputPerMillion: 0, outputPerMillion: 0 } },
        spare: { ...toModel(other.url), price },
      },
      site: { fallback: 'spare' },
      budgets: { perSite: { perDay: { dollars: 100 } } },
    });
    for (const script of [
      { status: 401, body: openAiError },
      ...Array(3).fill([cut]),
    ] as Script[]) {
      model.once(script);
    }
    for (const asked of [await server.ask(question)]) {
      expect(asked.text).toBe('From the other one. [1]');
      expect(partOf(asked.parts, 'data-answer')).toMatchObject({
        data: { model: 'spare/scripted' },
      });
      const [turn] = await server.turns(asked.headers.get('x-thread-id') ?? '');
      expect(turn).toMatchObject({ status: 'complete', model: 'spare/scripted' });
    }
    // A hundred input tokens of the fallback have used up the budget.
    expect((await server.ask(question)).json).toMatchObject({ code: 'budget_exceeded' });
    model.clear();
  });

  test('after the first word, nothing is asked again', async () => {
    await using other = await startScriptedModel();
    await using server = await startDocent({
      models: { main: toModel(model.url), spare: toModel(other.url) },
      site: { fallback: 'spare' },
    });
    const before = model.requests.length;
    model.once(['Half', cut]);
    const asked = await server.ask(question);
    expect(asked.text).toBe('Half');
    expect(errorOf(asked.parts)).toMatchObject({ code: 'upstream_failed' });
    expect([model.requests.length - before, other.requests.length]).toEqual([1, 0]);
  });

  test('a reader who leaves ends the pause', async () => {
    const before = model.requests.length;
    model.once({ ...busy, headers: { 'retry-after': '5' } });
    const leaving = new AbortController();
    const asked = docent.ask(question, { signal: leaving.signal });
    await model.request(before + 1);
    leaving.abort();
    await expect(asked).rejects.toThrow();
    const latest = () =>
      docent.docent.services.database
        .selectFrom('turns')
        .select('status')
        .orderBy('id', 'desc')
        .executeTakeFirst();
    await expect.poll(latest).toEqual({ status: 'stopped' });
    expect(model.requests.length - before).toBe(1);
  });
});

describe('an unusual answer', () => {
  test('may have one giant token', async () => {
    const giant = 'kestrel '.repeat(30_000);
    model.once([giant]);
    const asked = await docent.ask(question);
    expect(asked.text).toBe(giant);
    expect(partOf(asked.parts, 'finish')).toBeDefined();
  });

  test('has at most 256 Ki characters, exactly, and says that it was cut', async () => {
    const giant = 'kestrel '.repeat(250_000);
    model.once([giant]);
    const asked = await docent.ask(question);
    expect(asked.text).toBe(giant.slice(0, 256 * 1024));
    expect(partOf(asked.parts, 'finish')).toMatchObject({ finishReason: 'length' });
  });

  test('may have thousands of tokens at once', async () => {
    model.once(Array.from({ length: 3_000 }, (_, i) => `${i} `));
    const asked = await docent.ask(question);
    expect(asked.text.split(' ')).toHaveLength(3_001);
  });

  test('may have characters split over two writes, in every script', async () => {
    const text = 'Grüße, 東京, 👩‍👩‍👧 und "\\n" \u2028 </script>';
    model.once(Array.from(text));
    // Characters that could become HTML are escaped.
    expect((await docent.ask(question)).text).toBe(text.replace('</', '\\</'));
  });

  test('hides what a reasoning model thinks', async () => {
    const thought = { choices: [{ index: 0, delta: { reasoning_content: 'SECRET THOUGHT' } }] };
    model.once([{ raw: `data: ${JSON.stringify(thought)}\n\n` }, 'Said']);
    const asked = await docent.ask(question);
    expect(asked.text).toBe('Said');
    expect(asked.raw).not.toContain('SECRET THOUGHT');
  });
});

test('the cost of an answer is stored', async () => {
  model.once(['One', ' two']);
  const asked = await docent.ask(question);
  const [turn] = await docent.turns(asked.headers.get('x-thread-id') ?? '');
  expect(turn).toMatchObject({ input_tokens: 100, output_tokens: 2, model: 'main/scripted' });
});

test.each([
  ['openai', 'OPENAI', '/v1/responses', 'authorization', 'Bearer sk-scripted'],
  ['anthropic', 'ANTHROPIC', '/v1/messages', 'x-api-key', 'sk-scripted'],
] as const)('the %s provider speaks its own wire', async (provider, name, path, header, value) => {
  // The provider reads its base URL from the environment.
  process.env[`${name}_BASE_URL`] = model.url;
  try {
    await using other = await startDocent({
      models: { main: { provider, model: 'scripted' } },
      variables: { [`${name}_API_KEY`]: 'sk-scripted' },
    });
    const asked = await other.ask(question);
    expect(asked.text).toBe('Kestrel answers in words. [1]');
    expect(model.last.path).toBe(path);
    expect(model.last.headers[header]).toBe(value);
    const [turn] = await other.turns(asked.headers.get('x-thread-id') ?? '');
    expect(turn).toMatchObject({ status: 'complete', input_tokens: 100, output_tokens: 2 });
  } finally {
    delete process.env[`${name}_BASE_URL`];
  }
});

test('the model’s key is only sent to the model, and logs contain neither key nor question', async () => {
  await using folder = await temporaryFolder();
  await putIndex(folder.path);
  const config = await writeConfig(folder.path, {
    server: { port: 0, dataFolder: '.' },
    models: { main: { ...toModel(model.url), apiKeyEnv: 'MODEL_KEY' } },
    sites: [{ ...kestrel, model: 'main' }],
  });
  await using server = await serve(config, { env: { MODEL_KEY: 'sk-model-canary' } });
  const key = await makeKey(config, { MODEL_KEY: 'sk-model-canary' });
  const { ask } = createAsker(server.url, { key, domain: kestrel.domain });
  const canary = 'question-canary-5d1e about installing Kestrel';
  for (const script of [
    ['Answer-canary'],
    ['Answer-canary', cut],
    [{ raw: 'data: {"a": "Answer-canary\n\n' }],
    [{ raw: 'data: {"choices": "Answer-canary"}\n\n' }],
    { status: 400, body: { error: { message: `Not valid: "${canary}"` } } },
    { status: 401, body: { error: { message: 'Wrong key: sk-model-canary. See your account.' } } },
  ] as Script[]) {
    model.once(script);
    await ask(canary);
  }
  expect(model.last.headers.authorization).toBe('Bearer sk-model-canary');
  await server.kill('SIGTERM');
  const log = server.output.stderr;
  expect(log).toContain('answer failed');
  expect(log).toContain("The model's server answered 400: Not valid:");
  expect(log).toContain("The model's server answered 401: Wrong key: …. See your account.");
  expect(log).not.toContain('sk-model-canary');
  expect(log).not.toContain('question-canary');
  expect(log).not.toContain('Answer-canary');
  expect(log).not.toContain('<documentation>');
  expect(await readFile(join(folder.path, 'docent.db'), 'latin1')).not.toContain('sk-model-canary');
});
