/** A reader presses stop: the model is stopped at once, and everybody who reads hears of it. */
import { describe, expect, test } from 'vitest';
import { type Part, partOf, readRest, readUntil, textOf, toBody } from '../support/ask.ts';
import { answerOf, releases, renderChat } from '../support/chat-sdks.ts';
import { docent, model, useScriptedDocent } from '../support/scripted-docent.ts';
import { gate, silence } from '../support/scripted-model.ts';
import { waitFor } from '../support/wait-for.ts';

useScriptedDocent({ streamTimeouts: { graceMs: 60_000 } });

const question = 'How do I install Kestrel?';
const messageIdOf = (parts: Part[]) => partOf(parts, 'start')?.['messageId'] as string;

test('the model is stopped, what was said is stored, the stream ends properly, the thread goes on', async () => {
  model.once(['Half', silence]);
  const asked = model.requests.length;
  const { response, parts } = await docent.open(question);
  const seen = await readUntil(parts, 'text-delta');
  const threadId = response.headers.get('x-thread-id') ?? '';
  const id = messageIdOf(seen);
  const second = await docent.resume(id, { skip: seen.length });

  const stopped = await docent.stop(id);
  expect(stopped.status).toBe(204);
  // Stored before the stop is answered: no waiting here.
  expect(await docent.turns(threadId)).toMatchObject([{ status: 'stopped', answer: 'Half' }]);
  await (
    await model.request(asked + 1)
  ).gone;
  const rest = await readRest(parts);
  expect(rest).toEqual([
    { type: 'text-end', id: '0' },
    { type: 'message-metadata', messageMetadata: { threadId, ended: 'stopped' } },
    { type: 'abort' },
  ]);
  expect(await readRest(second.parts)).toEqual(rest);
  // Once more does no harm, nor does one that comes too late.
  expect((await docent.stop(id)).status).toBe(204);

  const next = await docent.ask('Go on please', { threadId });
  expect(next.text).toBe('Kestrel answers in words. [1]');
  expect(model.last.body.messages).toContainEqual({ role: 'assistant', content: 'Half' });
  const late = messageIdOf(next.parts);
  expect((await docent.stop(late)).status).toBe(204);
  expect(await docent.turns(threadId)).toMatchObject([
    { status: 'stopped' },
    { status: 'complete' },
  ]);
});

test('before the first word, by the chat’s id', async () => {
  model.once([silence]);
  const asked = model.requests.length;
  const id = `chat-${crypto.randomUUID()}`;
  const { parts, response } = await docent.open(toBody(question, { id }));
  const request = await model.request(asked + 1);
  const stopped = await docent.stop(id);
  expect(stopped.status).toBe(204);
  // Whoever stops before the first header doesn't know the conversation yet, and may want to delete it.
  expect(stopped.headers.get('x-thread-id')).toBe(response.headers.get('x-thread-id'));
  await request.gone;
  const types = (await readRest(parts)).map((part) => part.type);
  expect(types.slice(-2)).toEqual(['message-metadata', 'abort']);
});

test('another reader cannot stop it', async () => {
  const held = gate();
  model.once(['Half', held, ' whole']);
  const id = `chat-${crypto.randomUUID()}`;
  const { parts } = await docent.open(toBody(question, { id, fp: 'reader-1' }));
  const seen = await readUntil(parts, 'text-delta');
  const stranger = await docent.keys.create({
    kind: 'assistant',
    organization: 'osprey',
    name: 'stranger',
  });
  for (const each of [id, messageIdOf(seen)]) {
    expect((await docent.stop(each)).status).toBe(204);
    expect((await docent.stop(each, { headers: { 'x-fp': 'reader-2' } })).status).toBe(204);
    const options = { key: stranger.token, headers: { 'x-fp': 'reader-1' } };
    expect((await docent.stop(each, { ...options, domain: 'osprey-docs' })).status).toBe(204);
    expect((await docent.stop(each, options)).status).toBe(404);
  }
  expect((await docent.stop('unknown-unknown-unknown')).status).toBe(204);
  held.open();
  expect(textOf(await readRest(parts))).toBe(' whole');
});

describe.each(releases)('chat SDK $name', (release) => {
  test('shows a stopped answer as one that ended, with what was said', async () => {
    const api = `${docent.url}/discovery/v2/assistant/kestrel-docs/message`;
    using page = await renderChat(release, { api, key: docent.key });
    model.once(['The beginning', silence]);
    const sent = page.chat().sendMessage({ text: question });
    await waitFor(
      'the first words',
      () => page.chat().messages.length === 2 && answerOf(page.chat()).text === 'The beginning',
    );
    await docent.stop(answerOf(page.chat()).id);
    await sent;
    const { status, error } = await page.settled();
    expect({ status, error }).toEqual({ status: 'ready', error: undefined });
    const answer = answerOf(page.chat());
    expect(answer.text).toBe('The beginning');
    expect(answer.metadata).toEqual({ threadId: expect.any(String), ended: 'stopped' });
    expect(answer.parts.filter((part) => part['state'] === 'streaming')).toEqual([]);
    await page.chat().sendMessage({ text: 'And now?' });
    expect(answerOf(await page.settled()).text).toBe('Kestrel answers in words. [1]');
  });
});
