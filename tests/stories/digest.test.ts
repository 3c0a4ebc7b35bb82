/** The weekly email: on Mondays at 8 where the person is, with something to say, and once. */
import {
  postgresPrograms,
  sharedPostgres,
  type TestPostgres,
  whyNoPostgres,
} from '@docent/server/testing';
import type { DigestReply } from '@docent/shared/digest';
import { beforeAll, describe, expect, test } from 'vitest';
import { createAsker } from '../support/ask.ts';
import { getJson } from '../support/call.ts';
import { serve, writeConfig } from '../support/cli.ts';
import { fixtureDocs, kestrel, temporaryFolder } from '../support/fixture.ts';
import { partOf, startMailServer } from '../support/mail-server.ts';
import { addPerson, password, send } from '../support/person.ts';
import { makeKey, startDocent } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

const path = '/v1/people/me/digest';
const email = 'ada@kestrel.test';
const minuteMs = 60_000;
const unanswered = 'Which zeppelin colours can billing invoices have?';

test('an email a week for whoever wants it, with something to say', async () => {
  await using mail = await startMailServer();
  // A Saturday.
  let time = new Date('2026-11-21T12:00:00Z');
  await using docent = await startDocent({
    now: () => time,
    email: mail.email,
    variables: { MAIL_PASSWORD: 'geheim' },
  });
  const { digests, webhooks, database } = docent.docent.services;
  const look = async () => {
    await digests.look();
    await webhooks.sender.work();
  };
  const viewer = await addPerson(docent, 'viewer');
  const other = await addPerson(docent, 'owner', 'osprey');
  const read = async (person: typeof viewer) =>
    (await (await person.fetch(path)).json()) as DigestReply;
  const set = (person: typeof viewer, timeZone: string | null) =>
    person.fetch(path, { method: 'POST', body: { timeZone } });

  // Sessions end before the weeks do.
  const nextAt = async ({ id }: typeof viewer) =>
    (
      await database
        .selectFrom('memberships')
        .select('digest_due_at as at')
        .where('person_id', '=', id)
        .executeTakeFirstOrThrow()
    ).at;

  // Off, until somebody switches it on.
  expect(await read(viewer)).toEqual({ timeZone: null, nextAt: null, hasMailServer: true });
  const wrong = await set(viewer, 'Berlin');
  expect(wrong.status).toBe(400);
  expect(await wrong.json()).toMatchObject({ details: [{ path: 'timeZone' }] });
  expect(await (await set(viewer, 'Europe/Berlin')).json()).toMatchObject({
    timeZone: 'Europe/Berlin',
    nextAt: '2026-11-23T07:00:00.000Z',
  });
  expect(await (await set(viewer, null)).json()).toMatchObject({ timeZone: null, nextAt: null });
  expect((await set(viewer, 'Europe/Berlin')).status).toBe(200);
  expect((await set(other, 'America/Los_Angeles')).status).toBe(200);

  await docent.ask('How do I install Kestrel?');
  await docent.ask({
    fp: 'ada',
    messages: [{ role: 'user', parts: [{ type: 'text', text: unanswered }] }],
  });
  await look();
  expect(mail.mails).toEqual([]);
  time = new Date('2026-11-23T07:00:30Z');
  await look();
  await look();
  expect(mail.mails).toHaveLength(1);
  const [{ from, to, raw } = { from: '', to: [], raw: '' }] = mail.mails;
  expect([from, to]).toEqual(['docs@kestrel.example', [viewer.email]]);
  expect(raw).toMatch(/^Subject: Your documentation this week: 2 questions, 1 answered/m);
  const text = partOf(raw, 'text/plain').replaceAll('\u2009', ' ');
  const html = partOf(raw, 'text/html');
  const [gap] = await database.selectFrom('gaps').select('id').execute();
  const page = `${docent.url}/dashboard/gaps/${gap?.id}?site=kestrel-docs`;
  for (const words of [
    'kestrel, November 16 – 23, 2026',
    'Asked: 2 (the week before: 0)',
    'Answered: 1 (the week before: 0)',
    'Gaps closed: 0 (the week before: 0)',
    'Answers lost: 0 (the week before: 0)',
    `1. Kestrel: asked once by one reader\n   ${page}`,
    `${docent.url}/dashboard/profile`,
  ]) {
    expect(text).toContain(words);
  }
  expect(html).toContain('<strong>2</strong>');
  expect(html).toContain(`<a href="${page}">Kestrel: asked once by one reader</a>`);
  // A mailbox forgets nothing.
  expect(text + html).not.toContain('zeppelin');

  // Its time zone, and nothing of another organization: for the other one there was nothing to say.
  time = new Date('2026-11-23T16:00:30Z');
  await look();
  expect(mail.mails).toHaveLength(1);
  expect(await nextAt(other)).toBe('2026-11-30T16:00:00.000Z');

  // The service was off for a while: one email, and not one for each week.
  time = new Date('2026-12-07T06:59:00Z');
  await docent.ask('How do I install Kestrel?');
  time = new Date('2026-12-16T12:00:00Z');
  await look();
  time = new Date(time.getTime() + minuteMs);
  await look();
  expect(mail.mails).toHaveLength(1);
  expect(await nextAt(viewer)).toBe('2026-12-21T07:00:00.000Z');
  await docent.ask('How do I install Kestrel?');
  time = new Date('2026-12-21T07:01:00Z');
  await look();
  expect(mail.mails).toHaveLength(2);

  // What people get is in nobody's list, and whoever is disabled gets nothing.
  const list = await getJson(docent, '/v1/webhooks', { key: docent.admin });
  expect(list.body).toMatchObject({ endpoints: [], deliveries: [] });
  await docent.ask('How do I install Kestrel?');
  await database.updateTable('people').set({ disabled_at: time.toISOString() }).execute();
  time = new Date('2026-12-28T07:01:00Z');
  await look();
  expect(mail.mails).toHaveLength(2);
}, 120_000);

test('without a mail server, nobody can switch it on', async () => {
  await using docent = await startDocent();
  const person = await addPerson(docent, 'owner');
  const refused = await person.fetch(path, { method: 'POST', body: { timeZone: 'UTC' } });
  expect([refused.status, await refused.json()]).toMatchObject([
    409,
    { error: expect.stringContaining('no mail server') },
  ]);
});

describe('two processes on PostgreSQL', () => {
  if (postgresPrograms === undefined) {
    test('send it once', (context) => context.skip(whyNoPostgres));
    return;
  }
  let postgres: TestPostgres;
  beforeAll(async () => void (postgres = await sharedPostgres()));

  test('send it once', async () => {
    await using folder = await temporaryFolder();
    await using mail = await startMailServer();
    const config = await writeConfig(folder.path, {
      server: { port: 0, dataFolder: '.' },
      sites: [{ ...kestrel, docs: { folder: fixtureDocs } }],
      email: mail.email,
    });
    const url = await postgres.createDatabase();
    const env = {
      DATABASE_URL: url,
      MAIL_PASSWORD: 'geheim',
    };
    const due = () =>
      postgres.query(
        url,
        `update memberships set digest_zone = 'Europe/Berlin', digest_due_at = '2026-01-05T07:00:00.000Z'`,
      );
    {
      await using first = await serve(config, { env });
      const token = await waitFor(
        'the printed token',
        () => /\?token=(svc_web_[\w-]{43})/.exec(first.output.stdout)?.[1],
      );
      await send(first, '/v1/setup', { token, email, name: 'Ada', password });
      const key = await makeKey(config, env, 'assistant');
      await createAsker(first.url, { key, domain: kestrel.domain }).ask(unanswered);
      await due();
    }
    // Both look when they begin, and have read that it's due before one of them takes it.
    const held = postgres.query(
      url,
      `do $$ begin
         perform 1 from memberships for update;
         loop
           perform pg_stat_clear_snapshot();
           exit when (select count(*) from pg_locks where not granted and pid in
             (select pid from pg_stat_activity where datname = current_database())) >= 2;
           perform pg_sleep(0.05);
         end loop;
       end $$`,
    );
    await using _both = {
      servers: await Promise.all([serve(config, { env }), serve(config, { env })]),
      async [Symbol.asyncDispose]() {
        await Promise.all(this.servers.map((server) => server[Symbol.asyncDispose]()));
      },
    };
    await held;
    await waitFor('the email', () => mail.mails.length > 0, 60_000);
    const [row] = await postgres.query(url, 'select digest_due_at as at from memberships');
    expect(Date.parse(String(row?.['at']))).toBeGreaterThan(Date.now());
    const made = await postgres.query(
      url,
      `select status from webhook_deliveries where type = 'digest.weekly'`,
    );
    expect(made).toHaveLength(1);
    expect(mail.mails.map(({ to }) => to)).toEqual([[email]]);
  }, 180_000);
});
