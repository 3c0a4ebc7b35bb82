/** A reader asks for a person: by webhook and by email, once, and a key of the owner reads the conversation. */
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkConfig } from '@docent/server/docent';
import { getJson, postJson } from '../support/call.ts';
import { kestrel } from '../support/fixture.ts';
import { startMailServer } from '../support/mail-server.ts';
import { startReceiver } from '../support/receiver.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

const secret = `whsec_${Buffer.from('a secret of thirty-two bytes ....').toString('base64')}`;
const person = {
  name: 'Ada Lovelace',
  email: 'ada@reader.example',
  message: 'My station beeps.\nWhy?',
  consent: true,
};

let mail: Awaited<ReturnType<typeof startMailServer>>;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let docent: TestDocent;

beforeAll(async () => {
  [mail, receiver] = await Promise.all([startMailServer(), startReceiver()]);
  docent = await startDocent({
    email: mail.email,
    sites: {
      'kestrel-docs': {
        handOver: {
          email: 'support@kestrel.example',
          webhook: {
            url: receiver.url,
            secretEnv: 'HOOK_SECRET',
            allowPrivateHosts: ['127.0.0.1'],
          },
        },
      },
      'osprey-docs': { handOver: { link: 'https://tickets.example.com/new?c={threadId}' } },
    },
    variables: { MAIL_PASSWORD: 'geheim', HOOK_SECRET: secret },
  });
});
afterAll(async () => {
  await docent[Symbol.asyncDispose]();
  await Promise.all([mail[Symbol.asyncDispose](), receiver[Symbol.asyncDispose]()]);
});

const path = '/discovery/v1/hand-over/kestrel-docs';
const deliveries = () =>
  docent.docent.services.database
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('type', '=', 'handover.created')
    .orderBy('id')
    .execute();
/** As if the pause were over. */
const sendAgain = async () => {
  await docent.docent.services.database
    .updateTable('webhook_deliveries')
    .set({ due_at: '2000-01-01T00:00:00.000Z' })
    .where('status', '=', 'pending')
    .execute();
  await docent.docent.services.webhooks.sender.work();
};
const ask = async (fp: string, question = 'Why does my station beep?') => {
  const { headers } = await docent.ask({
    fp,
    messages: [{ role: 'user', parts: [{ type: 'text', text: question }] }],
  });
  return headers.get('x-thread-id') ?? '';
};

test('the widget learns how a reader reaches people', async () => {
  const { body } = await getJson(docent, '/discovery/v1/site/kestrel-docs');
  expect(body['handOver']).toEqual({ kind: 'form' });
  const { token } = await docent.keys.create({
    kind: 'assistant',
    organization: 'osprey',
    name: 'osprey',
  });
  const osprey = await getJson(docent, '/discovery/v1/site/osprey-docs', { key: token });
  expect(osprey.body['handOver']).toEqual({
    kind: 'link',
    url: 'https://tickets.example.com/new?c={threadId}',
  });
  const none = await postJson(
    docent,
    '/discovery/v1/hand-over/osprey-docs',
    { ...person, fp: 'ada' },
    { key: token },
  );
  expect(none.status).toBe(404);
});

test('both get it, the email after the mail server has refused it twice, and each once', async () => {
  const threadId = await ask('ada');
  mail.refuse(2);
  const first = await postJson(docent, path, { ...person, fp: 'ada', threadId });
  expect(first.status).toBe(201);
  // A second press, and a lost reply: the same.
  const second = await postJson(docent, path, { ...person, fp: 'ada', threadId });
  expect(second.body).toEqual(first.body);
  await waitFor('the first attempts', async () =>
    (await deliveries()).every(({ attempts, owner }) => attempts === 1 && owner === null),
  );
  expect(mail.mails).toEqual([]);
  expect(await deliveries()).toMatchObject([
    { status: 'delivered' },
    { status: 'pending', last_fault: 'SMTP 451' },
  ]);
  await sendAgain();
  await sendAgain();
  await sendAgain();
  expect([mail.attempts(), mail.mails.length, receiver.received.length]).toEqual([3, 1, 1]);

  const [told] = receiver.received;
  const { data, type } = new Webhook(secret).verify(told?.body ?? '', told?.headers ?? {}) as {
    type: string;
    data: Record<string, unknown>;
  };
  const { consent: _, ...words } = person;
  expect(type).toBe('handover.created');
  expect(data).toMatchObject({
    ...words,
    site: 'kestrel-docs',
    threadId,
    url: expect.stringContaining(`/dashboard/conversations/${threadId}?site=kestrel-docs`),
    conversation: [{ question: 'Why does my station beep?' }],
  });
  const [sent] = mail.mails;
  expect(sent).toMatchObject({ from: 'docs@kestrel.example', to: ['support@kestrel.example'] });
  expect(sent?.raw).toMatch(/^Reply-To: .*Ada Lovelace.*<ada@reader\.example>/im);
  expect(sent?.raw).toMatch(/^Subject: Kestrel: a question from Ada Lovelace/im);
  expect(sent?.raw).toContain('My station beeps.');
  expect(sent?.raw).toMatch(/^Message-ID: <[0-9A-Z]{26}@kestrel\.example>/im);
});

test('a key of the owner reads exactly that conversation', async () => {
  const [one, other] = [await ask('ada', 'What is a probe?'), await ask('bob', 'Where is it?')];
  const read = (key: string, id: string) =>
    getJson<{ turns: { query: string }[] }>(docent, `/v1/analytics/kestrel-docs/assistant/${id}`, {
      key,
    });
  const { body } = await read(docent.admin, one);
  expect(body.turns.map(({ query }) => query)).toEqual(['What is a probe?']);
  expect(JSON.stringify(body)).not.toContain(other);
  const { token } = await docent.keys.create({
    kind: 'admin',
    organization: 'osprey',
    name: 'theirs',
  });
  expect((await read(token, one)).status).toBe(404);
  expect((await read(docent.key, one)).status).toBe(403);
});

test.each([
  ['without consent', { consent: false }, 400],
  ['without an address', { email: 'ada' }, 400],
  ['with a name of two lines', { name: 'Ada\nBcc: all@example.com' }, 400],
  ['without words', { message: '  ' }, 400],
  ['of another reader’s conversation', { fp: 'eve' }, 404],
])('%s, nobody gets anything', async (_what, wrong, status) => {
  const threadId = await ask('ada', 'Is it on?');
  const before = (await deliveries()).length;
  const refused = await postJson(docent, path, { ...person, fp: 'ada', threadId, ...wrong });
  expect([refused.status, (await deliveries()).length]).toEqual([status, before]);
});

test('what a reader handed over goes with their conversation', async () => {
  const threadId = await ask('carol');
  await postJson(docent, path, { ...person, email: 'carol@reader.example', fp: 'carol', threadId });
  const holds = async () => JSON.stringify(await deliveries()).includes('carol@reader.example');
  expect(await holds()).toBe(true);
  const gone = await fetch(`${docent.url}/discovery/v1/thread/kestrel-docs/${threadId}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${docent.key}`, 'x-fp': 'carol' },
  });
  expect([gone.status, await holds()]).toEqual([204, false]);
});

test('the owner sees both endpoints, and what was sent', async () => {
  const { body } = await getJson<{ endpoints: { origin: string; project: string | null }[] }>(
    docent,
    '/v1/webhooks',
    { key: docent.admin },
  );
  expect(body.endpoints).toMatchObject([
    { project: null, origin: new URL(receiver.url).origin, events: ['handover.created'] },
    { project: null, origin: 'mailto:support@kestrel.example' },
  ]);
});

test('mistakes of the configuration say what to write', () => {
  const check = (handOver: object) => () =>
    checkConfig({ sites: [{ ...kestrel, handOver }] }, { folder: '.', variables: {} });
  expect(check({ email: 'a@example.com' })).toThrow(/handOver.email needs a mail server/);
  expect(check({ email: 'support' })).toThrow(/write an email address/);
  expect(check({})).toThrow(/needs either a "link"/);
  expect(check({ link: 'https://a.example', email: 'a@example.com' })).toThrow(/either a "link"/);
});
