/** The tag on pages of every kind, and the JavaScript API. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, whySkipped } from './browser.ts';
import { collectFaults, readerOf, startWidgetHost, type WidgetHost } from './widget-host.ts';

if (chromiumPath === undefined) test('embedding', (context) => context.skip(whySkipped));
else
  describe('one tag', () => {
    let host: WidgetHost;
    beforeAll(async () => {
      host = await startWidgetHost();
    });
    afterAll(() => host[Symbol.asyncDispose]());

    test('at the end of the body a question is answered, and nothing is reported', async () => {
      const page = await (await host.browser()).newPage();
      const faults = collectFaults(page);
      const reader = readerOf(page);
      await page.goto(host.put('/plain'));
      await reader.open();
      await reader.ask('How do I install Kestrel?');
      await reader.isDone();
      expect(await reader.answer().textContent()).toContain('Kestrel answers in words.');
      expect(faults).toEqual([]);
      await page.close();
    });
  });
