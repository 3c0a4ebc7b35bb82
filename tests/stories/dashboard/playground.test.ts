/** The playground: an answer with what led to it, each part of which is what really happened. */
import type { PlaygroundReply } from '@docent/shared/playground';
import type { SiteReply } from '@docent/shared/sites';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { addPerson } from '../../support/person.ts';
import { type ScriptedModel, startScriptedModel } from '../../support/scripted-model.ts';
import { startDocent, type TestDocent, toModel } from '../../support/start-docent.ts';

const price = { inputPerMillion: 2, outputPerMillion: 10 };
const question = 'How do I install Kestrel?';

let main: ScriptedModel;
let other: ScriptedModel;
let docent: TestDocent;
let editor: Awaited<ReturnType<typeof addPerson>>;

beforeAll(async () => {
  main = await startScriptedModel();
  other = await startScriptedModel(['The other model answers. [1]']);
  docent = await startDocent({
    // No site uses the second one.
    models: { main: { ...toModel(main.url), price }, other: toModel(other.url) },
    limits: { perAddressAndMinute: 1_000 },
  });
  editor = await addPerson(docent, 'editor');
});
beforeEach(() => main.reply(['Kestrel answers', ' in words. [1]']));
afterAll(async () => {
  await docent[Symbol.asyncDispose]();
  await Promise.all([main.close(), other.close()]);
});

async function tryOut(body: object, from = { docent, person: editor }) {
  const response = await from.person.fetch('/v1/playground/kestrel-docs', { method: 'POST', body });
  return {
    status: response.status,
    body: (await response.json()) as PlaygroundReply & { code?: string },
  };
}

const textOf = (content: unknown): string =>
  Array.isArray(content)
    ? content.map(({ text }: { text: string }) => text).join('')
    : (content as string);

test('the query, what was found and sent, and the prompt are those of the answer', async () => {
  const { status, body } = await tryOut({
    question: 'and on Windows?',
    history: [{ question, answer: 'With npm.' }],
    currentPath: '/install',
    retrievalPageSize: 2,
  });
  expect(status).toBe(200);
  expect(body.query).toMatchObject({ text: 'and on Windows?', before: [question], pageSize: 2 });
  const found = await docent.docent.services.retriever.search('kestrel-docs', {
    text: 'and on Windows?',
    before: [question],
    currentPath: '/install',
    pageSize: 2,
  });
  expect(body.candidates.map(({ path, score }) => [path, score])).toEqual(
    found.pages.map(({ path, score }) => [path, score]),
  );
  const { messages = [] } = main.last.body;
  expect(body.prompt).toEqual(
    messages.map(({ role, content }) => ({ role, text: textOf(content) })),
  );
  const sent = body.prompt.map(({ text }) => text).join('\n');
  expect(body.passages.length).toBeGreaterThan(0);
  for (const { url } of body.passages) expect(sent).toContain(url);
  expect(new Set(body.passages.map(({ number }) => number))).toEqual(
    new Set(body.sources.map(({ id }) => id)),
  );
  expect(body.model).toContain('scripted');
  expect(body.timings.totalMs).toBeGreaterThanOrEqual(body.timings.firstTextMs ?? Infinity);
});

test('what the model wrote stands beside what the filter left of it', async () => {
  main.reply(['Run `npm i` [1], or see ', '[this](https://evil.test/x).']);
  const { body } = await tryOut({ question });
  expect(body.rawText).toBe('Run `npm i` [1], or see [this](https://evil.test/x).');
  expect(body.answer).toContain('Run `npm i` [1]');
  expect(body.answer).not.toContain('evil.test');
  expect(body.outcome).toBe('answered');
});

test('nothing is stored, and who asks pays', async () => {
  const { database } = docent.docent.services;
  const person = await addPerson(docent, 'editor');
  const { body } = await tryOut({ question }, { docent, person });
  // 100 tokens at 2 and 2 at 10 millionths of a dollar.
  expect(body).toMatchObject({ usage: { inputTokens: 100, outputTokens: 2 }, costUsd: 0.00022 });
  const rows = await database
    .selectFrom('spend')
    .selectAll()
    .where('payer', '=', person.id)
    .execute();
  expect(rows.map((row) => [row.period, Number(row.tokens), Number(row.micro_dollars)])).toEqual(
    expect.arrayContaining([['day', 102, 220]]),
  );
  expect(await database.selectFrom('turns').selectAll().execute()).toEqual([]);
  expect(await database.selectFrom('threads').selectAll().execute()).toEqual([]);
});

test('another model of the configuration answers alone, or the built-in one; an unknown one does not', async () => {
  const { body: site } = await editor
    .fetch('/v1/sites/kestrel-docs')
    .then(async (response) => ({ body: (await response.json()) as SiteReply }));
  expect(site.models).toEqual(['main', 'other']);
  const asked = main.requests.length;
  const second = await tryOut({ question, model: 'other' });
  expect(second.body).toMatchObject({ answer: 'The other model answers. [1]', costUsd: 0 });
  const builtIn = await tryOut({ question, model: null });
  expect(builtIn.body).toMatchObject({ outcome: 'answered', prompt: [], usage: null, costUsd: 0 });
  expect(builtIn.body.candidates).toEqual(second.body.candidates);
  expect(main.requests.length).toBe(asked);
  for (const model of ['none', 'constructor']) {
    expect(await tryOut({ question, model })).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
  }
});

test('pages of groups are found for those groups alone', async () => {
  const text = 'About zebrafish.';
  const passage = { anchor: '', heading: 'Fish', headingPath: [], markdown: text, text, code: '' };
  await docent.docent.services.retriever.apply('kestrel-docs', {
    upsert: [
      {
        path: '/staff',
        title: 'Fish',
        markdown: text,
        hash: 'x',
        passages: [passage],
        groups: ['staff'],
      },
    ],
    remove: [],
  });
  const found = async (groups: object) =>
    (await tryOut({ question: 'What is a zebrafish?', ...groups })).body.candidates.some(
      ({ path }) => path === '/staff',
    );
  expect([await found({}), await found({ groups: ['staff'] })]).toEqual([false, true]);
});

test('budgets and limits hold as for readers, and a model that fails says so', async () => {
  await using small = await startDocent({
    models: { main: { ...toModel(main.url), price } },
    budgets: { perSite: { perDay: { tokens: 100 } } },
    limits: { perAddressAndMinute: 2 },
  });
  const from = { docent: small, person: await addPerson(small, 'editor') };
  expect((await tryOut({ question }, from)).status).toBe(200);
  expect((await tryOut({ question }, from)).body.code).toBe('budget_exceeded');
  expect((await tryOut({ question }, from)).body.code).toBe('rate_limited');
  main.onceAndAgain({ status: 500 });
  expect((await tryOut({ question })).body.code).toBe('upstream_failed');
});
