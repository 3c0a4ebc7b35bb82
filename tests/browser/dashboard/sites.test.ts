/** The pages of sites, installation, settings, and health. */
import { describe, expect, test } from 'vitest';
import { findAxeViolations } from '../axe.ts';
import { chromiumPath, whySkipped } from '../browser.ts';
import { browser, docent, overflow, phone, signedIn, useDashboard } from './signed-in.ts';

if (chromiumPath !== undefined)
  describe('pages of the service', () => {
    useDashboard();

    test('a site is indexed from its page, and its instructions are saved', async () => {
      const { page, context, faults } = await signedIn(browser, docent, '/sites');
      await page.getByRole('link', { name: 'Kestrel', exact: true }).click();
      await page.getByRole('heading', { name: 'Kestrel', level: 1 }).waitFor();
      await page.getByRole('button', { name: 'Index now' }).click();
      await page.getByText('Up to date').waitFor();
      await page.getByLabel('Instructions').fill('Call users members.');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved').waitFor();
      await page.reload();
      await expect
        .poll(() => page.getByLabel('Instructions').inputValue())
        .toBe('Call users members.');
      expect(await findAxeViolations(page)).toEqual([]);
      expect(faults).toEqual([]);
      await context.close();
    });

    test('two people change the same settings: the second keeps their words and is told', async () => {
      const first = await signedIn(browser, docent, '/sites/kestrel-blog');
      const second = await signedIn(browser, docent, '/sites/kestrel-blog');
      // Both have read the same version.
      for (const { page } of [first, second]) await page.getByLabel('Instructions').waitFor();
      for (const [{ page }, words] of [
        [first, 'From the first.'],
        [second, 'From the second.'],
      ] as const) {
        await page.getByLabel('Instructions').fill(words);
        await page.getByRole('button', { name: 'Save' }).click();
        await page
          .getByText(words === 'From the first.' ? 'Saved' : 'Somebody else')
          .first()
          .waitFor();
      }
      const field = second.page.getByLabel('Instructions');
      expect(await field.inputValue()).toBe('From the second.');
      await second.page.getByRole('button', { name: 'load the newest version' }).click();
      await expect.poll(() => field.inputValue()).toBe('From the first.');
      await Promise.all([first.context.close(), second.context.close()]);
    });

    test('the tag follows the choices, and the widget is tried on the page', async () => {
      const { page, context, faults } = await signedIn(browser, docent, '/install');
      await page.getByLabel('Title').fill('Ask "us"');
      await page.getByLabel('Layout').selectOption('sidebar');
      const tag = page.locator('.snippet code').first();
      await expect.poll(() => tag.textContent()).toContain('data-title="Ask &quot;us&quot;"');
      expect(await tag.textContent()).toContain('data-layout="sidebar"');
      await page.getByRole('button', { name: 'Try it here' }).click();
      const panel = page.getByRole('dialog', { name: 'Ask "us"' });
      await panel.waitFor();
      await panel.getByRole('textbox').fill('How do I install Kestrel?');
      await panel.getByRole('textbox').press('Enter');
      await panel.getByRole('article').or(panel.locator('.answer')).first().waitFor();
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
      await expect.poll(() => panel.count()).toBe(0);
      expect(faults).toEqual([]);
      await context.close();
    });

    test('every page fits a phone and has no accessibility faults, light and dark', async () => {
      for (const path of ['/sites', '/sites/kestrel-docs', '/install', '/settings', '/health']) {
        for (const colorScheme of ['light', 'dark'] as const) {
          const options = { viewport: phone, colorScheme };
          const { page, context, faults } = await signedIn(browser, docent, path, options);
          await expect.poll(() => page.locator('main .skeleton').count()).toBe(0);
          expect([path, await overflow(page)]).toEqual([path, 0]);
          expect([path, await findAxeViolations(page)]).toEqual([path, []]);
          expect(faults).toEqual([]);
          await context.close();
        }
      }
    });

    test('a viewer sees sites and changes nothing', async () => {
      const { page, context } = await signedIn(browser, docent, '/sites/kestrel-docs', {
        role: 'viewer',
      });
      await page.getByText('From the configuration file').first().waitFor();
      expect(await page.getByRole('button', { name: 'Index now' }).count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
      await context.close();
    });
  });
else test('pages of the service', (context) => context.skip(whySkipped));
