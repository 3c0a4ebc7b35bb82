import type { ModelMessage } from 'ai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type ModelRequest,
  type ScriptedModel,
  startScriptedModel,
} from '../../../../tests/support/scripted-model.ts';
import { dropSteps, elide, tokensOf, resultsOf } from './conversation.ts';
import {
  createStore,
  finish,
  openFiles,
  toAgentModel,
  wires,
  work,
} from '../../../testing/agent-loop.ts';

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel();
});
afterAll(() => model.close());
beforeEach(() => {
  model.requests.length = 0;
});

const long = Array.from({ length: 150 }, (_, line) => `Line ${line} of a page that is long.`).join(
  '\n',
);
const pages = Object.fromEntries(
  Array.from({ length: 40 }, (_, n) => [`docs/p${n}.md`, `# Page ${n}\n${long}\n`]),
);
const talk = 'I think about this page. '.repeat(60);
const dropped = 'has been taken out to save room';

/** Every call has its result right behind it, and no result is without its call. */
function expectPairs(messages: readonly ModelMessage[]): void {
  for (const [index, message] of messages.entries()) {
    const next = messages[index + 1];
    const parts = message.role === 'assistant' && message.content;
    const calls = Array.isArray(parts)
      ? parts.flatMap((part) => (part.type === 'tool-call' ? part.toolCallId : []))
      : [];
    const results = next?.role === 'tool' ? resultsOf(next).map((one) => one.toolCallId) : [];
    if (message.role === 'assistant') expect(results).toEqual(calls);
    if (message.role === 'tool') expect(messages[index - 1]?.role).toBe('assistant');
  }
}

/** Reads page after page, more than the model takes in, then finishes; its words cannot be left out like outputs. */
function reader(pagesToRead: number, words = '') {
  let page = 0;
  return (_request: ModelRequest) => {
    if (page >= pagesToRead) return [finish()];
    return [words, { call: 'read', input: { path: `docs/p${page++}.md` } }];
  };
}

describe.each(wires)('over the wire of %s', (wire) => {
  test('a conversation that grows too long loses its older steps, and the work goes on', async () => {
    const read = reader(40, talk);
    model.reply((request) =>
      model.requests.length === 1
        ? [{ call: 'write', input: { path: 'docs/new.md', content: '# New\n' } }]
        : read(request),
    );
    const store = createStore('Say what all the pages have in common. Do not forget BLUEBIRD.');
    const agent = toAgentModel(model, wire, { contextTokens: 20_000, maxOutputTokens: 1_000 });
    const todos = [
      { id: '1', content: 'Read every page', status: 'in_progress', priority: 'high' } as const,
    ];
    await expect(work(agent, store, { files: openFiles(pages), todos })).resolves.toBeDefined();

    expect(store.events.filter(({ type }) => type === 'compacted').length).toBeGreaterThan(0);
    for (const request of model.requests) {
      // A quarter of the bytes, as elsewhere; JSON and tool descriptions included.
      expect(request.text.length / 4).toBeLessThan(20_000);
      expect(request.text).toContain('Do not forget BLUEBIRD.');
    }
    expect(model.last.text).toContain(dropped);
    expect(model.last.text).toContain('added: ');
    expect(model.last.text).toContain('docs/new.md');
    expect(model.last.text).toContain('[in_progress] Read every page');
    expectPairs(store.messages);
  });
});

test('a job that is taken over goes on from the shortened conversation', async () => {
  const script = reader(40, talk);
  model.reply(script);
  const store = createStore('Read all the pages');
  const agent = toAgentModel(model, 'chat completions', { contextTokens: 20_000 });
  const lost = new Error('the process died');
  const dying = work(agent, store, {
    files: openFiles(pages),
    onStep: async (step) => {
      store.save(step);
      if (JSON.stringify(step.messages).includes(dropped)) throw lost;
    },
  });
  await expect(dying).rejects.toBe(lost);
  const asked = model.requests.length;
  const before = tokensOf(store.messages);
  await work(agent, store, { files: openFiles(pages) });
  expect(before).toBeLessThan(10_000);
  const next = model.requests[asked];
  expect(next?.text).toContain(dropped);
  expect(next?.text).toContain('Read all the pages');
});

test('outputs of older calls are left out first', async () => {
  model.reply(reader(8));
  const store = createStore('Read some');
  const agent = toAgentModel(model, 'chat completions', {
    contextTokens: 17_000,
    maxOutputTokens: 1_000,
  });
  await work(agent, store, { files: openFiles(pages) });
  expect(model.last.text).not.toContain(dropped);
  expect(model.last.text).toContain('left out to save room');
  expect(store.steps.some((step) => step.replacesEarlier)).toBe(true);
  expectPairs(store.messages);
});

test('a model that takes in less than was said makes room, and is asked again', async () => {
  const takesIn = 24_000;
  const read = reader(12);
  model.reply((request) =>
    request.text.length > takesIn
      ? {
          status: 400,
          body: { error: { message: "This model's maximum context length is 6000 tokens." } },
        }
      : read(request),
  );
  const store = createStore('Read on');
  await expect(
    work(toAgentModel(model), store, { files: openFiles(pages) }),
  ).resolves.toBeDefined();
  expect(model.requests.some(({ text }) => text.length > takesIn)).toBe(true);
});

test('an instruction that is too long by itself fails the job, with what to do', async () => {
  model.reply({ status: 400, body: { error: { message: 'prompt is too long: 9 tokens > 8' } } });
  await expect(work(toAgentModel(model), createStore('Go'))).rejects.toMatchObject({
    code: 'model_failed',
    message: 'The conversation is longer than the model "main" takes in.',
  });
  expect(model.requests.length).toBeLessThan(4);
});

describe('by itself', () => {
  const step = (n: number, output: string): ModelMessage[] => [
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm' },
        {
          type: 'tool-call',
          toolCallId: `c${n}`,
          toolName: 'write',
          input: { path: 'a', content: 'y'.repeat(2_000) },
        },
      ],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: `c${n}`,
          toolName: 'write',
          output: { type: 'text', value: output },
        },
      ],
    },
  ];
  const conversation = (steps: number): ModelMessage[] => [
    { role: 'user', content: 'First' },
    ...Array.from({ length: steps }, (_, n) => step(n, 'x'.repeat(4_000))).flat(),
    { role: 'user', content: 'Then' },
    ...step(steps, 'z'.repeat(4_000)),
  ];

  test('the newest step keeps its outputs and thoughts, older ones lose them', () => {
    const { messages } = elide(conversation(5), 4_000);
    const text = JSON.stringify(messages);
    expect(text.match(/left out to save room/g)).toHaveLength(5);
    expect(text).toContain('z'.repeat(4_000));
    expect(text.match(/"reasoning"/g)).toHaveLength(1);
    expectPairs(messages);
  });

  test('what the user said stays, in its order, before the notice', () => {
    const messages = dropSteps(conversation(5), 4_000, { changes: 'All is well', todos: [] });
    expect(messages.slice(0, 2).map(({ content }) => content)).toEqual([
      'First',
      expect.stringContaining('All is well'),
    ]);
    expect(messages.map(({ content }) => content)).toContain('Then');
    expectPairs(messages);
  });

  test('where there is nothing older, all stays', () => {
    const without = { changes: '', todos: [] };
    const [first] = conversation(0);
    expect(dropSteps(first ? [first] : [], 4_000, without)).toEqual([first]);
    expect(dropSteps(step(1, 'short'), 4_000, without)).toEqual(step(1, 'short'));
  });
});
