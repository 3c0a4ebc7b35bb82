/** What a screen reader is told of an answer, as a log of all that changes in the live regions. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { gate } from '../support/scripted-model.ts';
import { chromiumPath } from './browser.ts';
import { readerOf, startWidgetHost, type WidgetHost } from './widget-host.ts';

/** Keeps each new text of a live region, in the page. */
function listen(): void {
  const log: string[] = [];
  const said = new Map<Element, string>();
  (globalThis as unknown as { said: string[] }).said = log;
  const root = document.querySelector('docent-widget')?.shadowRoot;
  if (!root) throw new Error('No widget');
  const look = () => {
    for (const region of root.querySelectorAll('[role=status],[role=alert],[aria-live]')) {
      const text = region.textContent.trim();
      if (text !== '' && text !== said.get(region))
        log.push(`${region.getAttribute('role') ?? 'live'}: ${text}`);
      said.set(region, text);
    }
  };
  for (const region of root.querySelectorAll('[role=status],[role=alert],[aria-live]'))
    said.set(region, region.textContent.trim());
  new MutationObserver(look).observe(root, {
    subtree: true,
    childList: true,
    characterData: true,
  });
}

if (chromiumPath !== undefined)
  describe('announcements', () => {
    let host: WidgetHost;
    let context: BrowserContext;
    let page: Page;
    let reader: ReturnType<typeof readerOf>;

    beforeAll(async () => {
      host = await startWidgetHost({ streamTimeouts: { graceMs: 60_000 } });
      host.put('/');
    });
    afterAll(() => host?.[Symbol.asyncDispose]());
    beforeEach(async () => {
      context = await (await host.browser()).newContext();
      page = await context.newPage();
      reader = readerOf(page);
      await page.goto(`${host.origin}/`);
      await reader.open();
      await page.evaluate(listen);
    });
    afterEach(() => context.close());

    const log = () =>
      page.evaluate(() => (globalThis as unknown as { said: string[] }).said.slice());
    const settled = (count = 1) => expect.poll(log).toHaveLength(count);

    test('an answer: that it began, then all of it once, without marks, code or addresses', async () => {
      const held = gate();
      const words = Array.from({ length: 40 }, (_, index) => `word${index} `);
      host.model?.once([
        '## Install\n\n',
        'Run **the** [installer](https://docs.kestrel.example/install) [1]:\n\n',
        '```sh\nkestrel-setup install\n```\n\n',
        '| a | b |\n| - | - |\n| 1 | 2 |\n\n',
        ...words,
        held,
        'done.',
      ]);
      await reader.ask('How do I install Kestrel?');
      await settled(1);
      held.open();
      await reader.isDone();
      await settled(2);
      expect(await log()).toEqual([
        'status: Answer started',
        `status: Answer: Install. Run the installer: Code example. Table. ${words.join('')}done.`,
      ]);
    });

    test('of a long answer the beginning, to the end of a sentence', async () => {
      const sentence = 'This sentence has exactly seven words here. ';
      const held = gate();
      // An answer that repeats itself is cut.
      const others = Array.from({ length: 59 }, (_, at) => sentence.replace('seven', `${at}`));
      host.model?.once([sentence, held, ...others]);
      await reader.ask('How do I install Kestrel?');
      await settled(1);
      held.open();
      await reader.isDone();
      await settled(2);
      const last = (await log()).at(-1) ?? '';
      expect(last).toMatch(/words here\. The rest is in the conversation\.$/);
      expect(last.split(' ').length).toBeLessThan(140);
    });

    test('a fault is one alert, and what had come is not read out', async () => {
      host.model?.once({ status: 401, body: { error: { message: 'no' } } });
      await reader.ask('How do I install Kestrel?');
      await reader.get('notice').waitFor();
      await settled(1);
      expect((await log())[0]).toMatch(/^alert: /);

      await reader.get('retry').first().click();
      await reader.isDone();
      await expect.poll(log).toContain('status: Answer: Kestrel answers in words.');
      // An answer that comes all at once does not say that it began.
      const rest = (await log()).slice(1).filter((said) => said !== 'status: Answer started');
      expect(rest).toEqual(['status: Answer: Kestrel answers in words.']);
    });

    test('stopped, then asked again', async () => {
      const held = gate();
      host.model?.once(['The beginning', held, ' and the end.']);
      await reader.ask('How do I install Kestrel?');
      await settled(1);
      await reader.get('stop').click();
      await settled(2);
      expect(await log()).toEqual(['status: Answer started', 'status: You stopped this answer.']);
      held.open();
      const again = gate();
      host.model?.once(['Whole this', again, ' time.']);
      await reader.get('retry').click();
      await settled(3);
      again.open();
      await settled(4);
      expect((await log()).slice(2)).toEqual([
        'status: Answer started',
        'status: Answer: Whole this time.',
      ]);
    });

    test('an answer that goes on after a reload is said as one', async () => {
      const held = gate();
      host.model?.once(['The beginning', held, ' and the end.']);
      await reader.ask('How do I install Kestrel?');
      await settled(1);
      await page.reload();
      await reader.get('answer').waitFor();
      await page.evaluate(listen);
      held.open();
      await reader.isDone();
      await expect.poll(log).toContain('status: Answer: The beginning and the end.');
      expect((await log()).length).toBeLessThanOrEqual(2);
    });
  });
