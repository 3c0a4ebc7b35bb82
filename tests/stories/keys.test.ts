/** Who may ask, and what is kept of a key. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAsker, toBody } from '../support/ask.ts';
import { runCli, serve, writeConfig } from '../support/cli.ts';
import { kestrel, kestrelBlog, osprey, putIndex, temporaryFolder } from '../support/fixture.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';
import { verifies } from '../support/verifies.ts';

const question = 'How do I install Kestrel?';
let docent: TestDocent;
let time = new Date('2026-03-10T12:00:00Z');

beforeAll(async () => {
  docent = await startDocent({ now: () => time });
});
afterAll(() => docent[Symbol.asyncDispose]());

type NewKey = Parameters<TestDocent['keys']['create']>[0];

async function make(more: Partial<NewKey> = {}) {
  return docent.keys.create({ kind: 'assistant', organization: 'kestrel', name: 'made', ...more });
}

/** Status and body without what is different each time. */
async function refusal(key: string, domain = 'kestrel-docs', headers = {}) {
  const response = await docent.post(toBody(question), { key, domain, headers });
  const { requestId, ...body } = (await response.json()) as Record<string, unknown>;
  expect(requestId).toBe(response.headers.get('x-request-id'));
  return { status: response.status, body, challenge: response.headers.get('www-authenticate') };
}

describe('a key of the right kind', () => {
  verifies(
    ['auth:assistant-key', 'auth:bearer'],
    'is made with its prefix, and lets in',
    async () => {
      const { token } = await make({ domain: 'kestrel-docs' });
      expect(token).toMatch(/^svc_dsc_[A-Za-z0-9_-]{43}$/);
      expect((await docent.ask(question, { key: token })).status).toBe(200);
      for (const authorization of [`bearer ${token}`, `Bearer  ${token}`, `BEARER ${token} `]) {
        const asked = await docent.ask(question, { key: '', headers: { authorization } });
        expect(asked.status).toBe(200);
      }
    },
  );

  test('without a domain is for every site of its organization', async () => {
    const { token } = await make();
    for (const domain of ['kestrel-docs', 'kestrel-blog']) {
      expect((await docent.ask(question, { key: token, domain })).status).toBe(200);
    }
  });

  verifies('auth:admin-key-prefix', 'an admin key is of the wrong kind: 403', async () => {
    const { token } = await make({ kind: 'admin' });
    expect(token).toMatch(/^svc_(?!dsc_)[A-Za-z0-9_-]{43}$/);
    expect(await refusal(token)).toMatchObject({
      status: 403,
      body: { code: 'forbidden', error: expect.stringContaining('svc_dsc_') },
    });
    // Also for a site that is not there: the kind is wrong for every one.
    expect(await refusal(token, 'nowhere')).toEqual(await refusal(token));
  });
});

describe('a site that is not for this key: 404, the same words', () => {
  test.each(['kestrel-blog', 'osprey-docs', 'nowhere', 'KESTREL-DOCS', '__proto__'])(
    '%s',
    async (domain) => {
      expect(await refusal(docent.key, encodeURIComponent(domain))).toEqual({
        status: 404,
        challenge: null,
        body: { code: 'not_found', error: 'There is no site with this domain for your key.' },
      });
    },
  );

  test('an organization’s key does not reach another organization', async () => {
    const { token } = await make();
    expect(await refusal(token, 'osprey-docs')).toEqual(await refusal(token, 'nowhere'));
  });

  test.each(['message/x/stream', 'site'])('%s too', async (what) => {
    const path = (domain: string) =>
      what === 'site'
        ? `${docent.url}/discovery/v1/site/${domain}`
        : `${docent.url}/discovery/v2/assistant/${domain}/${what}`;
    const headers = { authorization: `Bearer ${docent.key}` };
    const bodies = await Promise.all(
      ['osprey-docs', 'nowhere'].map(async (domain) => {
        const response = await fetch(path(domain), { headers });
        const { requestId: _, ...body } = (await response.json()) as Record<string, unknown>;
        return { status: response.status, body };
      }),
    );
    expect(bodies[0]).toEqual(bodies[1]);
    expect(bodies[0]?.status).toBe(404);
  });
});

describe('a key that is not valid: 401, the same words', () => {
  const expected = {
    status: 401,
    challenge: 'Bearer',
    body: {
      code: 'unauthorized',
      error: 'The API key is missing or not valid. Send one as `Authorization: Bearer <key>`.',
    },
  };

  test.each([
    ['missing', ''],
    ['empty', 'Bearer '],
    ['of another scheme', 'Basic c3ZjOg=='],
    ['malformed', 'Bearer svc_dsc_short'],
    ['without prefix', `Bearer ${'A'.repeat(43)}`],
    ['with a prefix of nobody', `Bearer key_${'A'.repeat(43)}`],
    ['unknown', `Bearer svc_dsc_${'A'.repeat(43)}`],
    ['unknown, of the other kind', `Bearer svc_${'A'.repeat(43)}`],
    ['very long', `Bearer svc_dsc_${'A'.repeat(8_000)}`],
    ['two keys', 'Bearer svc_dsc_a svc_dsc_b'],
  ])('%s', async (_what, authorization) => {
    expect(await refusal('', 'kestrel-docs', authorization && { authorization })).toEqual(expected);
    expect(await refusal('', 'nowhere', authorization && { authorization })).toEqual(expected);
  });

  test('a key in the query is no key', async () => {
    const url = `${docent.url}/discovery/v1/site/kestrel-docs?key=${docent.key}`;
    expect((await fetch(url)).status).toBe(401);
  });

  test('expired, to the moment', async () => {
    const { token } = await make({ expiresAt: new Date(time.getTime() + 60_000) });
    const begin = time;
    time = new Date(begin.getTime() + 59_999);
    expect((await docent.ask(question, { key: token })).status).toBe(200);
    time = new Date(begin.getTime() + 60_000);
    expect(await refusal(token)).toEqual(expected);
  });

  test('revoked; revoking again changes nothing', async () => {
    const { token, key } = await make();
    expect((await docent.ask(question, { key: token })).status).toBe(200);
    const first = await docent.keys.revoke(key.id);
    expect(await refusal(token)).toEqual(expected);
    time = new Date(time.getTime() + 1_000);
    expect(await docent.keys.revoke(key.id)).toEqual(first);
  });

  test('a running answer goes on when its key is revoked; the next question is refused', async () => {
    const { token, key } = await make();
    const { response, parts } = await docent.open(question, { key: token });
    await parts.next();
    await docent.keys.revoke(key.id);
    const seen = [];
    for await (const part of parts) seen.push(part.type);
    expect(response.status).toBe(200);
    expect(seen.at(-1)).toBe('finish');
    expect((await refusal(token)).status).toBe(401);
  });
});

describe('a key with scopes may do no more', () => {
  const call = (path: string, key: string, body: unknown) =>
    fetch(docent.url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${key}`,
      },
      body: JSON.stringify(body),
    });
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    },
  };
  const doors = [
    ['assistant', '/discovery/v2/assistant/kestrel-docs/message', () => toBody(question)],
    ['search', '/discovery/v1/search/kestrel-docs', () => ({ query: 'install' })],
    ['search', '/discovery/v1/page/kestrel-docs', () => ({ path: '/install' })],
    ['mcp', '/mcp/kestrel-docs', () => initialize],
  ] as const;

  test.each(['assistant', 'search', 'mcp'] as const)('%s', async (scope) => {
    const { token } = await make({ scopes: [scope] });
    for (const [needed, path, body] of doors) {
      const response = await call(path, token, body());
      const text = await response.text();
      if (needed === scope) expect([path, response.status]).not.toEqual([path, 403]);
      else {
        expect([path, response.status]).toEqual([path, 403]);
        expect(JSON.parse(text)).toMatchObject({
          code: 'forbidden',
          error: `This key doesn't have the scope "${needed}".`,
        });
      }
    }
  });

  test('without scopes it may do all of that', async () => {
    const { token } = await make();
    for (const [, path, body] of doors) {
      const response = await call(path, token, body());
      await response.text();
      expect([path, response.status]).not.toEqual([path, 403]);
    }
  });

  test('the other requests of an answer need the scope of asking', async () => {
    const { token } = await make({ scopes: ['search'] });
    const at = (path: string, method: string) =>
      fetch(docent.url + path, { method, headers: { authorization: `Bearer ${token}` } });
    const message = '/discovery/v2/assistant/kestrel-docs/message/x';
    expect((await at(`${message}/stream`, 'GET')).status).toBe(403);
    expect((await at(`${message}/stop`, 'POST')).status).toBe(403);
    expect((await at('/discovery/v1/site/kestrel-docs', 'GET')).status).toBe(403);
  });
});

describe('a key with networks', () => {
  test('is used from there; from elsewhere it is refused as one that nobody has', async () => {
    const here = await make({ networks: ['127.0.0.0/8', '::1'] });
    expect((await docent.ask(question, { key: here.token })).status).toBe(200);
    const elsewhere = await make({ networks: ['203.0.113.0/24'] });
    expect(await refusal(elsewhere.token)).toEqual(await refusal(`svc_dsc_${'A'.repeat(43)}`));
    // What the client says of itself is not believed.
    const forged = { 'x-forwarded-for': '203.0.113.7' };
    expect((await refusal(elsewhere.token, 'kestrel-docs', forged)).status).toBe(401);
  });

  test('behind a proxy that is trusted, the reader’s address counts', async () => {
    await using behind = await startDocent({ server: { trustProxy: 1 } });
    const networks = ['203.0.113.0/24'];
    const { token: key } = await behind.keys.create({
      kind: 'assistant',
      organization: 'kestrel',
      name: '',
      networks,
    });
    const from = async (address: string) => {
      const headers = { 'x-forwarded-for': address };
      return (await behind.ask(question, { key, headers })).status;
    };
    expect([await from('203.0.113.7'), await from('198.51.100.7')]).toEqual([200, 401]);
  });
});

test('rotated: both tokens answer until the grace ends, as one key', async () => {
  const { token: old, key } = await make();
  const { token } = await docent.keys.rotate(key.id, new Date(time.getTime() + 60_000));
  for (const each of [old, token])
    expect((await docent.ask(question, { key: each })).status).toBe(200);
  time = new Date(time.getTime() + 60_000);
  expect((await refusal(old)).status).toBe(401);
  expect((await docent.ask(question, { key: token })).status).toBe(200);
});

test('the last use is known', async () => {
  const { token, key } = await make();
  const lastUse = async () =>
    (await docent.keys.list()).find((each) => each.id === key.id)?.lastUsedAt;
  expect(await lastUse()).toBeUndefined();
  await docent.ask(question, { key: token });
  expect(await lastUse()).toBe(time.toISOString());
  const first = time;
  time = new Date(first.getTime() + 60_000);
  await docent.ask(question, { key: token });
  expect(await lastUse()).toBe(time.toISOString());
});

test('the command line works beside a running server, and no secret is written down', async () => {
  await using folder = await temporaryFolder();
  await putIndex(folder.path);
  const config = await writeConfig(folder.path, {
    server: { port: 0, dataFolder: '.' },
    sites: [kestrel, kestrelBlog, osprey],
  });
  await using server = await serve(config, { env: { LOG_LEVEL: 'trace' } });
  const made = await runCli([
    'keys',
    'create',
    '-c',
    config,
    '--assistant',
    '--site',
    'kestrel-docs',
  ]);
  const token = /svc_dsc_[A-Za-z0-9_-]{43}/.exec(made.stdout)?.[0] ?? '';
  const id = /key (\S+) for/.exec(made.stdout)?.[1] ?? '';
  expect(made.code).toBe(0);

  const { ask } = createAsker(server.url, { key: token, domain: 'kestrel-docs' });
  const canary = 'canary-question-about-kestrel-7f3a';
  expect((await ask(`${question} ${canary}`)).status).toBe(200);
  expect((await ask(question, { key: 'svc_dsc_canary-wrong-key-7f3a' })).status).toBe(401);
  expect((await ask({ fp: canary })).status).toBe(400);

  expect((await runCli(['keys', 'revoke', id, '-c', config])).code).toBe(0);
  expect((await ask(question)).status).toBe(401);

  await server.kill('SIGTERM');
  expect(server.output.stderr).toContain('"msg":"request"');
  for (const secret of [token, 'canary-wrong-key', canary, 'svc_dsc_', 'Bearer']) {
    expect(server.output.stderr).not.toContain(secret);
  }
  const files = await readdir(folder.path, { recursive: true, withFileTypes: true });
  const secretPart = token.slice('svc_dsc_'.length);
  let read = 0;
  for (const file of files.filter((each) => each.isFile())) {
    const bytes = await readFile(join(file.parentPath, file.name));
    expect(bytes.includes(secretPart), `${file.name} holds the token`).toBe(false);
    read += bytes.length;
  }
  expect(read).toBeGreaterThan(10_000);
});
