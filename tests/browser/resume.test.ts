/** An answer goes on over whatever happens to its connection or its page, and ends as if nothing had. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { gate, type Step } from '../support/scripted-model.ts';
import { chromiumPath } from './browser.ts';
import { at, type Cut, type CuttingProxy, startCuttingProxy } from './cutting-proxy.ts';
import { readerOf, startWidgetHost, type WidgetHost } from './widget-host.ts';

const words = [
  'Grüße 👋 from the vane: ',
  'turn it north. [1]\n\n',
  '```sh\nkestrel calibrate ',
  '--vane north\n',
  '```\n\n',
  '| Wind | Sign |\n| --- | --- |\n| 3 m/s | 🌬️ |\n\n',
  'Then read it — twice.',
];
const half = 3;
const whole = words.join('');

if (chromiumPath !== undefined)
  describe('an answer goes on', () => {
    let host: WidgetHost;
    let proxy: CuttingProxy;
    let context: BrowserContext;
    let page: Page;
    let reader: ReturnType<typeof readerOf>;
    let asked: number;

    beforeAll(async () => {
      host = await startWidgetHost({ streamTimeouts: { graceMs: 60_000 }, answer: words });
      proxy = await startCuttingProxy(host.docent.url);
      const body = host.tag({ src: `${proxy.url}/docent.js` });
      host.put('/', host.document(body));
      host.put('/next', host.document(body));
    });
    afterAll(async () => {
      await proxy?.[Symbol.asyncDispose]();
      await host?.[Symbol.asyncDispose]();
    });
    beforeEach(async () => {
      context = await (await host.browser()).newContext();
      page = await context.newPage();
      reader = readerOf(page);
      asked = host.model?.requests.length ?? 0;
      proxy.asked.length = 0;
    });
    afterEach(() => context.close());

    const start = async (path = '/') => {
      await page.goto(host.origin + path);
      await reader.open();
    };
    /** The conversation as it is stored. */
    const stored = (of = page) =>
      of.evaluate(() => {
        const key = Object.keys(localStorage).find((each) => each.includes(':c:')) ?? '';
        return JSON.parse(localStorage.getItem(key) ?? '{}') as {
          threadId: string;
          running?: unknown;
          messages: { role: string; text: string; sources: unknown[]; ended?: string }[];
        };
      });
    /** Nothing shows that anything happened: on the screen, in the storage, at the service, at the model. */
    const isAsIfNothing = async (questions = 1) => {
      await reader.isDone(questions);
      await expect.poll(async () => (await stored()).running).toBeUndefined();
      const { messages, threadId } = await stored();
      expect(messages.map(({ role }) => role)).toEqual(
        Array.from({ length: questions }, () => ['user', 'assistant']).flat(),
      );
      const answer = messages.at(-1);
      expect(answer?.text).toBe(whole);
      expect(answer?.ended).toBeUndefined();
      expect(answer?.sources).not.toEqual([]);
      await expect.poll(() => reader.get('question').count()).toBe(questions);
      await expect.poll(() => reader.get('notice').count()).toBe(0);
      await expect.poll(() => reader.answer().locator('pre, table').count()).toBe(2);
      const turns = async () =>
        (await host.docent.turns(threadId)).map(({ status, answer }) => [status, answer]);
      await expect
        .poll(turns)
        .toEqual(Array.from({ length: questions }, () => ['complete', whole]));
      expect((host.model?.requests.length ?? 0) - asked).toBe(questions);
    };
    /** The model says the first half, and the rest when the gate opens. */
    const holdInTheMiddle = () => {
      const held = gate();
      const script: Step[] = [...words.slice(0, half), held, ...words.slice(half)];
      host.model?.once(script);
      return held;
    };
    const hasHalf = (of = reader) =>
      expect.poll(() => of.answer().textContent()).toContain('calibrate');

    test('wherever the connection breaks', async () => {
      const places: [where: string, cut: Cut][] = [
        ['before the headers', () => 0],
        ['after the headers', at('\r\n\r\n')],
        ['in the middle of the first part', at('"messageId"')],
        ['after the first part', at('"start-step"')],
        ['before the first word, in a source', at('"source-url"')],
        ['inside a character of two bytes', at('ü', 1)],
        ['inside a character of four bytes', at('👋', 2)],
        ['in the middle of a part', at('turn it')],
        ['in the middle of a block of code', at('kestrel calibrate')],
        ['in the middle of a table', at('| Sign')],
        ['before its end', at('"text-end"')],
        ['in its last part', at('{"type":"finish"')],
        ['after its end', at('"type":"finish","messageMetadata"')],
        ['after everything', at('[DONE]')],
      ];
      await start();
      for (const [index, [where, cut]] of places.entries()) {
        asked = host.model?.requests.length ?? 0;
        proxy.asked.length = 0;
        proxy.cutNext(cut);
        if (index > 0) {
          await reader.get('new').click();
          await expect.poll(() => reader.get('question').count()).toBe(0);
          await page.evaluate(() => localStorage.clear());
        }
        await reader.ask(`How do I calibrate the vane? (${where})`);
        await isAsIfNothing();
        // How much of what was sent before the break its browser hands on is the browser's affair.
        const [first, ...again] = proxy.asked.map((line) => line.split(' ')[0]);
        expect(first).toBe('POST');
        if (where !== 'after everything') expect([where, again.length]).toEqual([where, 1]);
      }
    });

    test('over a connection that breaks again and again', async () => {
      const part = /data: \{[^\n]*\n\n/g;
      // A few parts more each time.
      const few: Cut = (sent) => {
        const found = [...sent.toString('latin1').matchAll(part)][2];
        return found && found.index + found[0].length;
      };
      proxy.cutNext(few, few, few);
      await start();
      await reader.ask('How do I calibrate the vane?');
      await isAsIfNothing();
      expect(proxy.asked.length).toBeGreaterThanOrEqual(4);
    });

    test('while a proxy restarts: it says that it reconnects, and does', async () => {
      const held = holdInTheMiddle();
      await start();
      await reader.ask('How do I calibrate the vane?');
      await hasHalf();
      proxy.down();
      await reader.answer().getByTestId('docent-thinking').getByText('Reconnecting…').waitFor();
      expect(await reader.answer().textContent()).toContain('calibrate');
      proxy.up();
      held.open();
      await isAsIfNothing();
    });

    test('over a reload at the half', async () => {
      const held = holdInTheMiddle();
      await start();
      await reader.ask('How do I calibrate the vane?');
      await hasHalf();
      await page.reload();
      await hasHalf();
      await expect.poll(() => reader.answer().getAttribute('data-state')).toBe('streaming');
      held.open();
      await isAsIfNothing();
    });

    test('over a reload before the first word', async () => {
      const held = gate();
      host.model?.once([held, ...words]);
      await start();
      await reader.ask('How do I calibrate the vane?');
      await host.model?.request(asked + 1);
      await page.reload();
      await reader.get('thinking').waitFor();
      held.open();
      await isAsIfNothing();
    });

    test('over a navigation at the half, and its conversation goes on', async () => {
      const held = holdInTheMiddle();
      await start();
      await reader.ask('How do I calibrate the vane?');
      await hasHalf();
      await page.goto(`${host.origin}/next`);
      await hasHalf();
      held.open();
      await isAsIfNothing();
      await reader.ask('And how do I calibrate it again?');
      await isAsIfNothing(2);
    });

    test('in another tab, too', async () => {
      const held = holdInTheMiddle();
      await start();
      await reader.ask('How do I calibrate the vane?');
      await hasHalf();
      const second = await context.newPage();
      const other = readerOf(second);
      await second.goto(`${host.origin}/next`);
      await other.open();
      await hasHalf(other);
      held.open();
      await isAsIfNothing();
      await other.isDone();
      await expect.poll(async () => (await stored(second)).messages.at(-1)?.text).toBe(whole);
      // Nor is one tab's ending undone by the other's.
      await page.bringToFront();
      await isAsIfNothing();
    });

    test('after so long that the service has only the complete answer', async () => {
      await using short = await startWidgetHost({
        streamTimeouts: { graceMs: 60_000, keptMs: 0 },
        answer: words,
      });
      const held = gate();
      short.model?.once([...words.slice(0, half), held, ...words.slice(half)]);
      const url = short.put('/');
      await page.goto(url);
      await reader.open();
      await reader.ask('How do I calibrate the vane?');
      await hasHalf();
      await page.goto('about:blank');
      held.open();
      const isStored = async () => {
        const turns = await short.docent.docent.services.database
          .selectFrom('turns')
          .select('status')
          .execute();
        return turns.map(({ status }) => status);
      };
      await expect.poll(isStored).toEqual(['complete']);
      await page.goto(url);
      await reader.isDone();
      await expect.poll(async () => (await stored()).messages.at(-1)?.text).toBe(whole);
      expect(short.model?.requests).toHaveLength(1);
    });

    test('what its reader stopped stays stopped', async () => {
      holdInTheMiddle();
      await start();
      await reader.ask('How do I calibrate the vane?');
      await hasHalf();
      const request = await host.model?.request(asked + 1);
      await reader.get('stop').click();
      await request?.gone;
      await page.reload();
      await expect.poll(() => reader.answer().getAttribute('data-state')).toBe('stopped');
      await expect.poll(async () => (await stored()).running).toBeUndefined();
      expect(host.model?.requests).toHaveLength(asked + 1);
    });
  });
