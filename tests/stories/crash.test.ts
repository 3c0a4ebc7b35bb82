/** The process dies, or is asked to stop, in the middle of an answer. */
import { DatabaseSync } from 'node:sqlite';
import { Agent, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAsker, errorOf, readRest, readUntil, textOf } from '../support/ask.ts';
import { runCli, serve, writeConfig } from '../support/cli.ts';
import { kestrel, putIndex, temporaryFolder } from '../support/fixture.ts';
import {
  gate,
  type ScriptedModel,
  silence,
  startScriptedModel,
} from '../support/scripted-model.ts';
import { makeKey, toModel } from '../support/start-docent.ts';
import { verifies } from '../support/verifies.ts';
import { waitFor } from '../support/wait-for.ts';

const question = 'How do I install Kestrel?';
let model: ScriptedModel;

beforeAll(async () => {
  model = await startScriptedModel();
});
afterAll(() => model.close());

/** A data folder with an index, a key and a configuration file. */
async function prepare(shutdownGraceSeconds = 10) {
  const folder = await temporaryFolder();
  await putIndex(folder.path);
  const config = await writeConfig(folder.path, {
    server: { port: 0, dataFolder: '.', shutdownGraceSeconds },
    models: { main: toModel(model.url) },
    sites: [{ ...kestrel, model: 'main' }],
  });
  const key = await makeKey(config);
  return {
    config,
    key,
    start: async () => {
      const server = await serve(config);
      return { server, ...createAsker(server.url, { key, domain: kestrel.domain }) };
    },
    /** What is stored, read as any other program would. */
    turns: (): { status: string; question: string; answer: string }[] => {
      using database = new DatabaseSync(join(folder.path, 'docent.db'), { readOnly: true });
      return database.prepare('select status, question, answer from turns order by id').all() as {
        status: string;
        question: string;
        answer: string;
      }[];
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

verifies(
  'assistant-v2:thread-continues',
  'killed in the middle of an answer: nothing stored is lost or half written, the thread goes on',
  async () => {
    await using place = await prepare();
    const before = await place.start();
    await using _before = before.server;
    model.once(['With the', ' installer. [1]']);
    const first = await before.ask(question);
    const threadId = first.headers.get('x-thread-id') ?? '';
    expect(first.text).toBe('With the installer. [1]');

    const held = gate();
    model.once(['Half an', held, ' answer']);
    const cut = await before.open('And on Windows?', { threadId });
    await readUntil(cut.parts, 'text-delta');
    await before.server.kill('SIGKILL');
    await expect(readRest(cut.parts)).rejects.toThrow();
    held.open();

    const after = await place.start();
    await using _after = after.server;
    expect(place.turns()).toEqual([
      { status: 'complete', question, answer: 'With the installer. [1]' },
      { status: 'interrupted', question: 'And on Windows?', answer: '' },
    ]);
    expect(after.server.output.stderr).toContain(
      'answers were interrupted by the end of their process',
    );

    const next = await after.ask('How do I uninstall it?', { threadId });
    expect(next.text).toBe('Kestrel answers in words. [1]');
    expect(next.headers.get('x-thread-id')).toBe(threadId);
    expect(model.last.body.messages?.slice(1)).toEqual([
      { role: 'user', content: question },
      { role: 'assistant', content: 'With the installer. [1]' },
      { role: 'user', content: 'And on Windows?' },
      { role: 'assistant', content: '(no answer was given)' },
      { role: 'user', content: expect.stringContaining('How do I uninstall it?') },
    ]);
  },
);

test('killed again and again: the database stays whole', async () => {
  await using place = await prepare();
  let threadId: string | undefined;
  for (let round = 0; round < 2; round++) {
    const { server, ask, open } = await place.start();
    await using _server = server;
    const whole = await ask(question, { threadId: threadId ?? null });
    threadId = whole.headers.get('x-thread-id') ?? '';
    // Several answers are being written when the process dies.
    const held = gate();
    for (let i = 0; i < 5; i++) model.once(['Half', held]);
    await Promise.all(
      Array.from({ length: 5 }, async () => readUntil((await open(question)).parts, 'text-delta')),
    );
    await server.kill('SIGKILL');
    held.open();
  }
  const { server } = await place.start();
  await using _server = server;
  const turns = place.turns();
  const count = (status: string) => turns.filter((turn) => turn.status === status).length;
  expect([count('complete'), count('interrupted'), turns.length]).toEqual([2, 10, 12]);
  expect(turns.filter((turn) => turn.status === 'interrupted' && turn.answer !== '')).toEqual([]);
});

test('a second server on the same data is refused in one sentence', async () => {
  await using place = await prepare();
  const { server } = await place.start();
  await using _server = server;
  const second = await runCli(['serve', '-c', place.config]);
  expect(second.code).toBe(1);
  expect(second.stderr.trim().split('\n')).toEqual([
    expect.stringMatching(
      /^docent: Another Docent server already uses the data folder \S+; stop it, or set another `server\.dataFolder`\.$/,
    ),
  ]);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
});

describe('asked to stop', () => {
  test('a running answer is finished; new questions are refused; the exit is clean', async () => {
    await using place = await prepare();
    const { server, open, ask } = await place.start();
    await using _server = server;
    const held = gate();
    model.once(['One', held, ' two']);
    const { parts } = await open(question);
    await readUntil(parts, 'text-delta');
    const exit = server.kill('SIGTERM');
    await waitFor('new questions to be refused', () =>
      ask(question).then(
        (asked) => asked.status === 503,
        () => true,
      ),
    );
    held.open();
    const rest = await readRest(parts);
    expect(textOf(rest)).toBe(' two');
    expect(rest.at(-1)?.type).toBe('finish');
    expect(await exit).toEqual({ code: 0, signal: null });
    expect(place.turns()[0]).toMatchObject({ status: 'complete', answer: 'One two' });
  });

  test('an answer that takes longer than the grace ends with an error part', async () => {
    await using place = await prepare(0.3);
    const { server, open } = await place.start();
    await using _server = server;
    model.once(['One', silence]);
    const asked = model.requests.length;
    const { parts } = await open(question);
    await readUntil(parts, 'text-delta');
    const exit = server.kill('SIGTERM');
    const rest = await readRest(parts);
    expect(rest.map((part) => part.type)).toEqual(['text-end', 'error']);
    expect(errorOf(rest)).toEqual({
      code: 'unavailable',
      error: 'The service is restarting. Please ask again in a moment.',
      requestId: expect.any(String),
      retryAfter: 5,
    });
    await (
      await model.request(asked + 1)
    ).gone;
    expect(await exit).toEqual({ code: 0, signal: null });
    expect(place.turns()[0]).toMatchObject({ status: 'stopped', answer: 'One' });
  });

  test('a connection that is kept open is not served any more', async () => {
    await using place = await prepare();
    const { server, open } = await place.start();
    await using _server = server;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const held = gate();
    const long = gate();
    model.once(['One', held]);
    model.once(['Long', long]);
    const before = model.requests.length;
    // The first answer ends while the service waits for the second: its connection is idle then.
    const first = askOver(agent, server.url, place.key);
    await model.request(before + 1);
    const { parts } = await open(question);
    await readUntil(parts, 'text-delta');
    const exit = server.kill('SIGTERM');
    await waitFor('the stop to begin', () =>
      fetch(`${server.url}/healthz`).then(
        () => false,
        () => true,
      ),
    );
    held.open();
    expect((await first).status).toBe(200);
    // Its connection may still be open: then it hears that the service stops, and is closed.
    const late = await askOver(agent, server.url, place.key).catch(() => ({ status: 0 }));
    expect([0, 503]).toContain(late.status);
    const later = await askOver(agent, server.url, place.key).catch(() => ({ status: 0 }));
    expect(later.status).toBe(0);
    long.open();
    expect((await readRest(parts)).at(-1)?.type).toBe('finish');
    expect(await exit).toEqual({ code: 0, signal: null });
    agent.destroy();
  });

  test('with nothing to do it ends at once', async () => {
    await using place = await prepare();
    const { server } = await place.start();
    await using _server = server;
    expect(await server.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});

/** `fetch` chooses connections by itself; this one is told which to use. */
function askOver(agent: Agent, url: string, key: string): Promise<{ status: number }> {
  return new Promise((resolve, reject) => {
    const path = `/discovery/v2/assistant/${kestrel.domain}/message`;
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
    const request = httpRequest(url + path, { method: 'POST', agent, headers }, (response) => {
      response.resume().once('end', () => resolve({ status: response.statusCode ?? 0 }));
    });
    request.once('error', reject);
    request.end(
      JSON.stringify({ fp: 'anonymous', messages: [{ role: 'user', content: question }] }),
    );
  });
}
