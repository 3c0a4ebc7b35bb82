/** Behind nginx, which compresses and buffers: words and signs of life pass as they come, and no byte is lost. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createAsker, partOf, readRest, readUntil, textOf, toBody } from '../support/ask.ts';
import { bufferingNginx, type RunningProxy } from '../support/documented-proxies.ts';
import { docent, model, useScriptedDocent } from '../support/scripted-docent.ts';
import { gate } from '../support/scripted-model.ts';

const question = 'How do I install Kestrel?';
/** The word needs about one; many more would give a late one time to arrive. */
const roundTrips = 10;

describe('behind nginx', () => {
  const { whyNot } = bufferingNginx;
  if (whyNot !== undefined) {
    test('words pass', (context) => context.skip(whyNot));
    return;
  }
  useScriptedDocent({ streamTimeouts: { graceMs: 60_000 } });
  let nginx: RunningProxy;
  const proxied = () => createAsker(nginx.url, { key: docent.key, domain: 'kestrel-docs' });
  beforeAll(async () => {
    nginx = await bufferingNginx.start(docent.url);
  });
  afterAll(() => nginx[Symbol.asyncDispose]());

  /** The path and headers of each way to ask. */
  const post = (path: string, body: object) =>
    fetch(nginx.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${docent.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const ways = [
    ['version 2', '/discovery/v2/assistant/kestrel-docs/message', toBody(question)],
    ['version 1', '/discovery/v1/assistant/kestrel-docs/message', toBody(question)],
    [
      'chat completions',
      '/v1/chat/completions',
      { model: 'docent', stream: true, messages: [{ role: 'user', content: question }] },
    ],
  ] as const;

  test.each(ways)(
    '%s: the first word arrives before the model says its second',
    async (_way, path, body) => {
      const held = gate();
      model.once(['First-word', held, ' second-word']);
      const asked = model.requests.length;
      let raw = '';
      let encoding: string | null = null;
      const read = (async () => {
        const response = await post(path, body);
        encoding = response.headers.get('content-encoding');
        for await (const bytes of response.body ?? []) raw += Buffer.from(bytes).toString();
      })();
      await model.request(asked + 1);
      // The word passes the same proxy and event loops as these round trips: one that is held back
      // for any time is overtaken by them.
      for (let trip = 0; trip < roundTrips; trip += 1) {
        await (await fetch(`${nginx.url}/healthz`)).text();
      }
      expect(raw).toContain('First-word');
      expect(raw).not.toContain('second-word');
      held.open();
      await read;
      expect(raw).toContain('second-word');
      expect(encoding).toBe('gzip');
    },
  );

  test.each(ways.slice(0, 2))('%s: signs of life pass', async (_way, path, body) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const held = gate();
      model.once([held, 'At last']);
      const asked = model.requests.length;
      const response = await post(path, body);
      await model.request(asked + 1);
      let raw = '';
      let sources = 0;
      for await (const bytes of response.body ?? []) {
        raw += Buffer.from(bytes).toString();
        const sign = path.includes('v2') ? ': keep-alive\n\n' : '\n\n';
        if (raw.includes(sign)) held.open();
        else if (sources++ < 50) vi.advanceTimersByTime(15_000);
      }
      expect(raw).toContain('At last');
    } finally {
      vi.useRealTimers();
    }
  });

  test('a long answer, and the same one read again: no byte differs', async () => {
    const words = Array.from({ length: 2_000 }, (_, i) => `Wort ${i} für 東京. `);
    model.once(words);
    const asked = await proxied().ask(question);
    expect(asked.text).toBe(words.join(''));
    const id = partOf(asked.parts, 'start')?.['messageId'] as string;
    const again = await (await proxied().resume(id)).response.text();
    expect(again).toBe(asked.raw);
  });

  test('an answer that was cut off is read on while it is made', async () => {
    const held = gate();
    model.once(['Half', held, ' whole']);
    const { parts, leave } = await proxied().open(question);
    const seen = await readUntil(parts, 'text-delta');
    leave();
    const id = partOf(seen, 'start')?.['messageId'] as string;
    const again = await proxied().resume(id);
    expect(await readUntil(again.parts, 'text-delta')).toEqual(seen);
    held.open();
    expect(textOf(await readRest(again.parts))).toBe(' whole');
  });
});
