/** A reader asks in other words: the question takes the place of an earlier one, and of all that followed. */
import { describe, expect, test } from 'vitest';
import { partOf, toBody } from '../support/ask.ts';
import { releases, renderChat } from '../support/chat-sdks.ts';
import { docent, model, useScriptedDocent } from '../support/scripted-docent.ts';

useScriptedDocent();

const questions = [
  'How do I install Kestrel?',
  'How do I set the gust limit for storm alerts?',
  'How do I calibrate the anemometer?',
];
const other = 'How do I install Kestrel on a roof?';

const asked = async (threadId: string) =>
  (await docent.turns(threadId)).map(({ question }) => question);
const all = async (threadId: string) =>
  (
    await docent.docent.services.database
      .selectFrom('turns')
      .select('question')
      .where('thread_id', '=', threadId)
      .orderBy('id')
      .execute()
  ).map(({ question }) => question);
/** The conversation that the model was given, without its instructions. */
const told = () =>
  (model.last.body.messages ?? [])
    .filter(({ role }) => role !== 'system')
    .map(({ content }) => /^Question: (.*)$/m.exec(content as string)?.[1] ?? content);

describe('sendMessage({ messageId }) of the chat SDKs', () => {
  test.each(releases.map((release) => [release.name, release] as const))(
    '%s: an edited question',
    async (_name, release) => {
      const api = `${docent.url}/discovery/v2/assistant/kestrel-docs/message`;
      using page = await renderChat(release, { api, key: docent.key });
      for (const question of questions) {
        await page.chat().sendMessage({ text: question });
        await page.settled();
      }
      const threadId = page.chat().messages.at(-1)?.metadata?.threadId ?? '';
      const second = page.chat().messages[2]?.id ?? '';
      await page.chat().sendMessage({ text: other, messageId: second });
      await page.settled();
      expect(page.chat().messages).toHaveLength(4);
      expect(await asked(threadId)).toEqual([questions[0], other]);
      expect(told()).toEqual([questions[0], 'Kestrel answers in words. [1]', other]);

      // What was replaced is still there for the owner of the site.
      expect(await all(threadId)).toEqual([...questions, other]);
    },
  );
});

describe('by hand', () => {
  const user = (id: string, text: string) => ({
    id,
    role: 'user',
    parts: [{ type: 'text', text }],
  });
  const submit = (id: string, text: string, more: object = {}) =>
    docent.ask(toBody(text, { trigger: 'submit-message', messages: [user(id, text)], ...more }));
  const start = async () => {
    const first = await submit('q-1', questions[0] ?? '');
    const threadId = first.headers.get('x-thread-id') ?? '';
    const second = await submit('q-2', questions[1] ?? '', { threadId });
    return { threadId, answerId: partOf(second.parts, 'start')?.['messageId'] as string };
  };

  test('a client that sends its last message only can edit too', async () => {
    const { threadId } = await start();
    await submit('q-1', other, { threadId, messageId: 'q-1' });
    expect(await asked(threadId)).toEqual([other]);
    // Nothing before it is left for the model.
    expect(told()).toEqual([other]);
  });
  test('regenerate with the id of an earlier answer replaces it and what followed', async () => {
    const { threadId, answerId } = await start();
    await submit('q-3', questions[2] ?? '', { threadId });
    const trigger = 'regenerate-message';
    await submit('q-2', questions[1] ?? '', { threadId, trigger, messageId: answerId });
    expect(await asked(threadId)).toEqual(questions.slice(0, 2));
  });
  test('a question that failed and is sent again stands once', async () => {
    const { threadId } = await start();
    model.once([{ raw: 'data: {"error":{"message":"secret","code":"x"}}\n\n' }]);
    await submit('q-3', questions[2] ?? '', { threadId });
    expect((await docent.turns(threadId)).at(-1)?.status).toBe('failed');
    await submit('q-3', questions[2] ?? '', { threadId, messageId: 'q-3' });
    expect(await asked(threadId)).toEqual(questions);
    expect((await docent.turns(threadId)).at(-1)?.status).toBe('complete');
  });
  test.each([
    ['a question that is not known', () => 'other-id'],
    ['an answer, as with what a tool said', (answerId: string) => answerId],
    ['no id that could be kept', () => 'q-1 or so\u0000'],
    ['nothing', () => null],
  ])('%s replaces nothing', async (_name, named) => {
    const { threadId, answerId } = await start();
    await submit('q-3', questions[2] ?? '', { threadId, messageId: named(answerId) });
    expect(await asked(threadId)).toEqual(questions);
  });
  test('an id of another conversation replaces nothing there', async () => {
    const [mine, theirs] = [await start(), await start()];
    await submit('q-2', other, { threadId: mine.threadId, messageId: 'q-2' });
    expect(await asked(mine.threadId)).toEqual([questions[0], other]);
    expect(await asked(theirs.threadId)).toEqual(questions.slice(0, 2));
  });
});
