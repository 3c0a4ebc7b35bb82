/** The page of API keys, from creating a key to revoking it. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findAxeViolations } from '../axe.ts';
import { chromiumPath, whySkipped } from '../browser.ts';
import { browser, docent, overflow, phone, signedIn, useDashboard } from './signed-in.ts';

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const dialogOf = (page: Page) => page.getByRole('dialog');
const done = (page: Page) => dialogOf(page).getByRole('button', { name: 'Done' }).click();

if (chromiumPath !== undefined)
  describe('the page of API keys', () => {
    useDashboard();

    const isValid = async (token: string) =>
      (await docent.keys.find(token, '127.0.0.1')) !== undefined;

    test('a key is created, copied, used, rotated, and revoked', async () => {
      const { page, context, faults } = await signedIn(browser, docent, '/keys');
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByRole('button', { name: 'Create key' }).click();
      const dialog = dialogOf(page);
      expect(await findAxeViolations(page), 'create').toEqual([]);
      await dialog.getByLabel('Name').fill('Docs');
      await dialog.getByLabel('Networks').fill('127.0.0.1, example.com');
      await dialog.getByRole('button', { name: 'Create key' }).click();
      await dialog.getByText('has "example.com"').waitFor();
      expect(await dialog.getByLabel('Name').inputValue()).toBe('Docs');
      await dialog.getByLabel('Networks').fill('127.0.0.1');
      await dialog.getByRole('button', { name: 'Create key' }).click();
      const shown = dialog.getByLabel('key', { exact: true });
      const token = (await shown.textContent()) ?? '';
      expect(token).toMatch(/^svc_dsc_[\w-]{43}$/);
      await dialog.getByRole('button', { name: 'Copy key' }).click();
      await dialog.getByRole('button', { name: 'Copied' }).waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(token);
      await dialog.getByText(`data-key="${token}"`).waitFor();
      expect(await findAxeViolations(page), 'created').toEqual([]);
      await done(page);

      await rowOf(page, 'Docs').getByText('0 of 10,000').waitFor();
      expect((await docent.ask('How do I install Kestrel?', { key: token })).status).toBe(200);
      await page.reload();
      await rowOf(page, 'Docs').getByText('1 of 10,000').waitFor();
      expect(await page.content()).not.toContain(token);

      await page.getByRole('button', { name: 'Rotate Docs' }).click();
      // A rotation that nobody thinks about doesn't stop pages.
      expect(await dialog.getByLabel('Keep the current token').inputValue()).toBe('168');
      await dialog.getByLabel('Keep the current token').selectOption('1 day');
      await dialog.getByRole('button', { name: 'Rotate key' }).click();
      const second = (await shown.textContent()) ?? '';
      expect([await isValid(token), await isValid(second)]).toEqual([true, true]);
      await done(page);
      await rowOf(page, 'Docs').getByText('Rotating').waitFor();

      await docent.ask('How do I install Kestrel?', { key: second });
      await page.reload();
      await page.getByRole('button', { name: 'Revoke Docs' }).click();
      await dialog.getByText('2 times this month').waitFor();
      await dialog.getByRole('button', { name: 'Revoke key' }).click();
      expect(await isValid(second)).toBe(true);
      await dialog.getByLabel('to confirm').fill('Docs');
      await dialog.getByRole('button', { name: 'Revoke key' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect([await isValid(token), await isValid(second)]).toEqual([false, false]);
      await rowOf(page, 'Docs').waitFor({ state: 'detached' });
      await page.getByLabel('Revoked or expired').check();
      await rowOf(page, 'Docs').getByText('Revoked').waitFor();
      expect(new URL(page.url()).search).toBe('?status=ended');
      expect(faults).toEqual([]);
    });

    test('an admin key for reading expires, and comes with a command that works', async () => {
      const { page } = await signedIn(browser, docent, '/keys', { role: 'admin' });
      await page.getByRole('button', { name: 'Create key' }).click();
      const dialog = dialogOf(page);
      await dialog.getByLabel('Admin: for servers').check();
      await dialog.getByLabel('Name').fill('Nightly');
      expect(await dialog.getByLabel('Expires').inputValue()).toBe('90');
      for (const each of ['Create, change', 'Read data']) await dialog.getByLabel(each).uncheck();
      await dialog.getByRole('button', { name: 'Create key' }).click();
      await dialog.getByRole('alert').getByText('Choose a permission').waitFor();
      await dialog.getByLabel('Read data').check();
      await dialog.getByLabel('Expires').selectOption('In 7 days');
      await dialog.getByRole('button', { name: 'Create key' }).click();
      const command = (await dialog.locator('pre').textContent()) ?? '';
      const [, token = '', url = ''] = /Bearer ([^"]+)"[\s\\]+(\S+)$/.exec(command) ?? [];
      const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
      expect(response.status).toBe(200);
      await done(page);
      const row = rowOf(page, 'Nightly');
      await row.getByText('only read').waitFor();
      await row.getByText(/^Expires in \d days$/).waitFor();
    });

    test.each(['light', 'dark'] as const)('fits a phone, %s', async (colorScheme) => {
      const options = { viewport: phone, colorScheme };
      const { page } = await signedIn(browser, docent, '/keys?status=all', options);
      await rowOf(page, 'admin of the tests').waitFor();
      expect(await overflow(page)).toBe(0);
      expect(await findAxeViolations(page)).toEqual([]);
      await page.getByRole('button', { name: 'Create key' }).click();
      const isWider = () =>
        dialogOf(page).evaluate((dialog) => dialog.scrollWidth > dialog.clientWidth);
      expect(await isWider()).toBe(false);
      await dialogOf(page).getByLabel('Name').fill('Phone');
      await dialogOf(page).getByRole('button', { name: 'Create key' }).click();
      await dialogOf(page).getByRole('button', { name: 'Copy key' }).waitFor();
      expect(await isWider()).toBe(false);
    });
  });
else test('the page of API keys', (context) => context.skip(whySkipped));
