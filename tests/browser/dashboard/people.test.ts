/** The page of people, and the screen behind an invitation. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { addPerson } from '../../support/person.ts';
import { startDocent } from '../../support/start-docent.ts';
import { findAxeViolations } from '../axe.ts';
import { chromiumPath, whySkipped } from '../browser.ts';
import { browser, docent, overflow, phone, signedIn, useDashboard } from './signed-in.ts';

const password = 'a long walk by the sea';
const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const dialogOf = (page: Page) => page.getByRole('dialog');

async function invite(page: Page, role: string, email = '') {
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  await dialogOf(page).getByLabel('Role').selectOption(role);
  await dialogOf(page).getByLabel('Email').fill(email);
  await dialogOf(page).getByRole('button', { name: 'Make a link' }).click();
  const link = await dialogOf(page).getByLabel('link', { exact: true }).textContent();
  expect(await findAxeViolations(page), 'invitation').toEqual([]);
  await dialogOf(page).getByRole('button', { name: 'Done' }).click();
  return link ?? '';
}

if (chromiumPath !== undefined)
  describe('the page of people', () => {
    useDashboard();

    test('somebody is invited, joins, gets another role, and is removed', async () => {
      const { page, faults } = await signedIn(browser, docent, '/people');
      const link = await invite(page, 'Viewer', 'grace@kestrel.test');
      await rowOf(page, 'grace@kestrel.test').getByText('Viewer').waitFor();

      const theirs = await browser.newPage({ viewport: phone });
      await theirs.goto(link);
      await theirs.getByRole('heading', { name: 'Join kestrel' }).waitFor();
      expect(await findAxeViolations(theirs), 'join').toEqual([]);
      expect(await overflow(theirs)).toBe(0);
      expect(await theirs.getByLabel('Email').inputValue()).toBe('grace@kestrel.test');
      await theirs.getByLabel('Your name').fill('Grace Hopper');
      await theirs.getByLabel('Password').fill('aaaaaaaaaaaaaaaa');
      await theirs.getByRole('button', { name: 'Create account' }).click();
      await theirs.getByText('is easy to guess').first().waitFor();
      await theirs.getByLabel('Password').fill(password);
      await theirs.getByRole('button', { name: 'Create account' }).click();
      await theirs.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();

      await page.reload();
      const row = rowOf(page, 'Grace Hopper');
      await row.getByText('1 browser').waitFor();
      await page.getByRole('button', { name: 'Sign Grace Hopper out' }).click();
      await dialogOf(page).getByRole('button', { name: 'Sign out everywhere' }).click();
      await row.getByText('No', { exact: true }).waitFor();
      const role = page.getByLabel('Role of Grace Hopper');
      await role.selectOption('Editor');
      await dialogOf(page).getByText('is signed out').waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => role.inputValue()).toBe('viewer');
      await role.selectOption('Editor');
      await dialogOf(page).getByRole('button', { name: 'Change role' }).click();
      await page.getByText('Grace Hopper is now an editor').waitFor();
      await expect.poll(() => role.inputValue()).toBe('editor');
      await page.getByRole('button', { name: 'Remove Grace Hopper' }).click();
      await dialogOf(page).getByText('loses access to kestrel').waitFor();
      await dialogOf(page).getByRole('button', { name: 'Remove' }).click();
      await row.waitFor({ state: 'detached' });

      await theirs.goto(link);
      await theirs.getByText('This invitation is not valid').waitFor();
      expect(faults).toEqual([]);
    });

    test('an account joins a second organization, and works there at once', async () => {
      const { page } = await signedIn(browser, docent, '/people');
      const link = await invite(page, 'Administrator');
      const other = await signedIn(browser, docent, '/', { organization: 'osprey' });
      await other.page.goto(link);
      await other.page.getByRole('button', { name: 'Join kestrel' }).click();
      await other.page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
      await other.page.goto(`${docent.url}/dashboard/people`);
      await rowOf(other.page, other.person.email).waitFor();
    });

    test('the last owner stays, and the page says why', async () => {
      await using fresh = await startDocent();
      const { page, person } = await signedIn(browser, fresh, '/people');
      await rowOf(page, person.email).getByRole('button', { name: 'Leave' }).click();
      await dialogOf(page).getByRole('button', { name: 'Leave' }).click();
      await dialogOf(page).getByText('This is the last owner').waitFor();
      await page.keyboard.press('Escape');
      await page.getByLabel('Role of').selectOption('Viewer');
      await dialogOf(page).getByRole('button', { name: 'Change role' }).click();
      await dialogOf(page).getByText('This is the last owner').waitFor();
    });

    test('administrators neither make nor change owners', async () => {
      await using fresh = await startDocent();
      const owner = await addPerson(fresh, 'owner');
      const { page } = await signedIn(browser, fresh, '/people', { role: 'admin' });
      const row = rowOf(page, owner.email);
      await row.waitFor();
      expect(await row.getByRole('combobox').count()).toBe(0);
      expect(await row.getByRole('button').count()).toBe(0);
      const own = page.getByLabel('Role of A admin');
      expect(await own.getByRole('option').allTextContents()).not.toContain('Owner');
    });

    test.each(['light', 'dark'] as const)('fits a phone, %s', async (colorScheme) => {
      const options = { viewport: phone, colorScheme };
      const { page } = await signedIn(browser, docent, '/people', options);
      await page.getByText('What each role may do').waitFor();
      await page.getByLabel('Role of').first().waitFor();
      expect(await overflow(page)).toBe(0);
      expect(await findAxeViolations(page)).toEqual([]);
    });
  });
else test('the page of people', (context) => context.skip(whySkipped));
