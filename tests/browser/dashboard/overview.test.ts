/** The overview and usage in a real browser. */
import { describe, expect, test } from 'vitest';
import { fillWith } from '../../support/many-things.ts';
import { startDocent } from '../../support/start-docent.ts';
import { findInBothSchemes } from '../axe.ts';
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
      const questions = page.locator('.stat', { hasText: 'Asked' });
      await expect.poll(() => questions.textContent()).toContain('2');
      // The site is indexed, and was asked; nothing was installed.
      const step = (name: string) => page.locator('.steps li', { hasText: name });
      expect(await step('Ask').getAttribute('class')).toContain('done');
      expect(await page.locator('.steps li:not(.done)').count()).toBeGreaterThan(0);
      await page.locator('.chart canvas').waitFor();
      await page.getByRole('button', { name: 'Show as table' }).click();
      await page.getByRole('table', { name: 'Questions and gaps' }).waitFor();
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

    test('days, hours, and exact times are those of the reader', async () => {
      await using other = await startDocent();
      const hour = 3_600_000;
      /** One conversation, ten minutes after a full hour. */
      const add = (conversations: number, hoursAgo: number) => {
        const at = (Math.floor(Date.now() / hour) - hoursAgo) * hour + 10 * 60_000;
        const from = new Date(at - conversations * 5 * 60_000).toISOString();
        const { dataFolder } = other;
        const place = {
          dataFolder,
          domain: 'kestrel-docs',
          organization: 'kestrel',
          projects: ['x'],
        };
        fillWith({ ...place, from }, { conversations, jobs: 0, keys: 0 });
        return at;
      };
      const twoDaysAgo = add(1, 48);
      const thisDay = add(2, 3);
      const plain = (text: string | null) => text?.replaceAll(/\s/g, ' ');
      // The first two have the same time on different days; in the third, hours begin at half past.
      for (const timezoneId of ['Pacific/Honolulu', 'Pacific/Kiritimati', 'Asia/Kolkata']) {
        const options = { timezoneId, locale: 'en-US' };
        const format = (time: number, style: Intl.DateTimeFormatOptions) =>
          plain(new Intl.DateTimeFormat('en-US', { ...style, timeZone: timezoneId }).format(time));
        const { page, context, faults } = await signedIn(browser, other, '/?period=7d', options);
        /** The row of the table that begins with a time. */
        const rowOf = async (label: string | undefined) => {
          const rows = page.getByRole('table', { name: 'Questions and gaps' }).getByRole('row');
          const texts = (await rows.allTextContents()).map(plain);
          return texts.find((text) => text?.startsWith(label ?? '-'));
        };
        const showTable = () => page.getByRole('button', { name: 'Show as table' }).click();
        await showTable();
        const days = { dateStyle: 'full' } as const;
        await expect.poll(() => rowOf(format(twoDaysAgo, days))).toMatch(/\d{4}1/);
        await page.goto(`${other.url}/dashboard?period=24h`);
        await showTable();
        const hours = { dateStyle: 'medium', timeStyle: 'short' } as const;
        const begin = Math.floor(thisDay / hour) * hour;
        await expect.poll(() => rowOf(format(begin, hours))).toMatch(/[AP]M1/);

        await page.goto(`${other.url}/dashboard/conversations?range=30`);
        const times = page.locator('main time');
        const exact = { dateStyle: 'medium', timeStyle: 'medium' } as const;
        const titles = async () =>
          Promise.all(
            (await times.all()).map(async (time) => plain(await time.getAttribute('title'))),
          );
        await expect
          .poll(titles)
          .toEqual(expect.arrayContaining([format(thisDay, exact), format(twoDaysAgo, exact)]));
        expect(faults).toEqual([]);
        await context.close();
      }
    });

    test('empty and full, on a phone, light and dark, without accessibility faults', async () => {
      for (const path of ['/', '/usage']) {
        for (const organization of ['kestrel', 'osprey']) {
          const options = { viewport: phone, organization };
          const { page, context, faults } = await signedIn(browser, docent, path, options);
          await expect.poll(() => page.locator('main .skeleton').count()).toBe(0);
          expect([path, await overflow(page)]).toEqual([path, 0]);
          expect([path, await findInBothSchemes(page)]).toEqual([path, []]);
          expect(faults).toEqual([]);
          await context.close();
        }
      }
    });
  });
else test('the figures of the dashboard', (context) => context.skip(whySkipped));
