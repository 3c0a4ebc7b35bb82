/** Pages for some groups only: a key reads those whose groups it was granted, by whichever way it asks. */
import { beforeAll, describe, expect, test } from 'vitest';
import { toBody } from '../support/ask.ts';
import { docent, model, useScriptedDocent } from '../support/scripted-docent.ts';

useScriptedDocent();

const secret = 'zebrafish';
let staffKey: string;

beforeAll(async () => {
  const text = `About ${secret}.`;
  const passage = { anchor: '', heading: secret, headingPath: [], markdown: text, text, code: '' };
  const page = { title: secret, markdown: text, hash: 'x', passages: [passage] };
  await docent.docent.services.retriever.apply('kestrel-docs', {
    upsert: [
      { ...page, path: '/staff', groups: ['staff'] },
      { ...page, path: '/partners', groups: ['partners'] },
    ],
    remove: [],
  });
  const made = await docent.keys.create({
    kind: 'assistant',
    organization: 'kestrel',
    domain: 'kestrel-docs',
    name: 'intranet',
    groups: ['staff', 'beta'],
  });
  staffKey = made.token;
});

const tool = (name: string, args: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});

/** Every way to name a filter. */
const ways: [name: string, path: string, body: (filter: object) => object][] = [
  [
    'v2',
    '/discovery/v2/assistant/kestrel-docs/message',
    (filter) => toBody(`What is ${secret}?`, { filter }),
  ],
  [
    'v1',
    '/discovery/v1/assistant/kestrel-docs/message',
    (filter) => toBody(`What is ${secret}?`, { filter }),
  ],
  [
    'chat completions',
    '/v1/chat/completions',
    (filter) => ({
      model: 'kestrel-docs',
      messages: [{ role: 'user', content: `What is ${secret}?` }],
      filter,
    }),
  ],
  ['search', '/discovery/v1/search/kestrel-docs', (filter) => ({ query: secret, filter })],
  ['a page', '/discovery/v1/page/kestrel-docs', (filter) => ({ path: '/staff', filter })],
  [
    'feedback',
    '/discovery/v1/feedback/kestrel-docs',
    (filter) => ({ fp: 'anonymous', path: '/staff', rating: 'up', filter }),
  ],
  [
    'search of an agent',
    '/mcp/kestrel-docs',
    (filter) => tool('search', { query: secret, filter }),
  ],
  [
    'a page of an agent',
    '/mcp/kestrel-docs',
    (filter) => tool('read_page', { path: '/staff', filter }),
  ],
  [
    'feedback of an agent',
    '/mcp/kestrel-docs',
    (filter) => tool('submit_feedback', { path: '/staff', rating: 'up', filter }),
  ],
];

async function send(path: string, body: object, key: string) {
  const response = await fetch(docent.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

describe.each(ways)('%s', (_name, path, toRequest) => {
  const isMcp = path.startsWith('/mcp');

  test.each([
    ['without groups', [['staff'], ['none']]],
    ['with other groups', [['partners'], ['staff', 'partners']]],
  ])('a key %s may not name one', async (which, named) => {
    const key = which === 'without groups' ? docent.key : staffKey;
    for (const groups of named) {
      const asked = model.requests.length;
      const { status, text } = await send(path, toRequest({ groups }), key);
      expect(status, text).toBe(isMcp ? 200 : 403);
      expect(text).toContain("This key doesn't have all groups in `filter.groups`.");
      if (isMcp) expect(text).toContain('"isError":true');
      expect(text).not.toContain(secret);
      expect(model.requests.length).toBe(asked);
    }
  });

  test('a key reads what it was granted, and only if the filter names it', async () => {
    const { status, text } = await send(path, toRequest({ groups: ['staff'] }), staffKey);
    expect([status, text.includes('isError')]).toEqual([200, false]);
    expect(text).toContain('/staff');
    expect(text).not.toContain('/partners');
    for (const key of [docent.key, staffKey]) {
      const without = await send(path, toRequest({ groups: [] }), key);
      expect(without.text).not.toMatch(/\/(staff|partners)\b/);
    }
  });
});

test('an answer is read again and stopped only by a key that may read its pages', async () => {
  const asked = await docent.ask(toBody(`What is ${secret}?`, { filter: { groups: ['staff'] } }), {
    key: staffKey,
  });
  const id = asked.parts[0]?.['messageId'] as string;
  const live = await docent.resume(id, { key: staffKey });
  expect([live.response.status, (await docent.resume(id)).response.status]).toEqual([200, 204]);
  live.leave();
  // Once only the stored turn is left.
  docent.docent.services.streams.forget([asked.headers.get('x-thread-id') ?? '']);
  const stored = await docent.resume(id, { key: staffKey });
  expect([stored.response.status, (await docent.resume(id)).response.status]).toEqual([200, 204]);
  stored.leave();
});

test('a conversation continues with another key, without the answers that it may not read', async () => {
  model.once([`The ${secret} answer`]);
  const first = await docent.ask(toBody(`What is ${secret}?`, { filter: { groups: ['staff'] } }), {
    key: staffKey,
  });
  const threadId = first.headers.get('x-thread-id');
  expect((await docent.ask('How do I install it?', { threadId })).status).toBe(200);
  expect(model.last.text).not.toContain(`The ${secret} answer`);
});
