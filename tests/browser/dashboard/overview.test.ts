/** The overview and usage in a real browser. */
import { describe, expect, test } from 'vitest';
import { startDocent } from '../../support/start-docent.ts';
import { findAxeViolations } from '../axe.ts';
import { chromiumPath, whySkipped } from '../browser.ts';
import { browser, docent, overflow, phone, signedIn, useDashboard } from './signed-in.ts';

const unanswered = 'Does billing accept bitcoin invoices?';

if (chromiumPath !== undefined)
  describe('figures', () => {
    useDashboard(async () => {
      const docent = await startDocent({ budgets: { perSite: { perMonth: { dollars: 5 } } } });
      await docent.ask('How do I install Kestrel?');
      await docent.ask(unanswered);
      return docent;
    });

    test('a question is counted, drawn, and read as a table; the period is in the address', async () => {
      const { page, context, faults } = await signedIn(browser, docent, '/');
      const questions = page.locator('.stat', { hasText: 'Questions' });
      await expect.poll(() => questions.textContent()).toContain('2');
      await page.locator('.chart canvas').waitFor();
      await page.getByRole('button', { name: 'Show as table' }).click();
      await page.getByRole('table', { name: 'Questions' }).waitFor();
      await page.getByRole('radio', { name: '30 days' }).check();
      await expect.poll(() => new URL(page.url()).search).toBe('?period=30d');
      await page.reload();
      await expect.poll(() => page.getByRole('radio', { name: '30 days' }).isChecked()).toBe(true);
      expect(faults).toEqual([]);
      await context.close();
    });

    test('an unanswered question leads to its gap, and its words to its conversation', async () => {
      const { page, context, faults } = await signedIn(browser, docent, '/');
      await page.locator('main').getByRole('link', { name: unanswered }).click();
      await page.getByRole('heading', { name: unanswered, level: 1 }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search pages' }).fill('bitcoin');
      await page.getByRole('option', { name: 'Search conversations for “bitcoin”' }).click();
      await expect.poll(() => page.locator('tbody tr', { hasText: unanswered }).count()).toBe(1);
      expect(faults).toEqual([]);
      await context.close();
    });

    test('empty and full, on a phone, light and dark, without accessibility faults', async () => {
      for (const path of ['/', '/usage']) {
        for (const organization of ['kestrel', 'osprey']) {
          for (const colorScheme of ['light', 'dark'] as const) {
            const options = { viewport: phone, colorScheme, organization };
            const { page, context, faults } = await signedIn(browser, docent, path, options);
            await expect.poll(() => page.locator('main .skeleton').count()).toBe(0);
            expect([path, await overflow(page)]).toEqual([path, 0]);
            expect([path, await findAxeViolations(page)]).toEqual([path, []]);
            expect(faults).toEqual([]);
            await context.close();
          }
        }
      }
    });
  });
else test('the figures of the dashboard', (context) => context.skip(whySkipped));
