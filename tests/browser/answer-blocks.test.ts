/** Code and tables of an answer, while it grows and when it is whole. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gate } from '../support/scripted-model.ts';
import { chromiumPath, whySkipped } from './browser.ts';
import { readerOf, startWidgetHost, type WidgetHost } from './widget-host.ts';

const code = 'npx kestrel install --station "rooftop"\n\nkestrel calibrate --vane north';
const columns = ['Wind', 'Gust', 'Direction', 'Station', 'Reading', 'Calibrated'];
const row = (cells: string[]) => `| ${cells.join(' | ')} |\n`;
const table =
  row(columns) +
  row(columns.map(() => '---')) +
  row(columns.map((name) => `${name}-of-the-rooftop-station-in-metres-per-second`));

if (chromiumPath === undefined) test('blocks of an answer', (context) => context.skip(whySkipped));
else
  describe('the blocks of an answer', () => {
    let host: WidgetHost;
    beforeAll(async () => {
      host = await startWidgetHost();
      host.put('/');
    });
    afterAll(() => host[Symbol.asyncDispose]());

    const ask = async (page: Page) => {
      await page.goto(`${host.origin}/`);
      const reader = readerOf(page);
      await reader.open();
      await reader.ask('How do I install Kestrel?');
      return reader;
    };

    test('code has its language and is copied to the letter; a wide table is scrolled', async () => {
      const context = await (
        await host.browser()
      ).newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
      const page = await context.newPage();
      const rest = gate();
      host.model?.once(['Run:\n\n```bash\n', `${code}\n`, rest, `\`\`\`\n\n${table}\nDone.`]);
      const reader = await ask(page);
      const block = reader.answer().locator('.code');
      // Before its end has come it is a block of code as well.
      await expect.poll(() => block.locator('pre').textContent()).toBe(code);
      expect(await reader.answer().textContent()).not.toContain('`');
      expect(await block.locator('.code-language').textContent()).toBe('bash');
      rest.open();
      await reader.isDone();

      await expect.poll(() => block.locator('pre').textContent()).toBe(code);
      // It says so for a moment only.
      const confirmed = block.getByRole('button', { name: 'Copied' }).waitFor();
      await block.getByTestId('docent-copy').click();
      await confirmed;
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(code);

      const scrolled = reader.answer().locator('.table');
      const left = () => scrolled.evaluate((element) => element.scrollLeft);
      expect(await reader.panel().evaluate((panel) => panel.scrollWidth - panel.clientWidth)).toBe(
        0,
      );
      await scrolled.focus();
      await page.keyboard.press('ArrowRight');
      await expect.poll(left).toBeGreaterThan(0);
      await scrolled.hover();
      await page.mouse.wheel(5_000, 0);
      const right = () =>
        scrolled.evaluate(
          (element) => element.scrollWidth - element.clientWidth - element.scrollLeft,
        );
      await expect.poll(right).toBeLessThan(2);
      await context.close();
    });
  });
