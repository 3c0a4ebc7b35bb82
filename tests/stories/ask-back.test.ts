/** Where versions say different things, and nothing says which one is meant, the assistant asks back once. */
import { ConversationsResponse, GapsResponse, SummaryResponse } from '@docent/shared/analytics';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Asked, type Part, partOf, readRest, textOf, toBody } from '../support/ask.ts';
import { getJson } from '../support/call.ts';
import { answerOf4, releases4, renderChat4 } from '../support/chat-sdk-4.ts';
import { answerOf, releases, renderChat } from '../support/chat-sdks.ts';
import { temporaryFolder } from '../support/fixture.ts';
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';
import { writeTwoVersions } from '../support/two-versions.ts';

const question = 'How do I calibrate the wind vane?';
let home: Awaited<ReturnType<typeof temporaryFolder>>;
let model: ScriptedModel;
let docent: TestDocent;
let modelled: TestDocent;

async function start(options: object = {}): Promise<TestDocent> {
  const docs = { sources: await writeTwoVersions(home.path) };
  const started = await startDocent({ ...options, sites: { 'kestrel-docs': { docs } } });
  await started.docent.services.indexer.index('kestrel-docs', { acceptFewer: true });
  return started;
}

beforeAll(async () => {
  home = await temporaryFolder();
  model = await startScriptedModel(['Press Calibrate. [1]']);
  docent = await start();
  modelled = await start({ model });
});
afterAll(async () => {
  await docent[Symbol.asyncDispose]();
  await modelled[Symbol.asyncDispose]();
  await model.close();
  await home[Symbol.asyncDispose]();
});

const dataOf = (parts: readonly Part[], type: string) =>
  (partOf([...parts], type)?.['data'] ?? {}) as { choices?: string[]; versions?: string[] };
const choicesIn = ({ parts }: Pick<Asked, 'parts'>) => dataOf(parts, 'data-question').choices;
const versionsIn = ({ parts }: Pick<Asked, 'parts'>) => dataOf(parts, 'data-answer').versions;
const threadOf = ({ headers }: Asked) => headers.get('x-thread-id') ?? '';
const goOn = (asked: Asked, text: string, of = docent) =>
  of.ask(toBody(text, { fp: 'ada', threadId: threadOf(asked) }));
const ask = (text: string, more: object = {}, of = docent) =>
  of.ask(toBody(text, { fp: 'ada', ...more }));

test('asks once, and the choice gets the answer of its version', async () => {
  const asked = await ask(question);
  expect(asked.parts.map(({ type }) => type)).toEqual([
    'start',
    'start-step',
    'data-question',
    'text-start',
    'text-delta',
    'text-end',
    'finish-step',
    'finish',
  ]);
  expect(choicesIn(asked)).toEqual(['2', '1']);
  expect(asked.text).toMatch(/Which one do you use\?\n\n- 2\n- 1$/);

  const chosen = await goOn(asked, '1');
  expect(chosen.text).toContain('brass screw');
  expect(chosen.text).not.toContain('satellite');
  expect(versionsIn(chosen)).toEqual(['1']);
  const again = await goOn(asked, 'How long does it take to calibrate the wind vane?');
  expect(choicesIn(again)).toBeUndefined();
  expect(versionsIn(again)).toEqual(['1']);
});

test('a reader who ignores the question is not asked again', async () => {
  const asked = await ask(question);
  expect(choicesIn(asked)).toBeDefined();
  expect(choicesIn(await goOn(asked, 'Tell me how to calibrate the wind vane.'))).toBeUndefined();
});

test('in a later turn, if the first ones had one answer', async () => {
  const first = await ask('How do I replace the batteries?');
  expect(choicesIn(first)).toBeUndefined();
  expect(choicesIn(await goOn(first, question))).toEqual(['2', '1']);
});

test.each([
  ['the filter', question, { filter: { version: '1' } }, ['1']],
  ['the reader’s page', question, { currentPath: '/v1/batteries' }, ['1']],
  ['the question', 'How do I calibrate the wind vane in v1?', {}, ['1']],
  ['the question, as readers write it', 'How do I calibrate the wind vane of v2?', {}, ['2']],
])('never if %s says the version', async (_, text, more, versions) => {
  const asked = await ask(text, more);
  expect(choicesIn(asked)).toBeUndefined();
  expect(versionsIn(asked)).toEqual(versions);
});

test('never if the versions say the same, only one says it, or none does', async () => {
  for (const text of [
    'How do I replace the batteries?',
    'What does the live map show?',
    'Does it bake xylophone cakes?',
    'What changed in the wind vane from version 1 to version 2?',
  ])
    expect(choicesIn(await ask(text)), text).toBeUndefined();
});

test('costs no call of a model, and the model answers from the chosen version', async () => {
  const before = model.requests.length;
  const asked = await ask(question, {}, modelled);
  expect(choicesIn(asked)).toEqual(['2', '1']);
  expect(model.requests.length).toBe(before);
  await goOn(asked, '2', modelled);
  const sent = JSON.stringify(model.requests.at(-1));
  expect(sent).toContain(`${question} (2)`);
  expect(sent).toContain('true north by satellite');
  expect(sent).not.toContain('brass screw');
});

test('is kept, listed, and resumed; counts as no answer; and no gap is made of it', async () => {
  await using fresh = await start({ model });
  const read = async <Body>(path: string, schema: { parse(body: unknown): Body }) =>
    schema.parse(
      (await getJson(fresh, `/v1/analytics/kestrel-docs${path}`, { key: fresh.admin })).body,
    );
  const asked = await ask(question, {}, fresh);
  const messageId = partOf(asked.parts, 'start')?.['messageId'] as string;
  const { conversations } = await read('/assistant', ConversationsResponse);
  expect(conversations).toMatchObject([
    { query: question, resolutionStatus: null, status: 'complete', choices: ['2', '1'] },
  ]);
  expect(await read('', SummaryResponse)).toMatchObject({
    questions: 0,
    unanswered: 0,
    incomplete: 0,
  });
  expect((await read('/unanswered', GapsResponse)).gaps).toEqual([]);
  const { database, streams } = fresh.docent.services;
  streams.forget([threadOf(asked)]);
  const resumed = await fresh.resume(messageId, { headers: { 'x-fp': 'ada' } });
  const parts = await readRest(resumed.parts);
  expect(choicesIn({ parts })).toEqual(['2', '1']);
  expect(textOf(parts)).toBe(asked.text);

  // What the choice doesn't answer joins a gap as the whole question.
  model.once(['I could not find this in the documentation.']);
  await goOn(asked, '1', fresh);
  const { gaps } = await read('/unanswered', GapsResponse);
  expect(gaps).toMatchObject([{ count: 1 }]);
  const rows = await database.selectFrom('turns').select('question').orderBy('id').execute();
  expect(rows.map((row) => row.question)).toEqual([question, `${question} (1)`]);
  expect(await read('', SummaryResponse)).toMatchObject({ questions: 1, unanswered: 1 });
});

test.each(releases.filter(({ name }) => name.endsWith('.0.0')))(
  'chat SDK $name shows it, and sends the choice',
  async (release) => {
    const api = `${docent.url}/discovery/v2/assistant/kestrel-docs/message`;
    using page = await renderChat(release, { api, key: docent.key });
    await page.chat().sendMessage({ text: question });
    let chat = await page.settled();
    expect(chat.error).toBeUndefined();
    expect(choicesIn({ parts: answerOf(chat).parts as Part[] })).toEqual(['2', '1']);
    await page.chat().sendMessage({ text: '2' });
    chat = await page.settled();
    expect(versionsIn({ parts: answerOf(chat).parts as Part[] })).toEqual(['2']);
  },
);

test('chat SDK 4 gets text with a list', async () => {
  const api = `${docent.url}/discovery/v1/assistant/kestrel-docs/message`;
  using page = await renderChat4(releases4[0]!, { api, key: docent.key });
  await page.chat().append({ role: 'user', content: question });
  const chat = await page.settled();
  expect(chat.error).toBeUndefined();
  const answer = answerOf4(chat);
  expect(answer.content).toMatch(/\n- 2\n- 1$/);
  expect(JSON.stringify(chat.messages)).toContain('"type":"question","about":"version"');
});

test('an agent is told what to ask, and gets its results', async () => {
  const client = new Client({ name: 'tests', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(`${docent.url}/mcp/kestrel-docs`), {
    requestInit: { headers: { authorization: `Bearer ${docent.key}` } },
  });
  await client.connect(transport as Transport);
  const search = async (args: object) =>
    (await client.callTool({
      name: 'search',
      arguments: { query: question, ...args },
    })) as unknown as {
      content: { text: string }[];
      structuredContent: { results: unknown[]; question?: { choices: string[] } };
    };
  const { content, structuredContent } = await search({});
  expect(structuredContent.question?.choices).toEqual(['2', '1']);
  expect(structuredContent.results.length).toBeGreaterThan(1);
  expect(content[0]?.text).toMatch(
    /^The versions of the documentation say different things: 2, 1\./,
  );
  expect((await search({ filter: { version: '2' } })).structuredContent.question).toBeUndefined();
  await client.close();
});
