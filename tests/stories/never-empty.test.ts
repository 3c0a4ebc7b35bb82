/** Whatever a model does, a reader gets an answer: never nothing, never what was not meant for them. */
import { describe, expect, test } from 'vitest';
import { type Asked, partOf, toBody } from '../support/ask.ts';
import { docent, model, useScriptedDocent } from '../support/scripted-docent.ts';
import type { Script, Step } from '../support/scripted-model.ts';

useScriptedDocent();

const question = 'How do I install Kestrel with the package manager?';
const foreign = 'Who won the football championship of 1974?';
const quoted = 'kestrel-setup install --station rooftop';
const notFound = 'I could not find this in the documentation.';
const refusal = 'I can only help with questions about this documentation.';

/** The line of this answer: made for it, so only its request has it. */
const line = (kind: string) => ({
  reply: (request: { text: string }) =>
    `${new RegExp(`<<\\w+:${kind}>>`).exec(request.text)?.[0] ?? ''}\n`,
});
const chunk = (delta: object) => ({
  raw: `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`,
});
const statusOf = (asked: Asked) => partOf(asked.parts, 'data-answer')?.['data'];

const nothing: [what: string, script: Script][] = [
  ['no text', []],
  ['blanks', [' ', '\n\n', '\t']],
  ['only reasoning', [chunk({ reasoning_content: 'Hm, the user asks' })]],
  ['only reasoning in the text', ['<think>Hm, the user', ' asks…</think>\n']],
  ['reasoning that never ends', ['<think>Hm, the user asks and asks']],
  [
    'only a tool call',
    [
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'search', arguments: '{}' } }] }),
      { end: 'tool_calls' },
    ],
  ],
  ['only a citation that is none', ['[9]']],
  ['only a picture from elsewhere', ['![](https://evil.example/p.png)']],
  ['only its first line', [line('answered')]],
  ['the length limit while it thinks', ['<think>so', { end: 'length' }]],
];

describe.each(nothing)('a model that gives %s', (_what, script) => {
  test('is replaced by what the documentation says', async () => {
    model.once(script);
    const asked = await docent.ask(question);
    expect(asked.text).toContain(quoted);
    expect(asked.text).toMatch(/^\*The language model gave no answer, so this is quoted/);
    expect(partOf(asked.parts, 'source-url')).toBeDefined();
    expect(statusOf(asked)).toMatchObject({ status: 'answered', mode: 'extractive' });
    expect(partOf(asked.parts, 'finish')).toBeDefined();
    const [turn] = await docent.turns(asked.headers.get('x-thread-id') ?? '');
    expect(turn).toMatchObject({ status: 'complete', answer: asked.text });
  });

  test('and where nothing was found, that is said', async () => {
    model.once(script);
    const asked = await docent.ask(foreign);
    expect(asked.text).toBe(notFound);
    expect(statusOf(asked)).toMatchObject({ status: 'unanswered' });
    expect(partOf(asked.parts, 'source-url')).toBeUndefined();
  });
});

test('a model whose provider kept the answer back has refused', async () => {
  model.once([{ end: 'content_filter' }]);
  const asked = await docent.ask(question);
  expect(asked.text).toBe(refusal);
  expect(statusOf(asked)).toMatchObject({ status: 'refused' });
  expect(partOf(asked.parts, 'source-url')).toBeUndefined();
});

const cutShort: [where: string, script: Step[], expected: RegExp][] = [
  ['in a sentence', ['Run the first', { end: 'length' }], /^Run the first$/],
  ['in a code block', ['Run:\n```sh\nkestrel', { end: 'length' }], /^Run:\n```sh\nkestrel\n```\n$/],
  [
    'in a link',
    ['See [the docs](https://docs.kes', { end: 'length' }],
    /^See \[the docs\]\\\(`https:\/\/docs\.kes`$/,
  ],
];

test.each(cutShort)(
  'an answer that is cut at the greatest length says so: %s',
  async (_where, script, expected) => {
    model.once(script);
    const asked = await docent.ask(question);
    expect(asked.text).toMatch(expected);
    expect(partOf(asked.parts, 'finish')).toMatchObject({ finishReason: 'length' });
  },
);

test('why an answer ended is told in every protocol', async () => {
  const headers = { authorization: `Bearer ${docent.key}`, 'content-type': 'application/json' };
  const read = async (path: string, body: object) => {
    model.once(['Run the first', { end: 'length' }]);
    const response = await fetch(docent.url + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return response.text();
  };
  const messages = [{ role: 'user', content: question }];
  const v1 = await read('/discovery/v1/assistant/kestrel-docs/message', {
    fp: 'anonymous',
    messages,
  });
  expect(v1).toMatch(/^d:\{"finishReason":"length"/m);
  const sdk = await read('/discovery/v2/assistant/kestrel-docs/message', {
    ...toBody(question),
    trigger: 'submit-message',
  });
  expect(sdk).toMatch(/"type":"finish","messageMetadata":\{[^}]*"finishReason":"length"\}\}/);
  const completion = JSON.parse(await read('/v1/chat/completions', { model: 'docent', messages }));
  expect(completion).toMatchObject({ choices: [{ finish_reason: 'length' }] });
  const chunks = await read('/v1/chat/completions', { model: 'docent', stream: true, messages });
  expect(chunks).toContain('"finish_reason":"length"');
});

test('an answer has a limit: the model is told, and where it goes on, the answer is cut and says so', async () => {
  // Each piece is another, because a text that repeats itself is cut earlier.
  const words = (at: number) =>
    Array.from({ length: 25 }, (_, hour) => `The wind of hour ${at * 25 + hour} says. `).join('');
  model.once([line('answered'), ...Array.from({ length: 900 }, (_, at) => words(at))]);
  const asked = await docent.ask(question);
  expect(model.requests.at(-1)?.body).toMatchObject({ max_tokens: 2_000 });
  expect(asked.text.length).toBeGreaterThan(250_000);
  expect(asked.text.length).toBeLessThanOrEqual(256 * 1_024);
  expect(partOf(asked.parts, 'finish')).toMatchObject({ finishReason: 'length' });
  const { database } = docent.docent.services;
  const turn = await database
    .selectFrom('turns')
    .select(['status', 'finish_reason'])
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  expect(turn).toEqual({ status: 'complete', finish_reason: 'length' });
});
