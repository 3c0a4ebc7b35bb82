/** Several server processes on one PostgreSQL, behind a load balancer: they behave as one. */
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  postgresPrograms,
  startPostgres,
  type TestPostgres,
  whyNoPostgres,
} from '@docent/server/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAsker, readRest, readUntil, textOf } from '../support/ask.ts';
import { runCli, serve, writeConfig } from '../support/cli.ts';
import { endLease } from '../support/end-lease.ts';
import { fixtureDocs, kestrel, osprey, putIndex, temporaryFolder } from '../support/fixture.ts';
import { startRoundRobin } from '../support/round-robin.ts';
import { gate, type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts';
import { makeKey, toModel } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

const question = 'How do I install Kestrel?';
let postgres: TestPostgres;
let model: ScriptedModel;

/** A new database with a data folder, an index, a key, and servers that all start at the same moment. */
async function prepare(count: number, limits: object = {}) {
  const folder = await temporaryFolder();
  await putIndex(folder.path);
  const docs = join(folder.path, 'docs');
  await cp(fixtureDocs, docs, { recursive: true });
  const config = await writeConfig(folder.path, {
    // The balancer's address and, in front of it, the reader's.
    server: { port: 0, dataFolder: '.', trustProxy: 2 },
    models: { main: toModel(model.url) },
    sites: [kestrel, osprey].map((site) => ({
      ...site,
      docs: { ...site.docs, folder: docs },
      model: 'main',
    })),
    limits,
  });
  const url = await postgres.createDatabase();
  const env = { DATABASE_URL: url };
  const start = () => serve(config, { env });
  // Nothing is in the database yet: they also make its tables.
  const servers = await Promise.all(Array.from({ length: count }, start));
  const key = await makeKey(config, env);
  const balancer = await startRoundRobin(() => servers.map((server) => server.url));
  const askerAt = (address: string, domain = kestrel.domain) =>
    createAsker(address, { key, domain });

  return {
    servers,
    start,
    key,
    docs,
    ...askerAt(balancer.url),
    /** Straight to one of them. */
    at: (place: number) => askerAt(servers[place]?.url ?? ''),
    run: (...args: string[]) => runCli([...args, '--config', config], { env }),
    turns: () =>
      postgres.query<{ status: string; question: string; answer: string }>(
        url,
        'select status, question, answer from turns order by created_at',
      ),
    endLease: (pid: number | undefined) => endLease(postgres, url, pid),
    processes: () => postgres.query<{ name: string }>(url, 'select name from processes'),
    async [Symbol.asyncDispose]() {
      await balancer[Symbol.asyncDispose]();
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
      await folder[Symbol.asyncDispose]();
    },
  };
}

type Place = Awaited<ReturnType<typeof prepare>>;

describe('several processes', () => {
  if (postgresPrograms === undefined) {
    test('as one', (context) => context.skip(whyNoPostgres));
    return;
  }
  beforeAll(async () => {
    [postgres, model] = await Promise.all([startPostgres(), startScriptedModel()]);
  });
  afterAll(async () => {
    await model.close();
    await postgres[Symbol.asyncDispose]();
  });

  describe('three, with limits', () => {
    const limits = { perKeyAndMonth: 20, perOrganizationAndHour: 30, perAddressAndDay: 40 };
    let place: Place;
    beforeAll(async () => {
      place = await prepare(3, limits);
    });
    afterAll(() => place[Symbol.asyncDispose]());

    /** Fifty at once, from a place of their own on the network. */
    async function fifty(address: (index: number) => string, keys: string[], domain: string) {
      const statuses = await Promise.all(
        Array.from({ length: 50 }, async (_, index) => {
          const key = keys[index % keys.length];
          const headers = { 'x-forwarded-for': address(index) };
          const { status } = await place.ask(question, { key, domain, headers });
          return status;
        }),
      );
      const count = (status: number) => statuses.filter((each) => each === status).length;
      return { 200: count(200), 401: count(401), 429: count(429) };
    }

    async function newKey(organization: string): Promise<string> {
      const made = await place.run('keys', 'create', '--assistant', '--organization', organization);
      return /svc_dsc_\S+/.exec(made.stdout)?.[0] ?? '';
    }

    test('a key’s month: twenty of fifty pass, whichever process they meet', async () => {
      const all = await fifty((index) => `203.0.113.${index}`, [place.key], 'kestrel-docs');
      expect(all).toEqual({ 200: 20, 401: 0, 429: 30 });
    });

    test('an organization’s hour: thirty of fifty pass', async () => {
      const keys = await Promise.all(Array.from({ length: 3 }, () => newKey('osprey')));
      const all = await fifty((index) => `198.51.100.${index}`, keys, 'osprey-docs');
      expect(all).toEqual({ 200: 30, 401: 0, 429: 20 });
    });

    test('an address’s day: forty of fifty are looked at', async () => {
      const all = await fifty(() => '192.0.2.1', ['svc_dsc_wrong'], 'kestrel-docs');
      expect(all).toEqual({ 200: 0, 401: 40, 429: 10 });
    });
  });

  describe('two', () => {
    let place: Place;
    beforeAll(async () => {
      place = await prepare(2);
    });
    afterAll(() => place[Symbol.asyncDispose]());

    test('a conversation goes on in the other process', async () => {
      model.once(['With the installer. [1]']);
      const first = await place.at(0).ask(question);
      const threadId = first.headers.get('x-thread-id') ?? '';
      const next = await place.at(1).ask('And on Windows?', { threadId });
      expect(next.headers.get('x-thread-id')).toBe(threadId);
      expect(model.last.body.messages?.slice(1, 3)).toEqual([
        { role: 'user', content: question },
        { role: 'assistant', content: 'With the installer. [1]' },
      ]);
    });

    test('two questions in one conversation at once: both stand, one after the other', async () => {
      const first = await place.ask(question);
      const threadId = first.headers.get('x-thread-id') ?? '';
      const asked = model.requests.length;
      const both = ['What of alerts?', 'What of backups?'];
      await Promise.all(both.map((each, index) => place.at(index).ask(each, { threadId })));
      const [one, two] = model.requests.slice(asked).map((request) => request.text);
      const knows = (text = '') => both.filter((each) => text.includes(each)).length;
      expect(new Set([knows(one), knows(two)])).toEqual(new Set([1, 2]));
      const stored = (await place.turns()).map((turn) => turn.question);
      expect(stored).toEqual(expect.arrayContaining(both));
    });

    test('a key that is made or revoked counts at once, in both', async () => {
      const made = await place.run('keys', 'create', '--assistant', '--site', 'kestrel-docs');
      const key = /svc_dsc_[A-Za-z0-9_-]{43}/.exec(made.stdout)?.[0] ?? '';
      const id = /key (\S+) for/.exec(made.stdout)?.[1] ?? '';
      const statuses = async () =>
        Promise.all(
          [0, 1].map(async (each) => (await place.at(each).ask(question, { key })).status),
        );
      expect(await statuses()).toEqual([200, 200]);
      expect((await place.run('keys', 'revoke', id)).code).toBe(0);
      expect(await statuses()).toEqual([401, 401]);
    });

    test('a new index in the shared folder is noticed by both within a second', async () => {
      await writeFile(
        join(place.docs, 'zeppelins.md'),
        '# Zeppelins\n\nZeppelins are moored at the mast in the harbour.\n',
      );
      expect((await place.run('index', 'kestrel-docs')).code).toBe(0);
      for (const each of [0, 1]) {
        const source = async () => {
          const { parts } = await place.at(each).ask('Where are zeppelins moored?');
          return parts.find((part) => part.type === 'source-url')?.['url'];
        };
        await expect.poll(source).toMatch('/zeppelins');
      }
    });

    test('one is asked to stop and comes back while readers ask: nobody notices', async () => {
      const stop = new AbortController();
      const reader = async () => {
        const answers: { status: number; last: string | undefined; json: object }[] = [];
        while (!stop.signal.aborted) {
          const { status, parts, json } = await place.ask(question);
          answers.push({ status, last: parts.at(-1)?.type, json });
        }
        return answers;
      };
      const readers = [reader(), reader(), reader()];
      for (const each of [0, 1]) {
        const old = place.servers[each];
        expect(await old?.kill('SIGTERM')).toEqual({ code: 0, signal: null });
        place.servers[each] = await place.start();
      }
      stop.abort();
      const answers = (await Promise.all(readers)).flat();
      expect(answers.length).toBeGreaterThan(3);
      const lost = answers.filter(({ status, last }) => status !== 200 || last !== 'finish');
      expect(lost).toEqual([]);
      // Who stopped has taken its name from the list.
      expect(await place.processes()).toHaveLength(2);
    });

    test('one is killed in the middle of an answer: the other goes on, and ends what it left', async () => {
      const held = gate();
      model.once(['Half', held]);
      const cut = await place.at(0).open('Will you be killed?');
      await readUntil(cut.parts, 'text-delta');
      const living = gate();
      model.once(['Whole', living, ' answer']);
      const whole = await place.at(1).open('Will you live?');
      await readUntil(whole.parts, 'text-delta');

      await place.servers[0]?.kill('SIGKILL');
      await place.endLease(place.servers[0]?.pid);
      await expect(readRest(cut.parts)).rejects.toThrow();
      expect((await place.ask(question)).status).toBe(200);
      await waitFor(
        'the killed one’s answer to be ended',
        async () =>
          (await place.turns()).some(
            (turn) => turn.question === 'Will you be killed?' && turn.status === 'interrupted',
          ),
        40_000,
      );
      expect(await place.turns()).toContainEqual(
        expect.objectContaining({ question: 'Will you live?', status: 'running' }),
      );
      living.open();
      held.open();
      expect(textOf(await readRest(whole.parts))).toBe(' answer');
      expect(await place.turns()).toContainEqual({
        question: 'Will you live?',
        status: 'complete',
        answer: 'Whole answer',
      });
    });
  });

  test('the database goes away and comes back: 503 meanwhile, then all is well', async () => {
    await using place = await prepare(1);
    const { url } = place.servers[0] ?? { url: '' };
    expect((await place.ask(question)).status).toBe(200);
    await postgres.stop();
    const refused = await place.ask(question);
    expect(refused.status).toBe(503);
    expect(refused.json).toMatchObject({
      code: 'unavailable',
      error: 'The database cannot be reached at the moment. Please try again shortly.',
    });
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    await postgres.startAgain();
    await waitFor('/readyz', async () => (await fetch(`${url}/readyz`)).status === 200);
    expect((await place.ask(question)).status).toBe(200);
  });

  test('a database that is not there is said in one sentence', async () => {
    await using folder = await temporaryFolder();
    const config = await writeConfig(folder.path, { sites: [kestrel] });
    const secret = 'canary-password-7f3a';
    const run = (command: string[], url: string) =>
      runCli([...command, '-c', config], { env: { DATABASE_URL: url, LOG_LEVEL: 'trace' } });
    for (const command of [['serve'], ['keys', 'list']]) {
      const { code, stdout, stderr } = await run(
        command,
        `postgres://docent:${secret}@127.0.0.1:1/docent`,
      );
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(
        /^docent: PostgreSQL at 127\.0\.0\.1:1, database "docent", cannot be used: connect ECONNREFUSED 127\.0\.0\.1:1\. Check DATABASE_URL and that the database is running\.\n$/,
      );
    }
    const wrong = await run(['keys', 'list'], `mysql://docent:${secret}@127.0.0.1/docent`);
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain(
      'DATABASE_URL (environment) must be the address of a PostgreSQL',
    );
    expect(wrong.stderr).not.toContain(secret);
  });
});
