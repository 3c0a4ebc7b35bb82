/** The first minute of an account: made with the printed token, protected with a second factor, and signed in again. */
import { TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { password, send } from '../../support/person.ts';
import { findAxeViolations } from '../axe.ts';
import { chromiumPath, whySkipped } from '../browser.ts';
import { browser, docent, overflow, phone, signedIn, useDashboard } from './signed-in.ts';

const email = 'ada@kestrel.test';

async function fillSignIn(page: Page, given = password) {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(given);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

if (chromiumPath !== undefined)
  describe('the profile', () => {
    useDashboard();

    test('from a link into the dashboard to an account with a second factor', async () => {
      const { token } = await docent.docent.services.people.setupToken();
      const page = await browser.newPage();
      await page.goto(`${docent.url}/dashboard/profile`);
      await page.getByLabel('Setup token').fill(token);
      await page.getByLabel('Your name').fill('Ada');
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByRole('heading', { name: 'Your profile' }).waitFor();

      await page.getByRole('button', { name: 'Set up' }).click();
      await page.getByRole('img', { name: 'QR code' }).waitFor();
      const secret = (await page.locator('dialog code').textContent()) ?? '';
      expect(await findAxeViolations(page)).toEqual([]);
      const totp = new TOTP({ secret });
      await page.getByLabel('Code', { exact: true }).fill('000000');
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Confirm' }).click();
      await expect.poll(() => page.locator('dialog .field .bad').count()).toBe(1);
      await page.getByLabel('Code', { exact: true }).fill(totp.generate());
      await page.getByRole('button', { name: 'Confirm' }).click();
      const codes = page.locator('dialog li code');
      await expect.poll(() => codes.count()).toBe(10);
      // Whoever looks elsewhere for a place to keep them finds them again.
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
      const [first = '', second = ''] = await codes.allTextContents();
      await page.getByRole('button', { name: 'I kept them' }).click();
      await page.getByText('Signing in needs a code').waitFor();

      await page.getByRole('button', { name: 'New recovery codes' }).click();
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByLabel('Code', { exact: true }).fill(first);
      await page.getByRole('button', { name: 'Make new codes' }).click();
      await expect.poll(() => codes.count()).toBe(10);
      const [recovery = ''] = await codes.allTextContents();
      await page.getByRole('button', { name: 'I kept them' }).click();
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0);

      await page.context().clearCookies();
      await page.reload();
      await fillSignIn(page);
      await page.getByLabel('Code').fill(second);
      await page.getByRole('button', { name: 'Continue' }).click();
      await expect.poll(() => page.locator('.bad').count()).toBe(1);
      await page.getByLabel('Code').fill(recovery);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('heading', { name: 'Your profile' }).waitFor();
      // The browser that lost its cookie is signed in as well, until it's signed out here.
      const sessions = page.getByRole('table', { name: 'Your sessions' }).locator('tbody tr');
      await expect.poll(() => sessions.count()).toBe(2);
      await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
      await expect.poll(() => sessions.count()).toBe(1);
      expect(await sessions.first().textContent()).toContain('Chrome on Linux');
      expect(await findAxeViolations(page)).toEqual([]);

      await page.getByLabel('Current password').fill('not the password');
      await page.getByLabel('New password').fill('three goats on a raft');
      await page.getByRole('button', { name: 'Change password' }).click();
      await expect.poll(() => page.locator('.field .bad').count()).toBe(1);
      expect(await page.getByLabel('New password').inputValue()).toBe('three goats on a raft');
      await page.getByLabel('Current password').fill(password);
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByText('Password changed.').waitFor();
      const old = await send(docent, '/v1/session', { email, password });
      expect(old.status).toBe(401);
      await page.context().close();
    });

    test('a link from the host lets a person choose a password', async () => {
      const { page, person } = await signedIn(browser, docent, '/profile', {
        viewport: phone,
      });
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      const { signInAddress } = await import('@docent/server/addresses');
      const link = await signInAddress(docent.docent.services, person.id, docent.url);
      await page.context().clearCookies();
      await page.goto(link);
      await page.getByLabel('Password').fill('Password12345!');
      await page.getByRole('button', { name: 'Save and sign in' }).click();
      await expect.poll(() => page.locator('.field .bad').count()).toBe(1);
      await page.getByLabel('Password').fill('three goats on a raft');
      await page.getByRole('button', { name: 'Save and sign in' }).click();
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
      // With a session too: the link is for the person whom it was made for.
      await page.goto(await signInAddress(docent.docent.services, person.id, docent.url));
      await page.getByText(`You’re signed in with ${person.email}.`).waitFor();
      expect(await page.getByRole('navigation').count()).toBe(0);
      await page.getByLabel('Password').fill('four goats on a raft');
      await page.getByRole('button', { name: 'Save and sign in' }).click();
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
      await page.context().close();
    });
  });
else test('the profile', (context) => context.skip(whySkipped));
