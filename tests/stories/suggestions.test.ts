/** Questions to go on with: from the documentation alone, and only such as it answers. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { partOf, toBody } from '../support/ask.ts';
import { startScriptedModel, type ScriptedModel } from '../support/scripted-model.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';

let model: ScriptedModel;
let docent: TestDocent;
beforeAll(async () => {
  model = await startScriptedModel(['Run the installer of Kestrel. [1]']);
  docent = await startDocent({ model });
});
afterAll(async () => {
  await docent[Symbol.asyncDispose]();
  await model.close();
});

type Asked = Awaited<ReturnType<TestDocent['ask']>>;
const suggestionsOf = ({ parts }: Asked): string[] =>
  (partOf(parts, 'data-suggestions')?.['data'] as { questions: string[] } | undefined)?.questions ??
  [];

test('stand behind the text, are few, and lead to answers when they are asked', async () => {
  const asked = await docent.ask(toBody('How do I install Kestrel?'));
  const types = asked.parts.map(({ type }) => type);
  expect(types.slice(types.indexOf('text-end'))).toEqual([
    'text-end',
    'data-answer',
    'data-suggestions',
    'finish-step',
    'finish',
  ]);
  const questions = suggestionsOf(asked);
  expect(questions.length).toBeGreaterThanOrEqual(2);
  expect(questions.length).toBeLessThanOrEqual(3);
  await using quoting = await startDocent();
  for (const question of questions) {
    const answer = await quoting.ask(toBody(question));
    expect(partOf(answer.parts, 'data-answer'), question).toMatchObject({
      data: { status: 'answered' },
    });
  }
});

test('the same answer gives the same ones, and costs no further call of the model', async () => {
  const before = model.requests.length;
  const first = suggestionsOf(await docent.ask(toBody('How do I install Kestrel?')));
  const second = suggestionsOf(await docent.ask(toBody('How do I install Kestrel?')));
  expect(second).toEqual(first);
  expect(model.requests.length - before).toBe(2);
});

test('nothing that was asked in the conversation comes back', async () => {
  const threadOf = (asked: Asked) => asked.headers.get('x-thread-id') ?? '';
  let asked = await docent.ask(toBody('How do I install Kestrel?', { fp: 'reader' }));
  const said = new Set<string>();
  for (let turn = 0; turn < 4; turn++) {
    const [next] = suggestionsOf(asked);
    if (next === undefined) break;
    expect(said).not.toContain(next);
    said.add(next);
    const more = { fp: 'reader', threadId: threadOf(asked) };
    asked = await docent.ask(toBody(next, more));
  }
  expect(said.size).toBeGreaterThan(0);
});

test('where nothing was found, or a request is refused, there are none', async () => {
  model.once(['I could not find this in the documentation.']);
  expect(suggestionsOf(await docent.ask(toBody('Does it bake xylophone cakes?')))).toEqual([]);
});

test('a site can do without, and version 1 never has them', async () => {
  await using without = await startDocent({ model, site: { suggestFollowUps: false } });
  expect(suggestionsOf(await without.ask(toBody('How do I install Kestrel?')))).toEqual([]);
  const response = await fetch(`${docent.url}/discovery/v1/assistant/kestrel-docs/message`, {
    method: 'POST',
    headers: { authorization: `Bearer ${docent.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      fp: 'anonymous',
      messages: [{ id: '1', role: 'user', content: 'How do I install Kestrel?', parts: [] }],
    }),
  });
  expect(response.status).toBe(200);
  expect(await response.text()).not.toContain('suggest');
});

test('titles and headings of the documentation bring no character that turns or breaks a line', async () => {
  await using other = await startDocent({ model });
  const section = (anchor: string, heading: string, text: string) => ({
    anchor,
    heading,
    headingPath: ['Zebra\u202e crossings'],
    markdown: text,
    text,
    code: '',
  });
  await other.docent.services.retriever.apply('kestrel-docs', {
    upsert: [
      {
        path: '/zebra-crossings',
        title: 'Zebra\u202e crossings\u0000',
        markdown: 'Zebra crossings',
        hash: 'of the zebras',
        passages: [
          section(
            'paint',
            'Paint\u2067 zebra crossings',
            'Zebra\u202e crossings are painted white.',
          ),
          section(
            'clean',
            'How to clean\u2028 zebra\u202d crossings',
            'Clean zebra crossings weekly.',
          ),
          section(
            'move',
            'Move\tzebra crossings elsewhere',
            'Move zebra crossings elsewhere slowly.',
          ),
        ],
      },
    ],
    remove: [],
  });
  model.once(['Painted white. [1]']);
  const asked = await other.ask(toBody('How are zebra crossings painted?'));
  const sources = asked.parts.filter(({ type }) => type === 'source-url');
  expect(sources[0]).toMatchObject({
    title: 'Zebra crossings › Paint zebra crossings',
    providerMetadata: { docent: { quote: 'Zebra crossings are painted white.' } },
  });
  expect(suggestionsOf(asked)).toEqual([
    'How to clean zebra crossings',
    'Move zebra crossings elsewhere',
  ]);
  const search = await fetch(`${other.url}/discovery/v1/search/kestrel-docs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${other.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'paint zebra crossings', pageSize: 1 }),
  });
  const hits = (await search.json()) as { metadata: object }[];
  expect(hits[0]?.metadata).toMatchObject({
    title: 'Zebra crossings',
    heading: 'Paint zebra crossings',
  });
  const seen = JSON.stringify([sources, suggestionsOf(asked), hits.map((hit) => hit.metadata)]);
  // As they stand, or written as JSON writes them.
  expect(seen).not.toMatch(/[\p{Cc}\u2028\u202a-\u202e\u2066-\u2069]|\\u0|\\[nrt]/u);
});
