/** The reader's page is part of the question, whichever protocol the question comes by. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toBody } from '../support/ask.ts';
import { docent, model, useScriptedDocent } from '../support/scripted-docent.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';

useScriptedDocent();
let extractive: TestDocent;

beforeAll(async () => {
  extractive = await startDocent();
});
afterAll(() => extractive[Symbol.asyncDispose]());

const calibrate = '/guides/calibrate';
const zero = 'Cover the cups so that they cannot turn, then hold the blue button for five seconds.';

/** What the model is sent, and the titles of the passages in it, in their order. */
async function promptOf(path: string, body: object) {
  const before = model.requests.length;
  const response = await fetch(docent.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${docent.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await response.text();
  const [request] = model.requests.slice(before);
  const { messages = [] } = request?.body ?? {};
  const prompt = String(messages.at(-1)?.content);
  const titles = [...prompt.matchAll(/<passage [^>]*title="([^"]*)"/g)].map(([, title]) => title);
  return { prompt, titles };
}

const v2 = '/discovery/v2/assistant/kestrel-docs/message';
const ask = (question: string, more: Record<string, unknown>) =>
  promptOf(v2, toBody(question, more));

describe.each<[name: string, path: string, toRequest: (question: string, at: string) => object]>([
  ['v2', v2, (question, currentPath) => toBody(question, { currentPath })],
  [
    'v1',
    '/discovery/v1/assistant/kestrel-docs/message',
    (question, currentPath) => ({
      fp: 'anonymous',
      messages: [{ role: 'user', content: question }],
      currentPath,
    }),
  ],
  [
    'chat completions',
    '/v1/chat/completions',
    (question, currentPath) => ({
      model: 'kestrel-docs',
      messages: [{ role: 'user', content: question }],
      metadata: { currentPath },
    }),
  ],
])('%s', (_name, path, toRequest) => {
  test('the model gets the outline of the page, and its passages first', async () => {
    const { prompt, titles } = await promptOf(path, toRequest('Summarize this page', calibrate));
    expect(prompt).toContain(
      '<reader-page path="/guides/calibrate" title="Calibrate the anemometer">\n' +
        '- Zero the sensor\n- Check against a reference\n</reader-page>',
    );
    expect(titles.slice(0, 3)).toEqual([
      'Calibrate the anemometer',
      'Calibrate the anemometer › Zero the sensor',
      'Calibrate the anemometer › Check against a reference',
    ]);
  });

  test('a page that is not indexed is named as such', async () => {
    const { prompt } = await promptOf(path, toRequest('Summarize this page', '/pricing'));
    expect(prompt).toContain(
      'The reader is on the page "/pricing". It isn\'t part of the indexed documentation',
    );
    expect(prompt).not.toContain('<reader-page');
  });
});

test.each([
  '/guides/calibrate/',
  '/guides/calibrate.html',
  '/guides/calibrate/index.html',
  '/guides/calibrate?tab=1#zero-the-sensor',
  'https://docs.kestrel.example/guides/calibrate',
  '/%67uides/calibrate',
  '/#/guides/calibrate',
])('the page is found at %s', async (currentPath) => {
  const { prompt } = await ask('Explain this', { currentPath });
  expect(prompt).toContain('<reader-page path="/guides/calibrate"');
});

test('the passage that contains the selection comes first, with what is around it', async () => {
  const context = [{ type: 'textSelection', value: zero, path: calibrate }];
  const { titles } = await ask('What does this mean?', { currentPath: calibrate, context });
  expect(titles.slice(0, 3)).toEqual([
    'Calibrate the anemometer › Zero the sensor',
    'Calibrate the anemometer › Check against a reference',
    'Calibrate the anemometer',
  ]);
});

test('a selection from another page comes before the current page', async () => {
  const context = [{ type: 'code', value: 'kestrel-setup install', path: '/install' }];
  const { titles } = await ask('What does this do?', { currentPath: calibrate, context });
  expect(titles[0]).toBe('Install Kestrel › Install with the package manager');
});

test('a question about something else begins with what answers it, and ends with the page', async () => {
  const { titles, prompt } = await ask('Which wind speed raises a storm alert?', {
    currentPath: '/install',
  });
  expect(titles[0]).toBe('Storm alerts › Set the threshold');
  expect(prompt).toContain('<reader-page path="/install"');
});

test('in a conversation, "this" is what was said before', async () => {
  const asked = await docent.ask('How do I install Kestrel with the package manager?');
  const threadId = asked.headers.get('x-thread-id');
  const follow = await ask('How does this work?', { currentPath: calibrate, threadId });
  expect(follow.titles[0]).toContain('Install Kestrel');
  const named = await ask('What is this page about?', { currentPath: calibrate, threadId });
  expect(named.titles[0]).toBe('Calibrate the anemometer');
});

test('a page for others is treated as one that is not indexed', async () => {
  const text = 'The zebrafish is secret.';
  const passage = { anchor: '', heading: 'Z', headingPath: [], markdown: text, text, code: '' };
  const page = { title: 'Zebrafish', markdown: text, hash: 'x', passages: [passage] };
  await docent.docent.services.retriever.apply('kestrel-docs', {
    upsert: [{ ...page, path: '/staff', groups: ['staff'] }],
    remove: [],
  });
  const { prompt } = await ask('Summarize this page', { currentPath: '/staff' });
  expect(prompt).toContain('The reader is on the page "/staff". It isn\'t part of');
  expect(prompt).not.toMatch(/zebrafish/i);
});

test.each([
  ['Summarize this page', 'The anemometer drifts by about two percent a year'],
  ['Fasse diese Seite zusammen', 'The anemometer drifts by about two percent a year'],
  ['このページを要約してください', 'The anemometer drifts by about two percent a year'],
  ['On this page, how far may the readings differ?', 'half a metre'],
])('without a model, the page is quoted: %s', async (question, quoted) => {
  const asked = await extractive.ask(toBody(question, { currentPath: calibrate }));
  expect(asked.text).toContain(quoted);
  const [source] = asked.parts.filter(({ type }) => type === 'source-url');
  expect(source?.['url']).toContain('https://docs.kestrel.example/guides/calibrate');
});

test('without a model, a selection is quoted with its section', async () => {
  const context = [{ type: 'textSelection', value: zero.slice(0, 40), path: calibrate }];
  const asked = await extractive.ask(
    toBody('What does this mean?', { currentPath: calibrate, context }),
  );
  expect(asked.text).toContain('The display\nshows `ZERO` when the offset is stored.');
  expect(asked.text).toContain('**Calibrate the anemometer › Zero the sensor** [1]');
});
