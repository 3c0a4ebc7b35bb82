/** Support threads of another tool join the gaps: by CSV, JSON lines, and a webhook, without personal data. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GapsResponse, GapStory } from '@docent/shared/analytics';
import type { ImportReply } from '@docent/shared/import-questions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getJson, postJson } from '../support/call.ts';
import { runCli, writeConfig } from '../support/cli.ts';
import { kestrel, temporaryFolder } from '../support/fixture.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';

/** Two of five themes are too small, and one the documentation answers. */
const threads = [
  ['t1', 'Which VAT number belongs on invoices?', 'Yours, under Billing.'],
  ['t2', 'Our invoices lack the VAT number', 'Write to jane.doe@customer.example.'],
  ['t3', 'VAT number missing from an invoice, card 4111 1111 1111 1111', ''],
  ['t4', 'Where do I put the VAT number for invoices?', ''],
  ['t5', 'Do alerts reach Slack channels?', 'Not yet.'],
  ['t6', 'Slack channel for alerts', ''],
  ['t7', 'Send alerts to a Slack channel, I am bob@customer.example', ''],
  ['t8', 'Can the microphone record birdsong?', ''],
  ['t9', 'Birdsong recording with a microphone', ''],
  ['t10', 'Refund for unopened parcels?', ''],
  ['t11', 'Job offer as gardener', ''],
  ['t12', 'How do I install Kestrel with the package manager?', 'See the docs.'],
] as const;

let docent: TestDocent;
let gap: string;
const gaps = async () =>
  (
    await getJson<GapsResponse>(docent, '/v1/analytics/kestrel-docs/unanswered', {
      key: docent.admin,
    })
  ).body;
const send = (body: unknown, key = docent.admin) =>
  postJson<ImportReply>(docent, '/v1/questions/kestrel-docs', body, { key });

beforeAll(async () => {
  docent = await startDocent();
  await docent.ask('Which VAT number is on an invoice?');
  gap = (await gaps()).gaps[0]?.id ?? '';
});
afterAll(() => docent[Symbol.asyncDispose]());

test('the three largest themes join, one of them what readers asked before', async () => {
  const conversations = threads.map(([id, question, answer]) => ({ id, question, answer }));
  const { status, body } = await send({ conversations });
  expect(status).toBe(200);
  expect(body).toMatchObject({ joined: 9, known: 0, covered: 1, leftOut: 2 });
  expect(body.themes.map(({ count }) => count)).toEqual([4, 3, 2]);
  const [vat] = body.themes;
  expect(vat?.gapId).toBe(gap);
  expect(vat?.quotes).toContainEqual({
    question: 'Our invoices lack the VAT number',
    answer: 'Write to [redacted e-mail].',
  });
  const found = await gaps();
  expect(found.gaps.map(({ id, count }) => [id, count])).toEqual(
    body.themes.map(({ gapId, count }) => [gapId, gapId === gap ? count + 1 : count]),
  );
  const { body: story } = await getJson<GapStory>(docent, `/v1/gaps/kestrel-docs/${gap}`, {
    key: docent.admin,
  });
  expect(story.answers.map(({ question }) => question)).toContain(
    'VAT number missing from an invoice, card [redacted card number]',
  );
});

test('nothing personal is stored, and nobody can go on with such a conversation', async () => {
  const { database } = docent.docent.services;
  const turns = await database.selectFrom('turns').selectAll().execute();
  expect(JSON.stringify(turns)).not.toMatch(/customer\.example|4111/);
  const [imported] = turns.filter(({ model }) => model === 'docent/import');
  for (const fp of ['anonymous', imported?.thread_id]) {
    const asked = await docent.ask({
      fp,
      threadId: imported?.thread_id,
      messages: [{ role: 'user', parts: [{ type: 'text', text: 'And?' }] }],
    });
    expect(asked.status).toBe(404);
  }
});

test('readers’ figures don’t count them', async () => {
  const { body } = await getJson<{ questions: number }>(docent, '/v1/analytics/kestrel-docs', {
    key: docent.admin,
  });
  expect(body.questions).toBe(1);
});

test('the same conversation joins once, from a webhook that repeats itself, too', async () => {
  const one = { id: 'w1', question: 'Is the VAT number on each invoice?', answer: 'Yes.' };
  expect((await send(one)).body).toMatchObject({ joined: 1, known: 0 });
  expect((await send(one)).body).toMatchObject({ joined: 0, known: 1, themes: [] });
  const again = threads.map(([id, question]) => ({ id, question }));
  expect((await send({ conversations: again })).body).toMatchObject({ joined: 2, known: 9 });
  expect((await send({ ...one, question: ' ' })).status).toBe(400);
  expect((await send(one, docent.key)).status).toBe(403);
});

test('the command line reads CSV and JSON lines, and names a line that is wrong', async () => {
  await using folder = await temporaryFolder();
  const config = await writeConfig(folder.path, {
    server: { dataFolder: '.data' },
    sites: [kestrel],
  });
  const run = (...args: string[]) =>
    runCli(['questions', 'import', ...args, '--config', config], { cwd: folder.path });
  const file = async (name: string, text: string) => {
    await writeFile(join(folder.path, name), text);
    return join(folder.path, name);
  };
  const csv = threads.map(
    ([id, question, answer]) => `${id},"${question}\nThanks, ""J""","${answer}"`,
  );
  const tickets = await file(
    'tickets.csv',
    `\uFEFFTicket,Subject,Reply\r\n${csv.join('\r\n')}\r\n`,
  );
  const columns = ['--id', 'Ticket', '--question', 'Subject', '--answer', 'Reply'];
  const first = await run(tickets, ...columns);
  expect([first.code, first.stderr]).toEqual([0, '']);
  expect(first.stdout.split('\n')).toEqual([
    expect.stringMatching(
      /^9 conversations joined the gaps; \d .* 0 imported before, \d in smaller/,
    ),
    '     4  Which VAT number belongs on invoices?',
    '     3  Do alerts reach Slack channels?',
    '     2  Can the microphone record birdsong?',
    '',
  ]);
  const lines = threads.map(([id, question]) => JSON.stringify({ id, question }));
  const again = await run(await file('tickets.jsonl', lines.join('\n')));
  expect(again.stdout).toContain('9 imported before');
  const wrong = await run(tickets);
  expect([wrong.code, wrong.stderr]).toEqual([
    1,
    expect.stringMatching(/tickets\.csv:\d+: question: .*Nothing was imported.*--question/s),
  ]);
  const broken = await run(await file('broken.jsonl', '{"question": "A?"}\n{'));
  expect(broken.stderr).toContain('broken.jsonl:2 is not JSON');
});
