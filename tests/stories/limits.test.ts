/** The three limits, exact at their boundary, in the windows of the calendar. */
import { describe, expect, test } from 'vitest';
import { readRest, readUntil, textOf, toBody } from '../support/ask.ts';
import { postJson } from '../support/call.ts';
import { temporaryFolder } from '../support/fixture.ts';
import { gate, startScriptedModel } from '../support/scripted-model.ts';
import { startDocent, type StartOptions, type TestDocent } from '../support/start-docent.ts';
import { verifies } from '../support/verifies.ts';
import { waitFor } from '../support/wait-for.ts';

const question = 'How do I install Kestrel?';
const high = 1_000;

/** A clock that a test sets. */
function clock(start: string) {
  let time = new Date(start);
  return { now: () => time, set: (next: string) => (time = new Date(next)) };
}

const start = (limits: StartOptions['limits'], more: StartOptions = {}) =>
  startDocent({
    limits: {
      perKeyAndMonth: high,
      perOrganizationAndHour: high,
      perAddressAndDay: high,
      ...limits,
    },
    ...more,
  });

/** Asks for what every limit but the monthly one counts as well, without waiting for an answer. */
async function status(docent: TestDocent, options: Parameters<TestDocent['post']>[1] = {}) {
  const response = await docent.post(toBody(question), options);
  await response.text();
  return response.status;
}

async function otherKey(docent: TestDocent, organization = 'kestrel') {
  const made = await docent.keys.create({ kind: 'assistant', organization, name: 'other' });
  return made.token;
}

describe('fifty requests at once against a limit of twenty', () => {
  async function passed(limits: StartOptions['limits']): Promise<number[]> {
    await using docent = await start(limits);
    const all = await Promise.all(Array.from({ length: 50 }, () => status(docent)));
    return [200, 429].map((each) => all.filter((one) => one === each).length);
  }

  verifies('limits:key-month', 'per key and month: exactly twenty pass', async () => {
    expect(await passed({ perKeyAndMonth: 20 })).toEqual([20, 30]);
  });
  verifies(
    'limits:organization-hour',
    'per organization and hour: exactly twenty pass',
    async () => {
      expect(await passed({ perOrganizationAndHour: 20 })).toEqual([20, 30]);
    },
  );
  verifies('limits:address-day', 'per address and day: exactly twenty pass', async () => {
    expect(await passed({ perAddressAndDay: 20 })).toEqual([20, 30]);
  });
});

test('10,000 of each, where nothing is configured', async () => {
  await using docent = await startDocent();
  const { headers } = await docent.ask(question);
  const policy = headers.get('ratelimit-policy');
  expect(policy).toMatch(/"address-day"; q=10000; w=86400/);
  expect(policy).toMatch(/"organization-hour"; q=10000; w=3600/);
  expect(policy).toMatch(/"key-month"; q=10000; w=2678400/);
});

describe('a refusal says when to come back', () => {
  test.each([
    ['perKeyAndMonth', 'key-month', '2026-03-31T23:59:00Z', 60],
    ['perOrganizationAndHour', 'organization-hour', '2026-03-10T12:58:20Z', 100],
    ['perAddressAndDay', 'address-day', '2026-03-10T22:00:00Z', 7_200],
  ] as const)('%s', async (limit, name, at, seconds) => {
    await using docent = await start({ [limit]: 1 }, { now: clock(at).now });
    expect(await status(docent)).toBe(200);
    const refused = await docent.ask(question, {
      headers: { origin: 'https://docs.kestrel.example' },
    });
    expect(refused.status).toBe(429);
    const { retryAfter, ...body } = refused.json;
    expect(body).toEqual({
      code: 'rate_limited',
      error: expect.stringMatching(/^(Your|This) .*\.$/),
      requestId: refused.headers.get('x-request-id'),
    });
    expect(refused.headers.get('retry-after')).toBe(String(retryAfter));
    // The clock stands still, but the header is reckoned with the machine's, which runs on a little.
    expect(retryAfter).toBeGreaterThan(seconds - 10);
    expect(retryAfter).toBeLessThanOrEqual(seconds);
    expect(refused.headers.get('ratelimit')).toContain(`"${name}"; r=0; t=${String(retryAfter)}`);
    expect(refused.headers.get('ratelimit-policy')).toContain(`"${name}"; q=1;`);
    expect(refused.headers.get('access-control-allow-origin')).toBe('https://docs.kestrel.example');
    expect(refused.headers.get('access-control-expose-headers')).toContain('Retry-After');
  });
});

describe('a window ends by the calendar, in UTC', () => {
  test.each([
    [
      'perKeyAndMonth',
      'February',
      '2026-02-01T00:00:00Z',
      '2026-02-28T23:59:59.999Z',
      '2026-03-01T00:00:00Z',
    ],
    [
      'perKeyAndMonth',
      'a leap year',
      '2028-02-28T12:00:00Z',
      '2028-02-29T23:59:59.999Z',
      '2028-03-01T00:00:00Z',
    ],
    [
      'perKeyAndMonth',
      'December',
      '2026-12-01T00:00:00Z',
      '2026-12-31T23:59:59.999Z',
      '2027-01-01T00:00:00Z',
    ],
    [
      'perKeyAndMonth',
      'a month of 31 days',
      '2026-07-31T00:00:00Z',
      '2026-07-31T23:59:59.999Z',
      '2026-08-01T00:00:00Z',
    ],
    [
      'perOrganizationAndHour',
      'an hour',
      '2026-03-10T12:00:00Z',
      '2026-03-10T12:59:59.999Z',
      '2026-03-10T13:00:00Z',
    ],
    [
      'perAddressAndDay',
      'a day',
      '2026-03-10T00:00:00Z',
      '2026-03-10T23:59:59.999Z',
      '2026-03-11T00:00:00Z',
    ],
    [
      'perAddressAndDay',
      'the last day',
      '2026-12-31T05:00:00Z',
      '2026-12-31T23:59:59.999Z',
      '2027-01-01T00:00:00Z',
    ],
  ] as const)('%s: %s', async (limit, _what, begin, last, next) => {
    const time = clock(begin);
    await using docent = await start({ [limit]: 1 }, { now: time.now });
    expect(await status(docent)).toBe(200);
    time.set(last);
    expect(await status(docent)).toBe(429);
    time.set(next);
    expect(await status(docent)).toBe(200);
    expect(await status(docent)).toBe(429);
  });
});

describe('a clock that steps', () => {
  test.each(['perKeyAndMonth', 'perOrganizationAndHour', 'perAddressAndDay'] as const)(
    '%s: back into a used-up window grants nothing, forward opens the next one',
    async (limit) => {
      const time = clock('2026-03-31T23:59:30Z');
      await using docent = await start({ [limit]: 2 }, { now: time.now });
      expect([await status(docent), await status(docent), await status(docent)]).toEqual([
        200, 200, 429,
      ]);
      time.set('2026-04-01T00:00:10Z');
      expect(await status(docent)).toBe(200);
      time.set('2026-03-31T23:59:50Z');
      expect(await status(docent)).toBe(429);
      time.set('2026-04-01T00:00:20Z');
      expect([await status(docent), await status(docent)]).toEqual([200, 429]);
    },
  );
});

test('counts survive a restart', async () => {
  await using folder = await temporaryFolder();
  const limits = { perKeyAndMonth: 3 };
  let key: string;
  {
    await using docent = await start(limits, { dataFolder: folder.path });
    key = docent.key;
    expect(await status(docent)).toBe(200);
    expect(await status(docent)).toBe(200);
  }
  await using again = await start(limits, { dataFolder: folder.path });
  expect(await status(again, { key })).toBe(200);
  expect(await status(again, { key })).toBe(429);
});

describe('who is counted', () => {
  test('a key by itself: another of its organization still has its own', async () => {
    await using docent = await start({ perKeyAndMonth: 1 });
    const other = await otherKey(docent);
    expect(await status(docent)).toBe(200);
    expect(await status(docent)).toBe(429);
    expect(await status(docent, { key: other })).toBe(200);
  });

  test('an organization by all of its keys; others are not touched', async () => {
    await using docent = await start({ perOrganizationAndHour: 2 });
    const same = await otherKey(docent);
    const osprey = await otherKey(docent, 'osprey');
    expect(await status(docent)).toBe(200);
    expect(await status(docent, { key: same })).toBe(200);
    expect(await status(docent)).toBe(429);
    expect(await status(docent, { key: same })).toBe(429);
    expect(await status(docent, { key: osprey, domain: 'osprey-docs' })).toBe(200);
  });

  test('an address also while it guesses keys', async () => {
    await using docent = await start({ perAddressAndDay: 2 });
    expect(await status(docent, { key: 'svc_dsc_wrong' })).toBe(401);
    expect(await status(docent, { key: '' })).toBe(401);
    expect(await status(docent)).toBe(429);
  });

  test('what the organization’s limit refuses costs no monthly use', async () => {
    const time = clock('2026-03-10T12:00:00Z');
    await using docent = await start(
      { perOrganizationAndHour: 1, perKeyAndMonth: 2 },
      { now: time.now },
    );
    expect(await status(docent)).toBe(200);
    for (let i = 0; i < 5; i++) expect(await status(docent)).toBe(429);
    time.set('2026-03-10T13:00:00Z');
    expect(await status(docent)).toBe(200);
  });

  describe('a request that is refused for what it says uses nothing of the key', () => {
    const cases: [string, string, object, number][] = [
      ['a wrong body', '/discovery/v2/assistant/kestrel-docs/message', { fp: 5 }, 400],
      ['no question', '/discovery/v2/assistant/kestrel-docs/message', toBody(' '), 400],
      ['an unknown site', '/discovery/v2/assistant/none/message', toBody(question), 404],
      ['a wrong body, version 1', '/discovery/v1/assistant/kestrel-docs/message', {}, 400],
      ['a chat completion without words', '/v1/chat/completions', { model: 'kestrel-docs' }, 400],
      ['a wrong search', '/discovery/v1/search/kestrel-docs', {}, 400],
      ['a search of an unknown site', '/discovery/v1/search/none', { query: 'x' }, 404],
      ['a wrong page', '/discovery/v1/page/kestrel-docs', {}, 400],
      ['a wrong tool call', '/mcp/kestrel-docs', { method: 'tools/call' }, 400],
      [
        'a tool call at an unknown site',
        '/mcp/none',
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: {} },
        404,
      ],
    ];
    const search = { path: '/discovery/v1/search/kestrel-docs', body: { query: 'install' } };

    test.each(['perKeyAndMonth', 'perOrganizationAndHour'] as const)('%s', async (limit) => {
      await using docent = await start({ [limit]: 1 });
      for (const [name, path, body, expected] of cases) {
        const { status: got } = await postJson(docent, path, body);
        expect([name, got]).toEqual([name, expected]);
      }
      const noJson = await fetch(`${docent.url}${search.path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${docent.key}`, 'content-type': 'application/json' },
        body: '{',
      });
      expect(noJson.status).toBe(400);
      expect(await status(docent)).toBe(200);
      expect(await status(docent)).toBe(429);
      expect((await postJson(docent, search.path, search.body)).status).toBe(200);
      expect((await postJson(docent, search.path, search.body)).status).toBe(429);
    });

    test('all of them count for the address', async () => {
      await using docent = await start({ perAddressAndDay: cases.length / 2 });
      for (const [name, path, body, expected] of cases) {
        const { status: got } = await postJson(docent, path, body);
        expect([name, got]).toEqual([name, expected]);
      }
      expect(await status(docent)).toBe(429);
      expect((await postJson(docent, search.path, search.body)).status).toBe(429);
    });
  });

  test('a used-up key does not use up its organization’s hour', async () => {
    await using docent = await start({ perOrganizationAndHour: 3, perKeyAndMonth: 1 });
    const other = await otherKey(docent);
    expect(await status(docent)).toBe(200);
    for (let i = 0; i < 5; i++) expect(await status(docent)).toBe(429);
    expect(await status(docent, { key: other })).toBe(200);
  });

  test('health and the widget count for nothing', async () => {
    await using docent = await start({ perAddressAndDay: 1 });
    for (let i = 0; i < 5; i++) expect((await fetch(`${docent.url}/healthz`)).status).toBe(200);
    expect(await status(docent)).toBe(200);
  });
});

describe('what asks no model is counted by itself', () => {
  const search = async (docent: TestDocent, key = docent.key) => {
    const response = await fetch(`${docent.url}/discovery/v1/search/kestrel-docs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'install', pageSize: 3 }),
    });
    const body = (await response.json()) as unknown;
    return { status: response.status, hits: Array.isArray(body) ? body.length : 0, body };
  };

  test.each(['perKeyAndMonth', 'perOrganizationAndHour', 'perAddressAndDay'] as const)(
    '%s: with no question left, pages are found, and the other way round',
    async (limit) => {
      await using docent = await start({ [limit]: 2 });
      expect([await status(docent), await status(docent), await status(docent)]).toEqual([
        200, 200, 429,
      ]);
      expect(await search(docent)).toMatchObject({ status: 200, hits: 2 });
      expect((await search(docent)).status).toBe(200);
      // Not an open door: it has the same limit for itself.
      expect(await search(docent)).toMatchObject({
        status: 429,
        body: { code: 'rate_limited', retryAfter: expect.any(Number) as number },
      });
      expect(await status(docent)).toBe(429);
    },
  );

  test('searches use up no questions', async () => {
    await using docent = await start({ perAddressAndDay: 2, perKeyAndMonth: 2 });
    for (let i = 0; i < 3; i++) await search(docent);
    expect([await status(docent), await status(docent)]).toEqual([200, 200]);
  });

  test('whoever guesses keys there is counted, too', async () => {
    await using docent = await start({ perAddressAndDay: 1 });
    expect((await search(docent, 'svc_dsc_wrong')).status).toBe(401);
    expect((await search(docent)).status).toBe(429);
  });

  test('an answer is read on and stopped after the last question', async () => {
    await using docent = await start({ perAddressAndDay: 1 });
    const { parts } = await docent.ask(question);
    expect(await status(docent)).toBe(429);
    const id = parts[0]?.['messageId'] as string;
    const again = await docent.resume(id);
    expect(again.response.status).toBe(200);
    again.leave();
    await using third = await start({ perAddressAndDay: 1 });
    await third.ask(question);
    // What chat SDK 4 asks after each reload.
    const reload = await fetch(
      `${third.url}/discovery/v1/assistant/kestrel-docs/message?chatId=1`,
      { headers: { authorization: `Bearer ${third.key}` } },
    );
    expect(reload.status).toBe(200);
    await using other = await start({ perAddressAndDay: 1 });
    await other.ask(question);
    expect((await other.stop(id)).status).toBe(204);
  });

  test('readers rate and delete what is theirs after the last question; neither uses up one', async () => {
    await using docent = await start({ perAddressAndDay: 4 });
    const headers = { authorization: `Bearer ${docent.key}`, 'x-fp': 'jo' };
    const remove = async (what: string) => {
      const url = `${docent.url}/discovery/v1/${what}`;
      return (await fetch(url, { method: 'DELETE', headers })).status;
    };
    const asked = await docent.ask(toBody(question, { fp: 'jo' }));
    const given = await fetch(`${docent.url}/discovery/v1/feedback/kestrel-docs`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ fp: 'jo', path: '/install', rating: 'up' }),
    });
    const { id } = (await given.json()) as { id: string };
    for (const expected of [200, 200, 200, 429]) expect(await status(docent)).toBe(expected);
    expect(await remove(`feedback/kestrel-docs/${id}`)).toBe(204);
    expect(await remove(`thread/kestrel-docs/${asked.headers.get('x-thread-id')}`)).toBe(204);
    // Not an open door either: somebody who tries ids is refused by and by.
    expect(await remove('thread/kestrel-docs/none')).toBe(404);
    expect(await remove('thread/kestrel-docs/none')).toBe(429);

    await using other = await start({ perAddressAndDay: 1 });
    const nothing = await fetch(`${other.url}/discovery/v1/feedback/kestrel-docs/none`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${other.key}` },
    });
    expect(nothing.status).toBe(204);
    expect(await status(other)).toBe(200);
  });
});

test('an answer has so many readers at the same moment, and another when one has left', async () => {
  const model = await startScriptedModel();
  await using docent = await start({ readersPerAnswer: 2 }, { model });
  const held = gate();
  model.once(['Half', held, ' whole']);
  const key = crypto.randomUUID();
  const named = { headers: { 'idempotency-key': key } };
  const first = await docent.open(question, named);
  const [begun] = await readUntil(first.parts, 'text-delta');
  const id = begun?.['messageId'] as string;
  const second = await docent.resume(id);
  expect(second.response.status).toBe(200);
  // By any of its names, and sent again as well.
  for (const refused of [
    (await docent.resume(id)).response,
    (await docent.resume(key)).response,
    (await docent.open(question, named)).response,
  ]) {
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('15');
    expect(await refused.json()).toMatchObject({ code: 'rate_limited' });
  }
  second.leave();
  const again = await waitFor('room', async () => {
    const resumed = await docent.resume(id);
    return resumed.response.status === 200 && resumed;
  });
  held.open();
  expect(textOf(await readRest(again.parts))).toBe('Half whole');
  expect(textOf(await readRest(first.parts))).toBe(' whole');
  await model.close();
});

describe('X-Forwarded-For', () => {
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

  test('is the client’s word: without trustProxy it counts for nothing', async () => {
    await using docent = await start({ perAddressAndDay: 1 });
    expect(await status(docent, from('203.0.113.1'))).toBe(200);
    expect(await status(docent, from('203.0.113.2'))).toBe(429);
  });

  test.each([1, ['127.0.0.0/8']])(
    'with trustProxy %j each address has its own',
    async (trustProxy) => {
      await using docent = await start({ perAddressAndDay: 1 }, { server: { trustProxy } });
      expect(await status(docent, from('203.0.113.1'))).toBe(200);
      expect(await status(docent, from('203.0.113.1'))).toBe(429);
      expect(await status(docent, from('203.0.113.2'))).toBe(200);
      // What the client itself wrote stands further left and is not believed.
      expect(await status(docent, from('198.51.100.9, 203.0.113.2'))).toBe(429);
    },
  );

  test('a whole IPv6 network of one customer counts as one address', async () => {
    await using docent = await start({ perAddressAndDay: 1 }, { server: { trustProxy: 1 } });
    expect(await status(docent, from('2001:db8:1:1::1'))).toBe(200);
    expect(await status(docent, from('2001:db8:1:1::2'))).toBe(429);
    expect(await status(docent, from('2001:db8:9:1::1'))).toBe(200);
  });
});
