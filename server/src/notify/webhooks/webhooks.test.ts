/** From an event of a job to its receiver: signed, again and again until it is taken, and never to where it must not go. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { WebhookBody, type WebhookEvent } from '@docent/shared/webhooks';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, test } from 'vitest';
import { eachDatabase, quiet } from '../../../testing/each-database.ts';
import { createAudit } from '../audit/audit.ts';
import { BudgetsConfig } from '../../platform/config/budgets-config.ts';
import { ProjectConfig } from '../../platform/config/project-config.ts';
import type { Logger } from '../../platform/log.ts';
import { type Store, testClock } from '../../platform/store/database.ts';
import { retryPausesMs, type SenderOptions } from './sender.ts';
import { sendWebhook } from './send-webhook.ts';
import { createWebhooks } from './webhooks.ts';

const secret = `whsec_${Buffer.from('a secret of thirty-two bytes ....').toString('base64')}`;
const oldSecret = `whsec_${Buffer.from('the secret from before this one.').toString('base64')}`;
const hour = 3_600_000;

interface Received {
  headers: Record<string, string>;
  body: string;
}

type Answer = number | { status: number; headers?: Record<string, string>; body?: string } | 'none';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** An endpoint that answers what a test says. */
async function startEndpoint(answer: Answer | ((count: number) => Answer) = 204) {
  const received: Received[] = [];
  const waiting: (() => void)[] = [];
  const state = { answer };
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.once('end', () => {
      received.push({ headers: request.headers as Record<string, string>, body });
      for (const done of waiting.splice(0)) done();
      const { answer: now } = state;
      const said = typeof now === 'function' ? now(received.length) : now;
      if (said === 'none') return;
      const { status, headers, body: text } = typeof said === 'number' ? { status: said } : said;
      response.writeHead(status, headers).end(text);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/hooks?token=geheim`,
    received,
    reply: (next: Answer) => void (state.answer = next),
    /** The next request that comes. */
    next: () => new Promise<void>((resolve) => waiting.push(resolve)),
  };
}

type Setting = Partial<NonNullable<(typeof ProjectConfig)['_input']['webhooks']>[number]>;

/** The service's webhooks for one project, on a clock that a test sets. */
function setUp(
  opened: Store,
  webhooks: Setting[],
  options: SenderOptions = {},
  start = Date.now(),
) {
  let time = start;
  const now = () => new Date(time);
  const store = { ...opened, clock: testClock(now) };
  const project = ProjectConfig.parse({
    id: 'acme-docs',
    organization: 'acme',
    webhooks: webhooks.map((webhook) => ({
      secretEnv: 'SECRET',
      allowPrivateHosts: ['127.0.0.1'],
      ...webhook,
    })),
  });
  const secrets: Record<string, string> = { SECRET: secret, OLD_SECRET: oldSecret };
  const { database } = store;
  const audit = createAudit({ store, now });
  const made = createWebhooks(
    {
      config: { sites: [], projects: [project], budgets: BudgetsConfig.parse({}) },
      environment: { secret: (name) => secrets[name] },
      store,
      now,
      audit,
      log: { ...quiet, error() {} } as unknown as Logger,
    },
    { random: () => 0.5, ...options },
  );
  return {
    ...made,
    project,
    audit,
    work: () => made.sender.work(),
    pass: (ms: number) => void (time += ms),
    say: (type: WebhookEvent, job = 'job-1', project = 'acme-docs') =>
      database.transaction().execute((tx) =>
        made.enqueue(tx, {
          type,
          project,
          time: now(),
          data: { job: { id: job, status: 'active', prLink: null } },
        }),
      ),
    deliveries: async () => (await made.list('acme', { limit: 100 })).deliveries,
  };
}

const all: (addresses: string[]) => LookupFunction = (addresses) => (_name, options, done) => {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  if (options.all) done(null, found);
  else done(null, found[0]?.address ?? '', found[0]?.family ?? 4);
};

eachDatabase((openNew) => {
  test('a message is signed, says what happened, and is sent once', async () => {
    const store = await openNew();
    const endpoint = await startEndpoint();
    const webhooks = setUp(store, [{ url: endpoint.url }]);
    await webhooks.say('job.completed');
    await Promise.all([webhooks.work(), webhooks.work()]);
    await webhooks.work();
    expect(endpoint.received).toHaveLength(1);
    const { headers, body } = endpoint.received[0] ?? { headers: {}, body: '' };
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringContaining('Docent'),
    });
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(secret).verify(body.replace('acme', 'akme'), headers)).toThrow();
    expect(() => new Webhook(oldSecret).verify(body, headers)).toThrow();
    expect(WebhookBody.parse(JSON.parse(body))).toMatchObject({
      type: 'job.completed',
      data: { version: 2, project: 'acme-docs', job: { id: 'job-1' } },
    });
    expect(await webhooks.deliveries()).toEqual([
      expect.objectContaining({
        id: headers['webhook-id'],
        status: 'delivered',
        attempts: 1,
        lastStatus: 204,
        dueAt: null,
      }),
    ]);
  });

  test('during a rotation of the secret, both sign', async () => {
    const store = await openNew();
    const endpoint = await startEndpoint();
    const webhooks = setUp(store, [{ url: endpoint.url, previousSecretEnv: 'OLD_SECRET' }]);
    await webhooks.say('job.created');
    await webhooks.work();
    const { headers, body } = endpoint.received[0] ?? { headers: {}, body: '' };
    for (const each of [secret, oldSecret]) new Webhook(each).verify(body, headers);
  });

  test('each endpoint gets only the events that it wants, of its project', async () => {
    const store = await openNew();
    const [one, other] = [await startEndpoint(), await startEndpoint()];
    const webhooks = setUp(store, [{ url: one.url }, { url: other.url, events: ['job.failed'] }]);
    await webhooks.say('job.created');
    await webhooks.say('job.failed');
    await webhooks.say('job.failed', 'job-2', 'of-others');
    await webhooks.work();
    // Their order is not promised.
    const types = (received: Received[]) =>
      received.map(({ body }) => (JSON.parse(body) as { type: string }).type).toSorted();
    expect(types(one.received)).toEqual(['job.created', 'job.failed']);
    expect(types(other.received)).toEqual(['job.failed']);
  });

  test('a message that is rolled back is never sent', async () => {
    const store = await openNew();
    const endpoint = await startEndpoint();
    const webhooks = setUp(store, [{ url: endpoint.url }]);
    const data = { job: { id: 'job-1', status: 'active', prLink: null } };
    await expect(
      store.database.transaction().execute(async (tx) => {
        const message = { type: 'job.created' as const, project: 'acme-docs', time: new Date() };
        await webhooks.enqueue(tx, { ...message, data });
        throw new Error('not after all');
      }),
    ).rejects.toThrow();
    await webhooks.work();
    expect(endpoint.received).toHaveLength(0);
  });

  test('a message is tried nine times in 32 hours with the same ID and body, and then given up', async () => {
    const store = await openNew();
    const endpoint = await startEndpoint({ status: 503, body: 'sorry, jane@acme.com\n' });
    const webhooks = setUp(store, [{ url: endpoint.url }]);
    await webhooks.say('job.completed');
    await webhooks.work();
    for (const pause of retryPausesMs) {
      const [delivery] = await webhooks.deliveries();
      expect(delivery).toMatchObject({ status: 'pending', lastFault: 'status 503' });
      webhooks.pass(pause - 1);
      await webhooks.work();
      const before = endpoint.received.length;
      webhooks.pass(1);
      await webhooks.work();
      expect(endpoint.received).toHaveLength(before + 1);
    }
    expect(endpoint.received).toHaveLength(9);
    expect(retryPausesMs.reduce((sum, pause) => sum + pause, 0)).toBeGreaterThan(30 * hour);
    const same = endpoint.received.map(({ headers, body }) => headers['webhook-id'] + body);
    expect(new Set(same).size).toBe(1);
    const times = endpoint.received.map(({ headers }) => headers['webhook-timestamp']);
    expect(new Set(times).size).toBe(9);
    expect(await webhooks.deliveries()).toEqual([
      expect.objectContaining({
        status: 'failed',
        attempts: 9,
        lastStatus: 503,
        lastResponse: 'sorry, [redacted e-mail]',
        dueAt: null,
      }),
    ]);
    webhooks.pass(100 * hour);
    await webhooks.work();
    expect(endpoint.received).toHaveLength(9);
  });

  test('the first success ends the attempts', async () => {
    const store = await openNew();
    const endpoint = await startEndpoint((count) => (count < 3 ? 500 : 200));
    const webhooks = setUp(store, [{ url: endpoint.url }]);
    await webhooks.say('job.completed');
    for (const pause of [0, ...retryPausesMs]) {
      webhooks.pass(pause);
      await webhooks.work();
    }
    expect(endpoint.received).toHaveLength(3);
    expect(await webhooks.endpointsOf({ project: 'acme-docs' })).toMatchObject([
      {
        failures: 0,
        origin: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      },
    ]);
  });

  test.each([
    ['seconds', { 'retry-after': '7200' }, 2 * hour],
    ['a date', { 'retry-after': new Date(3 * hour).toUTCString() }, 3 * hour],
    ['more than a day', { 'retry-after': '999999' }, 24 * hour],
    ['less than we would wait', { 'retry-after': '1' }, 5_000],
    ['nonsense', { 'retry-after': 'soon' }, 5_000],
  ])('Retry-After: %s', async (_what, headers, wait) => {
    const store = await openNew();
    const endpoint = await startEndpoint({ status: 429, headers });
    const webhooks = setUp(store, [{ url: endpoint.url }], {}, 0);
    await webhooks.say('job.completed');
    await webhooks.work();
    const [delivery] = await webhooks.deliveries();
    expect(delivery?.dueAt).toBe(new Date(wait).toISOString());
  });

  test('pauses differ by chance, by a fifth at most', async () => {
    const store = await openNew();
    const endpoint = await startEndpoint(500);
    let chance = 0;
    const webhooks = setUp(store, [{ url: endpoint.url }], { random: () => chance }, 0);
    for (const [random, due] of [
      [0, 4_000],
      [0.999, 5_998],
    ] as const) {
      chance = random;
      await webhooks.say('job.completed', `job-${random}`);
      await webhooks.work();
      const delivery = (await webhooks.deliveries()).find(({ jobId }) => jobId === `job-${random}`);
      expect(delivery?.dueAt).toBe(new Date(due).toISOString());
    }
  });

  test('a process that dies while it sends: another one sends it, with the same id', async () => {
    const store = await openNew();
    const endpoint = await startEndpoint('none');
    const one = setUp(store, [{ url: endpoint.url }]);
    await one.say('job.completed');
    const came = endpoint.next();
    const dying = one.work();
    await came;
    // Its lease holds: nobody else sends it meanwhile.
    const other = setUp(store, [{ url: endpoint.url }]);
    await other.work();
    expect(endpoint.received).toHaveLength(1);
    await one.sender.stop();
    await dying;
    endpoint.reply(204);
    other.pass(61_000);
    await other.work();
    expect(endpoint.received).toHaveLength(2);
    const ids = endpoint.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
    expect(await other.deliveries()).toMatchObject([{ status: 'delivered', attempts: 2 }]);
  });

  test('several processes send each message once', async () => {
    const store = await openNew();
    const endpoint = await startEndpoint();
    const processes = [1, 2, 3].map(() => setUp(store, [{ url: endpoint.url }]));
    for (let job = 0; job < 12; job++) await processes[0]?.say('job.created', `job-${job}`);
    await Promise.all(processes.map(({ work }) => work()));
    const ids = endpoint.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(12);
    expect(new Set(ids).size).toBe(12);
  });

  test('an endpoint that does not answer delays no other', async () => {
    const store = await openNew();
    const [silent, other] = [await startEndpoint('none'), await startEndpoint()];
    const webhooks = setUp(store, [{ url: silent.url }, { url: other.url }]);
    await webhooks.say('job.created');
    const came = [silent.next(), other.next()];
    const working = webhooks.work();
    await Promise.all(came);
    expect(other.received).toHaveLength(1);
    await webhooks.sender.stop();
    await working;
  });

  test('an endpoint is failing until it takes a message again', async () => {
    const store = await openNew();
    const endpoint = await startEndpoint(500);
    const webhooks = setUp(store, [{ url: endpoint.url }]);
    const state = async () => (await webhooks.endpointsOf({ project: 'acme-docs' }))[0];
    expect(await state()).toMatchObject({ failures: 0, failingSince: null, lastSuccessAt: null });
    await webhooks.say('job.completed', 'job-1');
    for (const pause of [0, ...retryPausesMs]) {
      webhooks.pass(pause);
      await webhooks.work();
    }
    const [failed] = await webhooks.deliveries();
    expect(failed?.status).toBe('failed');
    expect(await state()).toMatchObject({ failures: 9, failingSince: failed?.createdAt });

    endpoint.reply(200);
    await webhooks.say('job.completed', 'job-2');
    await webhooks.work();
    const success = { failures: 0, failingSince: null, lastSuccessAt: expect.any(String) };
    expect(await state()).toMatchObject(success);
    // What had been given up waits for its own replay.
    await webhooks.replay(webhooks.project, failed?.id ?? '', 'key-1');
    await webhooks.work();
    expect((await webhooks.deliveries()).map(({ status }) => status)).toEqual([
      'delivered',
      'delivered',
    ]);
    const trail = (await webhooks.audit.list('acme', { limit: 10 })).map(({ type }) => type);
    expect(trail).toEqual(['webhook.replayed']);
  });

  test('a message that the receiver refuses with 410 Gone is not tried again', async () => {
    const store = await openNew();
    const endpoint = await startEndpoint(410);
    const webhooks = setUp(store, [{ url: endpoint.url }]);
    await webhooks.say('job.completed');
    await webhooks.work();
    expect(await webhooks.deliveries()).toMatchObject([{ status: 'failed', lastStatus: 410 }]);
  });

  test('a delivered message can be sent again with its ID', async () => {
    const store = await openNew();
    const endpoint = await startEndpoint();
    const webhooks = setUp(store, [{ url: endpoint.url }]);
    await webhooks.say('job.completed');
    await webhooks.work();
    const [delivery] = await webhooks.deliveries();
    await webhooks.replay(webhooks.project, delivery?.id ?? '', 'key-1');
    await webhooks.work();
    expect(endpoint.received.map(({ headers }) => headers['webhook-id'])).toEqual([
      delivery?.id,
      delivery?.id,
    ]);
    const unknown = webhooks.replay(webhooks.project, 'unknown', 'key-1');
    await expect(unknown).rejects.toMatchObject({ code: 'not_found' });
    // Another address is another endpoint: there is nowhere to send it.
    const moved = setUp(store, [{ url: `${endpoint.url}&moved` }]);
    const replay = moved.replay(moved.project, delivery?.id ?? '', 'key-1');
    await expect(replay).rejects.toMatchObject({ code: 'conflict' });
  });

  test('neither the address nor a secret is stored, and old deliveries are deleted', async () => {
    const store = await openNew();
    const endpoint = await startEndpoint();
    const webhooks = setUp(store, [{ url: endpoint.url }]);
    await webhooks.say('job.completed');
    await webhooks.work();
    const rows = await store.database.selectFrom('webhook_deliveries').selectAll().execute();
    const text = JSON.stringify(rows);
    for (const word of ['geheim', secret, 'whsec', String(endpoint.port)])
      expect(text).not.toContain(word);
    webhooks.pass(29 * 24 * hour);
    await webhooks.sender.deleteOld();
    expect(await webhooks.deliveries()).toHaveLength(1);
    webhooks.pass(2 * 24 * hour);
    await webhooks.sender.deleteOld();
    expect(await webhooks.deliveries()).toHaveLength(0);
  });
});

describe('allowed addresses', () => {
  const stop = new AbortController().signal;
  const webhook = { id: 'id', body: '{}', time: new Date(), secrets: [secret] };

  test.each([
    ['this machine', 'http://127.0.0.1:4320/', /not on the public Internet/],
    ['this machine by name', 'http://localhost/', /not on the public Internet/],
    ['this machine in another spelling', 'http://2130706433/', /not on the public Internet/],
    ['this machine, mapped', 'http://[::ffff:127.0.0.1]/', /not on the public Internet/],
    ['a private network', 'https://10.0.0.7/hook', /not on the public Internet/],
    ['link-local', 'http://169.254.1.1/', /not on the public Internet/],
    ['the metadata service', 'http://169.254.169.254/latest/', /not on the public Internet/],
    ['a unique local address', 'http://[fd00::1]/', /not on the public Internet/],
    ['another protocol', 'ftp://example.com/', /only http and https/],
    ['a password', 'https://user:pass@example.com/', /user name or password/],
  ])('not to %s', async (_what, url, reason) => {
    const { fault, status } = await sendWebhook(url, webhook, { privateHosts: [] }, stop);
    expect(fault).toMatch(reason);
    expect(status).toBeUndefined();
  });

  test.each([
    ['a private address', ['10.1.2.3']],
    ['this machine', ['127.0.0.1']],
    ['one private address among public ones', ['93.184.215.14', '192.168.0.1']],
    ['this machine by IPv6', ['::1']],
    ['nothing', []],
  ])('not to a name that leads to %s', async (_what, addresses) => {
    const { fault } = await sendWebhook(
      'http://hooks.example.com/',
      webhook,
      { privateHosts: [], lookup: all(addresses) as never },
      stop,
    );
    expect(fault).toMatch(/not on the public Internet/);
  });

  test('a message goes to the address that was checked, even if the name leads elsewhere the next time', async () => {
    const endpoint = await startEndpoint();
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    let asked = 0;
    const lookup: LookupFunction = (name, options, done) =>
      all(answers[Math.min(asked++, 1)] ?? [])(name, options, done);
    const host = `wiki.corp:${endpoint.port}`;
    const { status } = await sendWebhook(
      `http://${host}/`,
      webhook,
      { privateHosts: [host], lookup: lookup as never },
      stop,
    );
    expect([status, asked]).toEqual([204, 1]);
  });

  test.each([301, 302, 303, 307, 308])('a redirect (%i) is not followed', async (status) => {
    const elsewhere = await startEndpoint();
    const endpoint = await startEndpoint({ status, headers: { location: elsewhere.url } });
    const reach = { privateHosts: ['127.0.0.1'] };
    const outcome = await sendWebhook(endpoint.url, webhook, reach, stop);
    expect(outcome.fault).toBe(`status ${status}: redirects are not followed`);
    expect(elsewhere.received).toHaveLength(0);
  });

  test('a receiver that does not answer is given up', async () => {
    const endpoint = await startEndpoint('none');
    const reach = { privateHosts: ['127.0.0.1'], timeoutMs: 50 };
    const { fault } = await sendWebhook(endpoint.url, webhook, reach, stop);
    expect(fault).toBe('no answer in time');
  });

  test('a long response is cut, and only its text is kept', async () => {
    const body = `\u0000\u001b[31m${'x'.repeat(1_000_000)}`;
    const endpoint = await startEndpoint({ status: 400, body });
    const reach = { privateHosts: ['127.0.0.1'] };
    const { response, fault } = await sendWebhook(endpoint.url, webhook, reach, stop);
    expect(fault).toBe('status 400');
    expect(response).toBe(`[31m${'x'.repeat(196)}`);
  });

  test('if nobody listens, the fault does not contain the address', async () => {
    const endpoint = await startEndpoint();
    servers.splice(0).map((server) => server.close());
    const reach = { privateHosts: ['127.0.0.1'] };
    const { fault } = await sendWebhook(endpoint.url, webhook, reach, stop);
    expect(fault).toBe('ECONNREFUSED');
  });
});
