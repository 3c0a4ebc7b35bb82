/** Two server processes on one PostgreSQL: an answer that one makes is waited for, and stopped, through the other. */
import {
  postgresPrograms,
  sharedPostgres,
  type TestPostgres,
  whyNoPostgres,
} from '@docent/server/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createAsker,
  errorOf,
  type Part,
  partOf,
  readRest,
  readUntil,
  textOf,
  toBody,
} from '../support/ask.ts';
import { serve, writeConfig } from '../support/cli.ts';
import { endLease } from '../support/end-lease.ts';
import { kestrel, putIndex, temporaryFolder } from '../support/fixture.ts';
import {
  gate,
  type ScriptedModel,
  silence,
  startScriptedModel,
} from '../support/scripted-model.ts';
import { makeKey, toModel } from '../support/start-docent.ts';

const question = 'How do I install Kestrel?';
const messageIdOf = (parts: Part[]) => partOf(parts, 'start')?.['messageId'] as string;

describe('two processes', () => {
  if (postgresPrograms === undefined) {
    test('as one', (context) => context.skip(whyNoPostgres));
    return;
  }
  let postgres: TestPostgres;
  let model: ScriptedModel;
  let url: string;
  let servers: Awaited<ReturnType<typeof serve>>[];
  let start: () => ReturnType<typeof serve>;
  let key: string;
  let removeFolder: () => Promise<void>;

  const at = (place: number) =>
    createAsker(servers[place]?.url ?? '', { key, domain: kestrel.domain });
  const turns = () =>
    postgres.query<{ status: string; answer: string }>(
      url,
      'select status, answer from turns order by created_at desc limit 1',
    );
  beforeAll(async () => {
    [postgres, model] = await Promise.all([sharedPostgres(), startScriptedModel()]);
    url = await postgres.createDatabase();
    const folder = await temporaryFolder();
    removeFolder = () => folder[Symbol.asyncDispose]();
    await putIndex(folder.path);
    const config = await writeConfig(folder.path, {
      server: { port: 0, dataFolder: '.' },
      models: { main: toModel(model.url) },
      sites: [{ ...kestrel, model: 'main' }],
    });
    const env = { DATABASE_URL: url };
    start = () => serve(config, { env });
    servers = await Promise.all([start(), start()]);
    key = await makeKey(config, env);
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
    await removeFolder();
    await model.close();
  });

  /** Asks the first process, reads the first words, and leaves. */
  async function cutOff(more: Record<string, unknown> = {}) {
    const held = gate();
    model.once(['Half', held, ' whole']);
    const asked = model.requests.length;
    const { parts, leave } = await at(0).open(toBody(question, more));
    const seen = await readUntil(parts, 'text-delta');
    leave();
    await expect(readRest(parts)).rejects.toThrow();
    const request = await model.request(asked + 1);
    const id = messageIdOf(seen);
    return { held, seen, id, request };
  }

  test('read again through the other: it waits until the answer has ended, then gets all of it', async () => {
    const chat = `chat-${crypto.randomUUID()}`;
    const { held, seen, id } = await cutOff({ id: chat, trigger: 'submit-message' });
    const waiting = await Promise.all([chat, id].map((each) => at(1).resume(each)));
    // Its parts are known to their process only, so it cannot be read on in the middle.
    expect((await at(1).resume(id, { skip: seen.length })).response.status).toBe(204);
    held.open();
    for (const { response, parts } of waiting) {
      expect(response.status).toBe(200);
      const all = await readRest(parts);
      expect(textOf(all)).toBe('Half whole');
      expect(messageIdOf(all)).toBe(id);
      expect(all.at(-1)).toMatchObject({ type: 'finish' });
    }
    expect(textOf(await readRest((await at(1).resume(id)).parts))).toBe('Half whole');
    // It has ended: by the chat's id it may have been handed over already.
    expect((await at(1).resume(chat)).response.status).toBe(204);
    expect(await turns()).toEqual([{ status: 'complete', answer: 'Half whole' }]);
  });

  test('another reader finds nothing at the other either', async () => {
    const chat = `chat-${crypto.randomUUID()}`;
    const { held, id } = await cutOff({ id: chat, fp: 'reader-1' });
    for (const each of [id, chat]) {
      expect((await at(1).resume(each)).response.status).toBe(204);
      const options = { headers: { 'x-fp': 'reader-2' } };
      expect((await at(1).resume(each, options)).response.status).toBe(204);
      const mine = await at(1).resume(each, { headers: { 'x-fp': 'reader-1' } });
      expect(mine.response.status).toBe(200);
      mine.leave();
    }
    held.open();
  });

  test('stopped through the other: the model is stopped, all readers hear it, the turn is stored', async () => {
    model.once(['Half', silence]);
    const asked = model.requests.length;
    const { parts } = await at(0).open(question);
    const seen = await readUntil(parts, 'text-delta');
    const id = messageIdOf(seen);
    const other = await at(1).resume(id);
    expect((await at(1).stop(id)).status).toBe(204);
    expect(await turns()).toEqual([{ status: 'stopped', answer: 'Half' }]);
    await (
      await model.request(asked + 1)
    ).gone;
    const rest = await readRest(parts);
    expect(rest.map((part) => part.type)).toEqual(['text-end', 'message-metadata', 'abort']);
    const all = await readRest(other.parts);
    expect(textOf(all)).toBe('Half');
    expect(all.slice(-2)).toEqual(rest.slice(-2));
    expect((await at(1).stop(id)).status).toBe(204);
  });

  describe('the same question sent to both, under one Idempotency-Key', () => {
    const named = () => ({ headers: { 'idempotency-key': crypto.randomUUID() } });
    test('at the same moment, and again at each, is one answer, asked once', async () => {
      for (let round = 0; round < 4; round++) {
        const asked = model.requests.length;
        const options = named();
        const both = [0, 1, 0, 1].map((place) => at(place).ask(question, options));
        const answers = await Promise.all(both);
        for (const place of [0, 1]) answers.push(await at(place).ask(question, options));
        expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
        expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
        expect(new Set(answers.map(({ parts }) => messageIdOf(parts))).size).toBe(1);
        expect(new Set(answers.map(({ headers }) => headers.get('x-thread-id'))).size).toBe(1);
        expect(model.requests.length - asked).toBe(1);
      }
    });

    test('with another body it is refused at either', async () => {
      const options = named();
      await at(0).ask(question, options);
      const others = [
        toBody('Something else?'),
        toBody(question, { filter: { version: 'v9' } }),
        toBody(question, { context: [{ type: 'code', value: 'kestrel --help' }] }),
      ];
      for (const body of others) {
        for (const place of [0, 1]) {
          const { status, json } = await at(place).ask(body, options);
          expect([status, json['code']]).toEqual([409, 'conflict']);
        }
      }
    });

    test('refused by one, it may be sent again to the other', async () => {
      const options = named();
      const unknown = toBody(question, { threadId: 'nobody’s' });
      const refused = await Promise.all([0, 1].map((place) => at(place).ask(unknown, options)));
      expect(refused.map(({ status }) => status)).toEqual([404, 404]);
      expect((await at(1).ask(question, options)).status).toBe(200);
    });

    test('it is found and stopped by its key at the other', async () => {
      const options = named();
      const key = options.headers['idempotency-key'];
      model.once([silence]);
      const asked = model.requests.length;
      const { parts } = await at(0).open(question, options);
      const again = await at(1).resume(key);
      expect(again.response.status).toBe(200);
      await model.request(asked + 1);
      expect((await at(1).stop(key)).status).toBe(204);
      expect((await readRest(again.parts)).at(-1)).toEqual({ type: 'abort' });
      expect((await readRest(parts)).at(-1)).toEqual({ type: 'abort' });
    });
  });

  test('a conversation that is deleted: readers at both hear the end, and nobody finds it at either', async () => {
    const chat = `chat-${crypto.randomUUID()}`;
    model.once(['Half', silence]);
    const { parts, response } = await at(0).open(toBody(question, { fp: 'jo', id: chat }));
    const seen = await readUntil(parts, 'text-delta');
    const id = messageIdOf(seen);
    const mine = { headers: { 'x-fp': 'jo' } };
    const other = await at(1).resume(id, mine);
    expect(other.response.status).toBe(200);
    const threadId = response.headers.get('x-thread-id');
    const deleted = await fetch(`${servers[1]?.url}/discovery/v1/thread/kestrel-docs/${threadId}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${key}`, 'x-fp': 'jo' },
    });
    expect(deleted.status).toBe(204);
    for (const each of [id, chat]) {
      expect((await at(1).resume(each, mine)).response.status).toBe(204);
    }
    const ending = ['message-metadata', 'abort'];
    expect((await readRest(parts)).map(({ type }) => type)).toEqual(['text-end', ...ending]);
    expect((await readRest(other.parts)).map(({ type }) => type)).toEqual(ending);
    for (const each of [id, chat]) {
      expect((await at(0).resume(each, mine)).response.status).toBe(204);
    }
  });

  test('a question that is not to be stored is found at its own process only', async () => {
    const { parts } = await at(0).ask(toBody(question, { store: false }));
    expect((await at(1).resume(messageIdOf(parts))).response.status).toBe(204);
  });

  test('a reader who waits at the other keeps the model at work; the process stops: its answer is read to the end', async () => {
    const { held, id } = await cutOff();
    const again = await at(1).resume(id);
    expect(again.response.status).toBe(200);
    const exit = servers[0]?.kill('SIGTERM');
    held.open();
    expect(textOf(await readRest(again.parts))).toBe('Half whole');
    expect(await exit).toEqual({ code: 0, signal: null });
    servers[0] = await start();
  });

  test('the process dies: its readers at the other hear it', async () => {
    const { held, id } = await cutOff();
    const again = await at(1).resume(id);
    await servers[0]?.kill('SIGKILL');
    await endLease(postgres, url, servers[0]?.pid);
    const rest = await readRest(again.parts);
    expect(rest.at(-1)?.type).toBe('error');
    expect(errorOf(rest)).toMatchObject({ code: 'unavailable' });
    held.open();
    servers[0] = await start();
  });
});
