/** Proof of work before a question, for sites that ask for it: once, in time, for this site, and no less. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { toBody } from '../support/ask.ts';
import { postJson } from '../support/call.ts';
import { temporaryFolder } from '../support/fixture.ts';
import { startDocent, type StartOptions, type TestDocent } from '../support/start-docent.ts';

interface Challenge {
  challenge: string;
  salt: string;
  maxNumber: number;
  signature: string;
  expiresAt: string;
  algorithm: string;
}

const difficulty = 2_000;
const start = (options: StartOptions = {}) =>
  startDocent({ site: { challenge: { difficulty } }, ...options });

async function getChallenge(docent: TestDocent, domain = 'kestrel-docs', key = docent.key) {
  const response = await fetch(`${docent.url}/discovery/v1/challenge/${domain}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return { response, challenge: (await response.json()) as Challenge };
}

function solve({ challenge, salt, maxNumber }: Challenge): number {
  for (let number = 0; number <= maxNumber; number++) {
    const hash = createHash('sha256').update(`${salt}${number}`).digest('hex');
    if (hash === challenge) return number;
  }
  throw new Error('The challenge has no solution');
}

const encode = (solution: object) => Buffer.from(JSON.stringify(solution)).toString('base64');

async function proof(docent: TestDocent, ...more: [domain?: string, key?: string]) {
  const { challenge } = await getChallenge(docent, ...more);
  return encode({ ...challenge, number: solve(challenge) });
}

async function ask(docent: TestDocent, header?: string, options: object = {}) {
  const response = await docent.post(toBody('How do I install Kestrel?'), {
    ...options,
    headers: header === undefined ? {} : { 'X-Challenge': header },
  });
  const text = await response.text();
  const json = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
  return { status: response.status, json, headers: response.headers };
}

const refusal = (message: string) => ({
  status: 403,
  json: { code: 'forbidden', details: [{ path: 'X-Challenge', message }] },
});

test('with a solved challenge a question is answered, without one it is told how', async () => {
  await using docent = await start();
  const without = await ask(docent);
  expect(without).toMatchObject(refusal('is missing'));
  expect(without.json['error']).toContain('GET /discovery/v1/challenge/kestrel-docs');
  expect(await ask(docent, await proof(docent))).toMatchObject({ status: 200 });
});

test('a challenge says what it is, and is not kept by any cache', async () => {
  const now = new Date('2026-03-10T12:00:00Z');
  await using docent = await start({ now: () => now });
  const { response, challenge } = await getChallenge(docent);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(challenge).toEqual({
    algorithm: 'SHA-256',
    challenge: expect.stringMatching(/^[0-9a-f]{64}$/),
    salt: expect.stringMatching(/^[0-9A-Z]{26}\.kestrel-docs\.\d+\.$/),
    maxNumber: difficulty,
    signature: expect.stringMatching(/^[0-9a-f]{64}$/),
    expiresAt: '2026-03-10T12:05:00.000Z',
  });
});

test('without settings of its own, a challenge takes 100,000 tries at most, and five minutes', async () => {
  const now = new Date('2026-03-10T12:00:00Z');
  await using docent = await startDocent({ site: { challenge: {} as never }, now: () => now });
  const { challenge } = await getChallenge(docent);
  expect(challenge).toMatchObject({
    maxNumber: 100_000,
    expiresAt: '2026-03-10T12:05:00.000Z',
  });
  expect(await ask(docent)).toMatchObject(refusal('is missing'));
});

describe('what is refused', () => {
  test('a second time', async () => {
    await using docent = await start();
    const header = await proof(docent);
    expect(await ask(docent, header)).toMatchObject({ status: 200 });
    expect(await ask(docent, header)).toMatchObject(refusal('has been used already'));
    // Also where it is spelt otherwise.
    const again = JSON.parse(Buffer.from(header, 'base64').toString()) as object;
    expect(await ask(docent, encode({ more: 1, ...again }))).toMatchObject(
      refusal('has been used already'),
    );
  });

  test('of fifty at once with the same one all but one', async () => {
    await using docent = await start();
    const header = await proof(docent);
    const all = await Promise.all(Array.from({ length: 50 }, () => ask(docent, header)));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('one that has expired', async () => {
    let now = new Date('2026-03-10T12:00:00Z');
    await using docent = await start({ now: () => now });
    const [first, second] = [await proof(docent), await proof(docent)];
    now = new Date('2026-03-10T12:04:59Z');
    expect(await ask(docent, first)).toMatchObject({ status: 200 });
    now = new Date('2026-03-10T12:05:00Z');
    expect(await ask(docent, second)).toMatchObject(refusal('has expired'));
  });

  test('one for another site', async () => {
    await using docent = await start();
    const { token: key } = await docent.keys.create({
      kind: 'assistant',
      organization: 'kestrel',
      name: 'all sites',
    });
    const header = await proof(docent, 'kestrel-blog', key);
    expect(await ask(docent, header, { key })).toMatchObject(refusal('is for another site'));
    expect(await ask(docent, header, { key, domain: 'kestrel-blog' })).toMatchObject({
      status: 200,
    });
  });

  test.each<[string, (challenge: Challenge) => unknown, string]>([
    ['the wrong number', (c) => ({ ...c, number: solve(c) + 1 }), 'has the wrong number'],
    ['no number', (c) => c, 'is not base64 of a challenge with its number'],
    [
      'half a number',
      (c) => ({ ...c, number: 0.5 }),
      'is not base64 of a challenge with its number',
    ],
    ['nothing', () => null, 'is not base64 of a challenge with its number'],
    [
      'a later end',
      (c) => ({ ...c, number: solve(c), salt: c.salt.replace(/\d+\.$/, '9999999999.') }),
      'has the wrong number',
    ],
    [
      'an end that takes digits of the number',
      (c) => {
        const text = String(solve(c));
        return { ...c, salt: `${c.salt}${text.slice(0, 1)}`, number: Number(text.slice(1)) };
      },
      'was not issued by this service',
    ],
    [
      'a challenge of their own',
      (c) => ({
        ...c,
        challenge: createHash('sha256').update(`${c.salt}1`).digest('hex'),
        number: 1,
      }),
      'was not issued by this service',
    ],
    [
      'another signature',
      (c) => ({ ...c, number: solve(c), signature: 'ab' }),
      'was not issued by this service',
    ],
  ])('%s', async (_name, change, message) => {
    await using docent = await start();
    const { challenge } = await getChallenge(docent);
    const header = Buffer.from(JSON.stringify(change(challenge))).toString('base64');
    expect(await ask(docent, header)).toMatchObject(refusal(message));
  });

  test('what is no base64 at all', async () => {
    await using docent = await start();
    expect(await ask(docent, '{}')).toMatchObject(
      refusal('is not base64 of a challenge with its number'),
    );
  });
});

test('the difficulty is what the site says: numbers lie all over its range', async () => {
  await using docent = await start();
  const numbers: number[] = [];
  for (let i = 0; i < 60; i++) numbers.push(solve((await getChallenge(docent)).challenge));
  expect(Math.max(...numbers)).toBeGreaterThan(difficulty * 0.8);
  expect(Math.min(...numbers)).toBeLessThan(difficulty * 0.2);
  const average = numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
  expect(average).toBeGreaterThan(difficulty * 0.3);
  expect(average).toBeLessThan(difficulty * 0.7);
});

test('a request without a proof costs the key and its organization nothing, on any path', async () => {
  await using docent = await start({ limits: { perKeyAndMonth: 1, perOrganizationAndHour: 1 } });
  const question = toBody('How do I install Kestrel?');
  const completion = { model: 'kestrel-docs', messages: [{ role: 'user', content: 'Install?' }] };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
  const params = { name: 'search', arguments: { query: 'install' } };
  const unproven: [path: string, body: object, status: number][] = [
    ['/discovery/v2/assistant/kestrel-docs/message', question, 403],
    ['/discovery/v1/assistant/kestrel-docs/message', question, 403],
    ['/discovery/v2/assistant/none/message', question, 404],
    ['/discovery/v2/assistant/osprey-docs/message', question, 404],
    ['/v1/chat/completions', completion, 403],
    ['/v1/chat/completions', { ...completion, model: 'none' }, 404],
    ['/v1/chat/completions', {}, 400],
    ['/mcp/kestrel-docs', { ...call, params }, 200],
  ];
  for (const [path, body, status] of unproven) {
    expect([path, (await postJson(docent, path, body)).status]).toEqual([path, status]);
  }
  expect((await ask(docent, await proof(docent))).status).toBe(200);
  expect((await ask(docent, await proof(docent))).status).toBe(429);
});

test('a challenge is a look-up, and costs its address no question', async () => {
  await using docent = await start({ limits: { perAddressAndDay: 2 } });
  for (let i = 0; i < 2; i++) {
    expect((await ask(docent, await proof(docent))).status).toBe(200);
  }
});

test('a challenge is still good after a restart, and a spent one still spent', async () => {
  await using folder = await temporaryFolder();
  const options = { dataFolder: folder.path };
  let key = '';
  let proofs: string[] = [];
  {
    await using docent = await start(options);
    key = docent.key;
    proofs = [await proof(docent), await proof(docent)];
    expect((await ask(docent, proofs[0])).status).toBe(200);
  }
  await using docent = await start(options);
  expect(await ask(docent, proofs[0], { key })).toMatchObject(refusal('has been used already'));
  expect((await ask(docent, proofs[1], { key })).status).toBe(200);
});

test('the other protocols ask for it too; search and the site’s own data do not', async () => {
  await using docent = await start();
  const headers = { authorization: `Bearer ${docent.key}`, 'content-type': 'application/json' };
  const v1 = await fetch(`${docent.url}/discovery/v1/assistant/kestrel-docs/message`, {
    method: 'POST',
    headers,
    body: JSON.stringify(toBody('How do I install Kestrel?')),
  });
  expect(v1.status).toBe(403);
  const completion = (more: object) =>
    fetch(`${docent.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify({
        model: 'kestrel-docs',
        messages: [{ role: 'user', content: 'How do I install Kestrel?' }],
      }),
    });
  expect((await completion({})).status).toBe(403);
  expect((await completion({ 'X-Challenge': await proof(docent) })).status).toBe(200);
  const search = await fetch(`${docent.url}/discovery/v1/search/kestrel-docs`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query: 'install' }),
  });
  expect(search.status).toBe(200);
  const site = await fetch(`${docent.url}/discovery/v1/site/kestrel-docs`, { headers });
  expect(site.status).toBe(200);
});

test('keys that are excepted are asked for none', async () => {
  await using folder = await temporaryFolder();
  let key = '';
  let id = '';
  {
    await using docent = await start({ dataFolder: folder.path });
    ({ key } = docent);
    ({ id } = docent.keyInfo);
    expect((await ask(docent)).status).toBe(403);
  }
  await using docent = await start({
    dataFolder: folder.path,
    site: { challenge: { difficulty, exceptKeys: [id] } },
  });
  expect((await ask(docent, undefined, { key })).status).toBe(200);
  expect((await ask(docent)).status).toBe(403);
});

test('a site that asks for none has no challenges, and takes no notice of the header', async () => {
  await using docent = await startDocent();
  expect((await getChallenge(docent)).response.status).toBe(404);
  expect((await ask(docent, 'anything')).status).toBe(200);
});

test('the example of the documentation works as it stands', async () => {
  await using docent = await start();
  await using folder = await temporaryFolder();
  const page = fileURLToPath(new URL('../../demo-site/docs/budgets-and-abuse.md', import.meta.url));
  const example = /```js filename="ask.mjs"\n(.*?)```/s.exec(await readFile(page, 'utf8'))?.[1];
  const file = join(folder.path, 'ask.mjs');
  await writeFile(file, example ?? '');
  const { stdout } = await promisify(execFile)(process.execPath, [file], {
    env: { DOCENT_URL: docent.url, DOCENT_KEY: docent.key, DOCENT_SITE: 'kestrel-docs' },
  });
  expect(stdout).toMatch(/^200 data: /);
  expect(stdout).toContain('"type":"finish"');
});
