/** What a reader sees of a model that thinks, and of one that repeats itself. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gate } from '../support/scripted-model.ts';
import { chromiumPath, whySkipped } from './browser.ts';
import { readerOf, startWidgetHost, type WidgetHost } from './widget-host.ts';

const thought = `data: ${JSON.stringify({ choices: [{ delta: { reasoning: 'The reader asks.' } }] })}\n\n`;

if (chromiumPath === undefined) test('thinking', (context) => context.skip(whySkipped));
else
  describe('a model of one’s own', () => {
    const [thinking, ending] = [gate(), gate()];
    let host: WidgetHost;
    beforeAll(async () => {
      host = await startWidgetHost({
        answer: [
          { wait: thinking.wait },
          { raw: thought },
          { wait: ending.wait },
          'Install it with one command. [1]',
          ' It asks for the address of your server.'.repeat(40),
        ],
      });
      host.put('/page', host.document(host.tag()));
    });
    afterAll(() => host[Symbol.asyncDispose]());

    test('thinks, then is cut short: the reader is told both', async () => {
      const page = await (await host.browser()).newPage();
      await page.goto(`${host.origin}/page`);
      const reader = readerOf(page);
      await reader.open();
      await reader.ask('How do I install Kestrel?');
      await page.getByText('Reading the documentation…').waitFor();
      thinking.open();
      await page.getByText('Thinking…').waitFor();
      expect(await page.getByText('The reader asks.').count()).toBe(0);
      ending.open();
      await page.getByText('cut short because it began to repeat itself').first().waitFor();
      // To continue would be to repeat.
      expect(await page.getByTestId('docent-continue').count()).toBe(0);
      await page.close();
    });
  });
