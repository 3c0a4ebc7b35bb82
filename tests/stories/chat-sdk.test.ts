/** The real clients of chat SDK 5, 6 and 7 talk with the running server. */
import { describe, expect, test } from 'vitest';
import { answerOf, releases, renderChat, versions } from '../support/chat-sdks.ts';
import { docent, model, useScriptedDocent } from '../support/scripted-docent.ts';
import { gate } from '../support/scripted-model.ts';
import { waitFor } from '../support/wait-for.ts';
import { verifies } from '../support/verifies.ts';

useScriptedDocent();

const api = () => `${docent.url}/discovery/v2/assistant/kestrel-docs/message`;

/** 6.0.326's React package is built on an older patch: an app that installs both gets both. */
const hookIsOlder: Record<string, string> = { '6.0.326': '6.0.323' };

describe.each(releases)('chat SDK $name', (release) => {
  test('is the release it says, with its own React package', () => {
    const { name } = release;
    expect(versions(release)).toEqual({ transport: name, hook: hookIsOlder[name] ?? name });
  });

  verifies(
    ['assistant-v2:sdk-clients', 'assistant-v2:thread-id', 'versioning:sdk-5-and-later-v2'],
    'two turns in one conversation, then another answer in place of the last',
    async () => {
      using page = await renderChat(release, { api: api(), key: docent.key });
      const asked = model.requests.length;

      model.once(['Run the installer', ' of Kestrel. [1]']);
      await page.chat().sendMessage({ text: 'How do I install Kestrel?' });
      const first = answerOf(await page.settled());
      expect(page.chat().error).toBeUndefined();
      expect(first.text).toBe('Run the installer of Kestrel. [1]');
      expect(first.sources.length).toBeGreaterThan(0);
      const types = page
        .chat()
        .messages.at(-1)
        ?.parts.map(({ type }) => type);
      expect(types).toContain('data-suggestions');
      expect(first.sources[0]).toMatchObject({
        sourceId: '1',
        url: expect.stringMatching(/^https:\/\/docs\.kestrel\.example\/install#/),
        title: expect.stringContaining('Install Kestrel'),
        providerMetadata: {
          docent: { quote: expect.stringContaining("Install the station's software") },
        },
      });
      const threadId = first.metadata?.threadId;
      expect(threadId).toMatch(/^[0-9A-Z]{26}$/);

      model.once(['Run the remover.']);
      await page.chat().sendMessage({ text: 'And how do I uninstall it?' });
      const second = answerOf(await page.settled());
      expect(page.chat().error).toBeUndefined();
      expect(second.metadata?.threadId).toBe(threadId);
      expect(model.requests[asked + 1]?.body.messages).toEqual([
        expect.objectContaining({ role: 'system' }),
        { role: 'user', content: 'How do I install Kestrel?' },
        { role: 'assistant', content: 'Run the installer of Kestrel. [1]' },
        { role: 'user', content: expect.stringContaining('And how do I uninstall it?') },
      ]);

      model.once(['Run kestrel-setup remove.']);
      await page.chat().regenerate();
      const again = answerOf(await page.settled());
      expect(again.text).toBe('Run kestrel-setup remove.');
      expect(again.metadata?.threadId).toBe(threadId);
      expect(model.last.text).not.toContain('Run the remover.');
      const turns = await docent.turns(threadId ?? '');
      expect(turns.map(({ status, answer }) => ({ status, answer }))).toEqual([
        { status: 'complete', answer: 'Run the installer of Kestrel. [1]' },
        { status: 'complete', answer: 'Run kestrel-setup remove.' },
      ]);
    },
  );

  test('another answer to the first question takes its place', async () => {
    using page = await renderChat(release, { api: api(), key: docent.key });
    await page.chat().sendMessage({ text: 'How do I install Kestrel?' });
    await page.settled();
    model.once(['A better answer.']);
    await page.chat().regenerate();
    const again = answerOf(await page.settled());
    expect(page.chat().error).toBeUndefined();
    expect(again.text).toBe('A better answer.');
    expect(page.chat().messages).toHaveLength(2);
    const turns = await docent.turns(again.metadata?.threadId ?? '');
    expect(turns.map((turn) => turn.answer)).toEqual(['A better answer.']);
  });

  test('stop() stops the model', async () => {
    using page = await renderChat(release, { api: api(), key: docent.key });
    const held = gate();
    model.once(['The beginning', held, ' and the end']);
    const asked = model.requests.length;
    const sent = page.chat().sendMessage({ text: 'How do I install Kestrel?' });
    await waitFor(
      'the first words',
      () => page.chat().messages.length === 2 && answerOf(page.chat()).text === 'The beginning',
    );
    await page.chat().stop();
    const request = await model.request(asked + 1);
    await request.gone;
    await sent;
    held.open();
    expect(request.tokensSent).toBe(1);
    const threadId = answerOf(page.chat()).metadata?.threadId ?? '';
    const [turn] = await waitFor('the turn to be stored', async () => {
      const turns = await docent.turns(threadId);
      return turns[0]?.status !== 'running' && turns;
    });
    expect(turn).toMatchObject({ status: 'stopped', answer: 'The beginning' });
  });

  test('a fault of the model is an error with a sentence, and the next question works', async () => {
    using page = await renderChat(release, { api: api(), key: docent.key });
    model.once({ status: 401, body: { error: { message: 'Incorrect API key provided: sk-123' } } });
    await page.chat().sendMessage({ text: 'How do I install Kestrel?' });
    const { error, status } = await page.settled();
    expect(status).toBe('error');
    expect(JSON.parse(error?.message ?? '')).toEqual({
      code: 'model_refused',
      error: "The assistant isn't available now. Only the owner of this site can fix it.",
      requestId: expect.any(String),
    });
    await page.chat().sendMessage({ text: 'And now?' });
    expect(answerOf(await page.settled()).text).toBe('Kestrel answers in words. [1]');
  });

  test('a refusal before the stream is the same body', async () => {
    using page = await renderChat(release, { api: api(), key: 'svc_dsc_wrong' });
    await page.chat().sendMessage({ text: 'How do I install Kestrel?' });
    const { error } = await page.settled();
    expect(JSON.parse(error?.message ?? '')).toMatchObject({ code: 'unauthorized' });
  });
});
