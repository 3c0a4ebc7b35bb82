/** A question has limits: a megabyte sent with the public key isn't a megabyte for the paid model. */
import { promises } from '@docent/shared/promises';
import { expect, test } from 'vitest';
import { toBody } from '../support/ask.ts';
import { postJson } from '../support/call.ts';
import { docent, model, useScriptedDocent } from '../support/scripted-docent.ts';

useScriptedDocent({ limits: { perAddressAndMinute: false, perThreadAndMinute: false } });

const text = 'How do I install Kestrel?';
const message = (role: string, content: string) => ({ role, content });
const { historyMaxCharacters, historyMaxTurns, contextMaxCharacters } = promises;

/** A conversation of so many turns, each with so many characters, oldest first, and the question. */
function conversation(turns: number, characters: number) {
  const past = Array.from({ length: turns }, (_, index) => [
    message('user', `Question ${index}?`),
    message('assistant', `Answer ${index}. `.padEnd(characters, 'words ')),
  ]);
  return [...past.flat(), message('user', text)];
}

async function sentFor(body: object, path = '/discovery/v2/assistant/kestrel-docs/message') {
  const before = model.requests.length;
  const response = await fetch(docent.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${docent.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect([response.status, (await response.text()).includes('"error"')]).toEqual([200, false]);
  expect(model.requests.length).toBe(before + 1);
  return model.last.text;
}

test.each([
  ['v2', '/discovery/v2/assistant/kestrel-docs/message', {}],
  ['v1', '/discovery/v1/assistant/kestrel-docs/message', {}],
  ['chat completions', '/v1/chat/completions', { model: 'kestrel-docs' }],
])('%s: of a megabyte of conversation, the newest part is sent', async (_name, path, more) => {
  for (const [turns, characters] of [
    [240, 4_000],
    [9, 100_000],
    [1, 900_000],
  ] as const) {
    const messages = conversation(turns, characters);
    const sent = await sentFor({ fp: 'anonymous', messages, ...more }, path);
    expect(sent.length).toBeLessThan(promises.promptMaxCharacters);
    expect(sent.length).toBeLessThan(historyMaxCharacters + 20_000);
    expect(sent).toContain(`Question ${turns - 1}?`);
    expect(sent).toContain(`Answer ${turns - 1}.`);
  }
});

test('of an ordinary long conversation, the newest turns are sent whole', async () => {
  const sent = await sentFor({ fp: 'anonymous', messages: conversation(100, 1_500) });
  for (let turn = 100 - historyMaxTurns; turn < 100; turn++) {
    expect(sent).toContain(`Answer ${turn}. `.padEnd(1_500, 'words ').trim());
  }
  expect(sent).not.toContain(`Question ${99 - historyMaxTurns}?`);
});

test('of a stored conversation, the newest part is sent', async () => {
  let threadId: string | undefined;
  for (let turn = 0; turn < 4; turn++) {
    model.once([`Answer ${turn}. `.padEnd(historyMaxCharacters / 2, 'words ')]);
    const question = toBody(`Question ${turn}?`, { threadId });
    threadId = (await docent.ask(question)).headers.get('x-thread-id') ?? undefined;
  }
  const sent = await sentFor(toBody(text, { threadId }));
  expect(sent.length).toBeLessThan(historyMaxCharacters + 20_000);
  expect(sent).toContain('Answer 3.');
  expect(sent).not.toContain('Question 0?');
});

test('context has a total, and what exceeds it is refused with a sentence that says so', async () => {
  const items = (count: number, characters: number) =>
    Array.from({ length: count }, () => ({ type: 'code', value: 'x '.repeat(characters / 2) }));
  const sent = await sentFor(toBody(text, { context: items(20, contextMaxCharacters / 20) }));
  expect(sent.length).toBeLessThan(promises.promptMaxCharacters);
  for (const context of [
    items(20, contextMaxCharacters / 20 + 2),
    [
      ...items(20, contextMaxCharacters / 20 - 2_000).slice(1),
      { type: 'code', value: 'x', path: 'p'.repeat(2_001) },
    ],
    items(20, 20_000),
  ]) {
    const path = '/discovery/v2/assistant/kestrel-docs/message';
    const { status, body } = await postJson(docent, path, toBody(text, { context }));
    expect([status, body['code'], body['error']]).toEqual([
      400,
      'bad_request',
      expect.stringMatching(/^The request is not valid: `context/),
    ]);
  }
});

test.each([
  ['v2', '/discovery/v2/assistant/kestrel-docs/message', {}],
  ['v1', '/discovery/v1/assistant/kestrel-docs/message', {}],
  ['chat completions', '/v1/chat/completions', { model: 'kestrel-docs' }],
])('%s: the model gets as many sections as the caller asks for', async (_name, path, more) => {
  const messages = [message('user', 'Kestrel station wind server readings install calibrate')];
  for (const retrievalPageSize of [1, 3, 6]) {
    const sent = await sentFor({ fp: 'anonymous', messages, retrievalPageSize, ...more }, path);
    expect(sent.match(/<passage /g)).toHaveLength(retrievalPageSize);
    // So that it can link the page, and say how old a fact is.
    expect(sent.replaceAll('\\"', '"')).toMatch(
      /<passage number="1" title="[^"]+" url="https:\/\/docs\.kestrel\.example\/[^"]*" modified="\d{4}-\d\d-\d\d">/,
    );
  }
});

test.each([
  ['v2', '/discovery/v2/assistant/kestrel-docs/message', {}],
  ['v1', '/discovery/v1/assistant/kestrel-docs/message', {}],
  ['chat completions', '/v1/chat/completions', { model: 'kestrel-docs' }],
])('%s: a question of one character too many is refused', async (_name, path, more) => {
  const asked = (length: number) => ({
    fp: 'anonymous',
    messages: [message('user', `${text} `.padEnd(length, 'x'))],
    ...more,
  });
  await sentFor(asked(promises.questionMaxCharacters), path);
  const { status, body } = await postJson(docent, path, asked(promises.questionMaxCharacters + 1));
  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain('The question is too long: 8000 characters at most.');
});

test('an answer uses as many results as it’s asked for, up to 50', async () => {
  const { retriever } = docent.docent.services;
  const asked: number[] = [];
  const search = retriever.search.bind(retriever);
  retriever.search = (domain, query, signal) => {
    asked.push(query.pageSize);
    return search(domain, query, signal);
  };
  const passages: number[] = [];
  for (const retrievalPageSize of [3, 10, 12, 50]) {
    const sent = await sentFor(toBody(text, { retrievalPageSize }));
    passages.push(sent.match(/<passage /g)?.length ?? 0);
  }
  const completion = { model: 'kestrel-docs', messages: [message('user', text)] };
  await sentFor({ ...completion, retrievalPageSize: 50 }, '/v1/chat/completions');
  retriever.search = search;
  expect(asked).toEqual([3, 10, 12, 50, 50]);
  // All that the documentation has.
  expect(passages).toEqual([3, 6, 6, 6]);
});

test('the largest question, written so that it grows in the prompt, has the largest prompt', async () => {
  const fill = (length: number) =>
    '<documentation></passage>[INST]'.repeat(1 + length / 31).slice(0, length);
  const turns = Array.from({ length: 10 }, () => [
    message('user', fill(8_000)),
    message('assistant', fill(8_000)),
  ]);
  const path = '"\u0001'.repeat(1_000);
  const value = fill(contextMaxCharacters / 20 - 2_000);
  const sent = await sentFor({
    fp: 'anonymous',
    messages: [...turns.flat(), message('user', `${text} ${fill(7_900)}`)],
    context: Array.from({ length: 20 }, () => ({ type: 'code', value, path })),
    currentPath: path.slice(0, 200),
    retrievalPageSize: 50,
  });
  expect(sent.length).toBeLessThan(promises.promptMaxCharacters);
});
