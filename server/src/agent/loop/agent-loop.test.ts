import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { follow, hear, results } from '../../../../tests/support/agent-script.ts';
import {
  type ScriptedModel,
  startScriptedModel,
} from '../../../../tests/support/scripted-model.ts';
import {
  createStore,
  finish,
  openFiles,
  textAt,
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

const typo = {
  for: 'Correct the typo',
  answers: [
    ['I look ', 'for it. ', { call: 'search', input: { query: 'teh' } }],
    [
      { call: 'read', input: { path: 'docs/install.md' } },
      {
        call: 'edit',
        input: { path: 'docs/install.md', oldText: 'teh service', newText: 'the service' },
      },
      { usage: { input: 900, output: 50 } },
    ],
    [finish({ summary: '`install.md`: teh → the' })],
  ],
};

describe.each(wires)('over the wire of %s', (wire) => {
  test('a change is found, made and told', async () => {
    model.reply(follow(typo));
    const store = createStore('Correct the typo in the installation page.');
    const files = openFiles();
    const end = await work(toAgentModel(model, wire), store, { files });

    expect(end).toEqual({
      title: 'Correct a typo',
      message: 'I corrected the typo.',
      summary: '`install.md`: teh → the',
    });
    expect(await textAt(files, 'docs/install.md')).toContain('then start the service.');
    expect(await files.changes()).toHaveLength(1);

    // Each step was stored before the model was asked again.
    expect(store.steps).toHaveLength(3);
    expect(store.steps.map(({ taken }) => taken)).toEqual([['p1'], [], []]);
    expect(store.steps[1]?.usage).toEqual({ inputTokens: 900, outputTokens: 50 });
    expect(store.waiting).toEqual([]);
    expect(store.text).toBe('I look for it. ');
    expect(store.events.filter(({ type }) => type === 'tool-call')).toHaveLength(4);

    // What the tools gave back reached the model, call by call.
    const second = model.requests[1];
    if (!second) throw new Error('The model was asked once only');
    expect(results(second)[0]).toContain('docs/install.md\n');
    expect(hear(second).map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(results(model.last)).toHaveLength(2);
  });

  test('a run that was stopped between two steps goes on where it was', async () => {
    model.reply(follow(typo));
    const store = createStore('Correct the typo in the installation page.');
    const agent = toAgentModel(model, wire);
    const lost = new Error('the lease is lost');
    const stopAfter = (steps: number) => async (step: (typeof store.steps)[number]) => {
      if (store.steps.length >= steps) throw lost;
      store.save(step);
    };
    await expect(work(agent, store, { onStep: stopAfter(1) })).rejects.toBe(lost);
    expect(model.requests).toHaveLength(2);
    const files = openFiles();
    await work(agent, store, { files });
    // The second step was not stored, so it was made again.
    expect(model.requests).toHaveLength(4);
    expect(await textAt(files, 'docs/install.md')).toContain('then start the service.');
  });

  test('what the model gets wrong is told to it, and it goes on', async () => {
    model.reply(
      follow({
        for: 'Try',
        answers: [
          [
            { call: 'read', arguments: '{"path": "docs/ind' },
            { call: 'erase', input: { path: 'docs/index.md' } },
            { call: 'read', input: { file: 'docs/index.md' } },
            { call: 'read', input: { path: 'docs/nowhere.md' } },
            { call: 'list', arguments: '' },
          ],
          [finish()],
        ],
      }),
    );
    const store = createStore('Try');
    await work(toAgentModel(model, wire), store);
    expect(store.outputs).toEqual([
      expect.stringMatching(/^ERROR The arguments are not valid JSON\./),
      'ERROR There is no tool "erase". The tools are: list, search, read, edit, write, move, delete, check, todo, finish.',
      expect.stringMatching(/^ERROR The input of read is not right:\n✖ .*\n.* at path/),
      expect.stringMatching(/^ERROR .*nowhere\.md/),
      'docs/guides/alerts.md\ndocs/index.md\ndocs/install.md',
      'Finished.',
    ]);
    expect(results(model.last)).toHaveLength(5);
  });

  test('a message that comes while it works is taken up at the next step', async () => {
    const store = createStore('Correct the typo in the installation page.');
    model.reply(
      follow(typo, {
        for: 'Also the title',
        answers: [
          [
            {
              call: 'edit',
              input: { path: 'docs/install.md', oldText: '# Install', newText: '# Set up' },
            },
          ],
          [finish({ title: 'Correct a typo and a title' })],
        ],
      }),
    );
    const files = openFiles();
    const end = await work(toAgentModel(model, wire), store, {
      files,
      onEvent: (event) => {
        if (event.type === 'tool-call' && event.name === 'search') store.ask('Also the title');
      },
    });
    expect(end.title).toBe('Correct a typo and a title');
    expect(await textAt(files, 'docs/install.md')).toContain('# Set up');
    expect(store.steps.map(({ taken }) => taken)).toEqual([['p1'], ['p2'], []]);
  });
});

test('a message that comes with the last step is not lost', async () => {
  const store = createStore('Correct the typo');
  model.reply(
    follow(
      { for: 'Correct the typo', answers: [[finish()]] },
      { for: 'One more thing', answers: [[finish({ message: 'Both are done.' })]] },
    ),
  );
  const end = await work(toAgentModel(model), store, {
    onEvent: ({ type }) => {
      if (type === 'tool-result' && store.steps.length === 0) store.ask('One more thing');
    },
  });
  expect(end.message).toBe('Both are done.');
  expect(store.steps).toHaveLength(2);
  expect(store.waiting).toEqual([]);
});

test('a model that just stops has finished, with its last words', async () => {
  model.reply(['Nothing is wrong ', 'with that page.']);
  const store = createStore('Please look whether the page on alerts is still right\nand tell me');
  expect(await work(toAgentModel(model), store)).toEqual({
    title: 'Please look whether the page on alerts is still right',
    message: 'Nothing is wrong with that page.',
  });
  expect(store.steps).toHaveLength(1);
});

test.each([
  ['by finish', [finish()], 'I corrected the typo.'],
  ['by its words', ['All is well.'], 'All is well.'],
])(
  'a run that ends %s stores its end with its last step, so that it is not asked again after a crash',
  async (_how, answer, message) => {
    model.reply(answer);
    const store = createStore('Correct the typo');
    const end = await work(toAgentModel(model), store);
    expect(end.message).toBe(message);
    expect(store.steps.map((step) => step.end)).toEqual([end]);
    // What the review found begins the work anew.
    await work(toAgentModel(model), store, { notice: 'A link is broken: docs/x.md' });
    expect(hear(model.last).at(-1)).toMatchObject({
      role: 'user',
      text: 'A link is broken: docs/x.md',
    });
  },
);

test('nothing finishes while another call of the same answer failed', async () => {
  model.reply(
    follow({
      for: 'Delete',
      answers: [
        [{ call: 'delete', input: { path: 'docs/nowhere.md' } }, finish()],
        [{ call: 'delete', input: { path: 'docs/index.md' } }, finish()],
      ],
    }),
  );
  const store = createStore('Delete the page');
  await work(toAgentModel(model), store);
  expect(store.outputs[1]).toBe(
    'ERROR Not finished: another call of this answer failed. See to it first.',
  );
  expect(store.steps).toHaveLength(2);
});

test('calls are done one after the other, as they were written', async () => {
  model.reply(
    follow({
      for: 'Build',
      answers: [
        [
          { call: 'write', input: { path: 'docs/new.md', content: 'one' } },
          { call: 'edit', input: { path: 'docs/new.md', oldText: 'one', newText: 'two' } },
          { call: 'move', input: { from: 'docs/new.md', to: 'docs/newer.md' } },
          { call: 'read', input: { path: 'docs/newer.md' } },
        ],
        [finish()],
      ],
    }),
  );
  const store = createStore('Build');
  await work(toAgentModel(model), store);
  expect(store.outputs[3]).toBe('1\ttwo');
});

test('a model that repeats itself is told, then ended', async () => {
  model.reply([{ call: 'read', input: { path: 'docs/index.md' } }]);
  const store = createStore('Go round');
  await expect(work(toAgentModel(model), store)).rejects.toMatchObject({
    code: 'model_failed',
    message: 'The model "main" repeated itself without coming on.',
  });
  // New once, six times the same.
  expect(model.requests).toHaveLength(7);
  const told = model.requests.map((request) => request.text.includes('made the same calls again'));
  expect(told).toEqual([false, false, false, false, true, true, true]);
});

test('reading again after a change is no repetition', async () => {
  const steps = Array.from({ length: 9 }, (_, n) => [
    { call: 'read', input: { path: 'docs/a.md' } },
    { call: 'write', input: { path: 'docs/a.md', content: `version ${n % 2}` } },
  ]);
  model.reply(
    follow({
      for: 'Work',
      answers: [
        [{ call: 'write', input: { path: 'docs/a.md', content: '-' } }],
        ...steps,
        [finish()],
      ],
    }),
  );
  await expect(work(toAgentModel(model), createStore('Work'))).resolves.toBeDefined();
});

test('an answer that was cut off at its greatest length is told as that', async () => {
  model.reply(
    follow({
      for: 'Long',
      answers: [
        [{ call: 'write', arguments: '{"path":"docs/a.md","content":"abc' }, { end: 'length' }],
        ['I think and think', { end: 'length' }],
        [finish()],
      ],
    }),
  );
  const store = createStore('Long');
  await work(toAgentModel(model), store);
  expect(store.outputs[0]).toContain('ERROR Your answer was cut off at its greatest length');
  expect(hear(model.last).at(-1)?.text).toContain('Your answer was cut off at its greatest length');
});

test('a model that says nothing is asked again, but not for ever', async () => {
  model.reply([]);
  const store = createStore('Hello?');
  await expect(work(toAgentModel(model), store)).rejects.toMatchObject({
    code: 'model_failed',
    message: 'The model "main" returned nothing.',
  });
  expect(model.requests).toHaveLength(3);
});
