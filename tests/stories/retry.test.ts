/** An answer breaks off, and its reader asks for another: what was there of it is kept, but no longer counts. */
import { describe, expect, test } from 'vitest';
import { releases4, renderChat4 } from '../support/chat-sdk-4.ts';
import { releases, renderChat } from '../support/chat-sdks.ts';
import { docent, model, useScriptedDocent } from '../support/scripted-docent.ts';
import type { Script } from '../support/scripted-model.ts';

useScriptedDocent();

const first = 'How do I install Kestrel?';
const second = 'How do I set the gust limit for storm alerts?';
const third = 'How do I calibrate the anemometer?';

/** The model dies after some words. */
const breaksOff: Script = [
  'Half of an ',
  'answer',
  { raw: 'data: {"error":{"message":"secret","code":"x"}}\n\n' },
];

/** A reader in a conversation, by one of the ways there are. */
interface Reader {
  /** Asks; ends when the answer has, also where it failed. */
  ask(question: string): Promise<void>;
  /** Asks for another answer to the last question. */
  again(): Promise<void>;
  threadId(): string;
  [Symbol.dispose]?(): void;
}

const text = (role: string, words: string, more: object = {}) => ({
  role,
  content: words,
  parts: [{ type: 'text', text: words }],
  ...more,
});

/** Sends what a client without an SDK holds: the whole conversation, or the question alone. */
function byHand(version: 'v1' | 'v2'): Reader {
  const messages: object[] = [];
  let threadId: string | undefined;
  const send = async (more: object) => {
    const path = `/discovery/${version}/assistant/kestrel-docs/message`;
    const response = await fetch(docent.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${docent.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ fp: 'anonymous', messages, threadId, ...more }),
    });
    threadId = response.headers.get('x-thread-id') ?? '';
    await response.text();
  };
  return {
    async ask(question) {
      messages.push(text('user', question));
      await send({});
      messages.push(text('assistant', 'What the client holds of the answer.'));
    },
    async again() {
      messages.pop();
      await send(version === 'v2' ? { trigger: 'regenerate-message' } : {});
      messages.push(text('assistant', 'What the client holds of the other answer.'));
    },
    threadId: () => threadId ?? '',
  };
}

async function bySdk(): Promise<Reader> {
  const release = releases.at(-1);
  if (!release) throw new Error('There is no release');
  const api = `${docent.url}/discovery/v2/assistant/kestrel-docs/message`;
  const page = await renderChat(release, { api, key: docent.key });
  return {
    async ask(question) {
      await page.chat().sendMessage({ text: question });
      await page.settled();
    },
    async again() {
      await page.chat().regenerate();
      await page.settled();
    },
    threadId: () =>
      page
        .chat()
        .messages.map(({ metadata }) => metadata?.threadId)
        .findLast((id) => id !== undefined) ?? '',
    [Symbol.dispose]: () => page[Symbol.dispose](),
  };
}

async function bySdk4(): Promise<Reader> {
  const release = releases4.at(-1);
  if (!release) throw new Error('There is no release');
  const api = `${docent.url}/discovery/v1/assistant/kestrel-docs/message`;
  const page = await renderChat4(release, { api, key: docent.key });
  const threadOf = () =>
    page
      .chat()
      .messages.flatMap((message) => message.annotations ?? [])
      .map((each) => each['threadId'])
      .findLast((id) => typeof id === 'string') ?? '';
  return {
    async ask(question) {
      await page.chat().append({ role: 'user', content: question });
      await page.settled();
    },
    async again() {
      await page.chat().reload();
      await page.settled();
    },
    threadId: threadOf as () => string,
    [Symbol.dispose]: () => page[Symbol.dispose](),
  };
}

describe.each<[string, () => Promise<Reader>]>([
  ['version 2 by hand', async () => byHand('v2')],
  ['version 2, regenerate() of the SDK', bySdk],
  ['version 1 by hand', async () => byHand('v1')],
  ['version 1, reload() of SDK 4', bySdk4],
])('%s', (_how, open) => {
  test('a broken answer is kept as incomplete; another takes its place, here and for the model', async () => {
    const reader = await open();
    using _closed = { [Symbol.dispose]: () => reader[Symbol.dispose]?.() };
    model.once(['Run the installer. [1]']);
    await reader.ask(first);
    model.once(breaksOff);
    await reader.ask(second);
    const stored = async () =>
      (await docent.turns(reader.threadId())).map(({ question, answer, status }) => ({
        question,
        answer,
        status,
      }));
    const opening = { question: first, answer: 'Run the installer. [1]', status: 'complete' };
    expect(await stored()).toEqual([
      opening,
      { question: second, answer: 'Half of an answer', status: 'failed' },
    ]);

    // It breaks again: still one turn, the newer one.
    model.once(['Another ', ...(breaksOff as string[]).slice(-1)]);
    await reader.again();
    expect(await stored()).toEqual([
      opening,
      { question: second, answer: 'Another', status: 'failed' },
    ]);

    model.once(['Set alerts.gustLimit. [1]']);
    await reader.again();
    const mended = { question: second, answer: 'Set alerts.gustLimit. [1]', status: 'complete' };
    expect(await stored()).toEqual([opening, mended]);
    const told = () =>
      model.last.body.messages?.map(({ role, content }) => {
        const words = content as string;
        return [role, role === 'system' ? '' : (/^Question: (.*)$/m.exec(words)?.[1] ?? words)];
      });
    const before = [
      ['system', ''],
      ['user', first],
      ['assistant', opening.answer],
    ];
    expect(told()).toEqual([...before, ['user', second]]);

    await reader.ask(third);
    expect(told()).toEqual([
      ...before,
      ['user', second],
      ['assistant', mended.answer],
      ['user', third],
    ]);
    expect(await stored()).toHaveLength(3);
  });
});
