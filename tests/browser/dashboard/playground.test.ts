/** The playground in a real browser. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ScriptedModel, startScriptedModel } from '../../support/scripted-model.ts';
import { startDocent, type TestDocent, toModel } from '../../support/start-docent.ts';
import { findAxeViolations } from '../axe.ts';
import { chromiumPath, openBrowser, whySkipped } from '../browser.ts';
import { overflow, phone, signedIn } from './signed-in.ts';

if (chromiumPath !== undefined)
  describe('the playground', () => {
    let docent: TestDocent;
    let model: ScriptedModel;
    let browser: Browser;

    beforeAll(async () => {
      model = await startScriptedModel(['Run it [1], or see [this](https://evil.test/x).']);
      docent = await startDocent({
        models: { main: toModel(model.url), broken: toModel('http://127.0.0.1:1') },
        limits: { perAddressAndMinute: 1_000 },
      });
      browser = await openBrowser();
    });
    afterAll(async () => {
      await browser?.close();
      await docent?.[Symbol.asyncDispose]();
      await model?.close();
    });

    test('an answer of two models side by side, with what led to it; the question is in the address', async () => {
      const { page, context, faults } = await signedIn(browser, docent, '/playground');
      await page.getByText('Nothing asked yet').waitFor();
      await page.getByLabel('Compare with').selectOption('built-in');
      const question = page.getByLabel('Question', { exact: true });
      await question.fill('How do I install Kestrel?');
      await question.press('Enter');
      const [main, builtIn] = [page.locator('.attempt').first(), page.locator('.attempt').nth(1)];
      await main.locator('.markdown', { hasText: 'Run it' }).waitFor();
      expect(await main.locator('.changes del').allTextContents()).not.toEqual([]);
      expect(await main.locator('.markdown').textContent()).not.toContain('evil.test');
      await main.locator('summary', { hasText: 'system' }).click();
      await main.getByText('You answer readers of the Kestrel documentation').waitFor();
      await builtIn.getByText('quotes without a prompt').waitFor();
      expect(await builtIn.locator('.markdown').textContent()).not.toBe('');
      const { searchParams } = new URL(page.url());
      expect(searchParams.get('q')).toBe('How do I install Kestrel?');
      await page.reload();
      await expect.poll(() => question.inputValue()).toBe('How do I install Kestrel?');
      expect(faults).toEqual([]);
      await context.close();
    });

    test('a model that fails says so in its column', async () => {
      const path = '/playground?q=How%20do%20I%20install%20Kestrel%3F&with=broken';
      const { page, context } = await signedIn(browser, docent, path);
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      await page.locator('.attempt').nth(1).getByRole('alert').waitFor();
      await page.locator('.attempt').first().locator('.markdown').waitFor();
      await context.close();
    });

    test('a viewer asks nothing', async () => {
      const { page, context } = await signedIn(browser, docent, '/playground', { role: 'viewer' });
      await page.getByText('you need the role editor').waitFor();
      expect(await page.getByRole('button', { name: 'Ask', exact: true }).count()).toBe(0);
      await context.close();
    });

    test('it fits a phone and has no accessibility faults, light and dark', async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        const options = { viewport: phone, colorScheme };
        const path = '/playground?q=How%20do%20I%20install%20Kestrel%3F&with=built-in';
        const { page, context, faults } = await signedIn(browser, docent, path, options);
        await page.getByRole('button', { name: 'Ask', exact: true }).click();
        await expect.poll(() => page.locator('.attempt .markdown:not(.plain)').count()).toBe(2);
        for (const each of await page.locator('.attempt summary').all()) await each.click();
        expect(await overflow(page)).toBe(0);
        expect(await findAxeViolations(page)).toEqual([]);
        expect(faults).toEqual([]);
        await context.close();
      }
    });
  });
else test('the playground', (context) => context.skip(whySkipped));
