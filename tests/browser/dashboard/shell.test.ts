/** The frame of the dashboard: set up, sign in, move, lose the session and the connection, on a desk and on a phone. */
import { TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { startDocent, type TestDocent } from '../../support/start-docent.ts';
import { findAxeViolations, findInBothSchemes } from '../axe.ts';
import { chromiumPath, whySkipped } from '../browser.ts';
import { startCuttingProxy } from '../cutting-proxy.ts';
import { browser, docent, overflow, phone, signedIn, useDashboard } from './signed-in.ts';

const password = 'a long walk by the sea';

const menuOf = (page: Page) => page.getByRole('navigation', { name: 'Pages' });

/** As when the person returns from another tab: the page asks who is signed in. */
const comeBackTo = (page: Page) =>
  page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));

if (chromiumPath !== undefined)
  describe('the frame of the dashboard', () => {
    useDashboard();

    test('the first account is made with the printed address, and a wrong token loses nothing', async () => {
      await using fresh = await startDocent();
      const page = await browser.newPage();
      await page.goto(`${fresh.url}/`);
      await page.getByRole('heading', { name: 'Set up Docent' }).waitFor();
      expect(await findAxeViolations(page)).toEqual([]);
      const { token } = await fresh.docent.services.people.setupToken();
      await page.goto(`${fresh.url}/dashboard/setup?token=${token}x`);
      await page.getByLabel('Your name').fill('Ada Lovelace');
      await page.getByLabel('Email').fill('ada@kestrel.test');
      await page.getByLabel('Password').fill('short');
      await page.getByRole('button', { name: 'Create account' }).click();
      await expect.poll(() => page.locator('.field .bad').count()).toBe(1);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.locator('.field .bad', { hasText: 'token' }).waitFor();
      expect(await page.getByLabel('Your name').inputValue()).toBe('Ada Lovelace');
      await page.getByLabel('Setup token').fill(token);
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
      expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/dashboard');

      await page.locator('.account > button', { hasText: 'Ada Lovelace' }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in to Docent' }).waitFor();
      expect(await findAxeViolations(page)).toEqual([]);

      // A link into the dashboard survives signing in, and so does the address of a refused attempt.
      await page.goto(`${fresh.url}/dashboard/audit?type=key.created`);
      await page.getByLabel('Email').fill('ada@kestrel.test');
      await page.getByLabel('Password').fill('wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').waitFor();
      expect(await page.getByLabel('Email').inputValue()).toBe('ada@kestrel.test');
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
      expect(page.url()).toBe(`${fresh.url}/dashboard/audit?type=key.created`);

      // A session that ends while a form is open loses nothing that was typed.
      await page.goto(`${fresh.url}/dashboard/keys`);
      await page.getByRole('button', { name: 'Create key' }).first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('For the docs');
      await fresh.docent.services.database.deleteFrom('sessions').execute();
      await dialog.getByRole('button', { name: 'Create key' }).click();
      await page.getByLabel('Email').fill('ada@kestrel.test');
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('For the docs');
      await dialog.getByRole('button', { name: 'Create key' }).click();
      await page.getByText('svc_').first().waitFor();
    });

    test('axe finds nothing in any frame, light and dark', async () => {
      const { page, faults } = await signedIn(browser, docent, '/');
      expect(await findInBothSchemes(page), 'overview').toEqual([]);
      await page.locator('.account > button').click();
      expect(await findInBothSchemes(page), 'account').toEqual([]);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search pages' }).waitFor();
      expect(await findInBothSchemes(page), 'search').toEqual([]);
      expect(faults).toEqual([]);
    });

    test('pages are reached with the keyboard alone, and the focus goes along', async () => {
      const { page } = await signedIn(browser, docent, '/');
      const focused = () => page.evaluate(() => document.activeElement?.textContent);
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search pages' }).waitFor();
      await page.keyboard.type('aud lo');
      await expect.poll(() => page.getByRole('dialog').getByRole('option').count()).toBe(1);
      await page.keyboard.press('Enter');
      await expect.poll(focused).toBe('Audit log');
      expect(await page.title()).toBe('Audit log · Docent');
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search pages' }).waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(focused).toBe('Audit log');
      await page.keyboard.press('Control+k');
      await page.keyboard.type('api');
      await page.keyboard.press('Enter');
      await expect.poll(focused).toBe('API keys');
      // A page adds what can be done on it.
      await page.keyboard.press('Control+k');
      await page.keyboard.type('create key');
      await expect.poll(() => page.getByRole('dialog').getByRole('option').count()).toBe(1);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Create an API key' }).waitFor();
      await page.keyboard.press('Escape');
      await page.goBack();
      await page.goBack();
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
      await page.goto(`${docent.url}/dashboard/nowhere`);
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    });

    test('a session that ends leaves the page below the sign-in screen', async () => {
      const { page, person } = await signedIn(browser, docent, '/health?kept=1');
      await docent.docent.services.database
        .deleteFrom('sessions')
        .where('person_id', '=', person.id)
        .execute();
      await comeBackTo(page);
      await page.getByRole('heading', { name: 'Sign in to Docent' }).waitFor();
      expect(page.url()).toBe(`${docent.url}/dashboard/health?kept=1`);
      expect(await page.locator('.shell').isVisible()).toBe(false);
    });

    test('every page shows that it loads, and then what failed', async () => {
      const { page } = await signedIn(browser, docent, '/');
      const links = await menuOf(page).getByRole('link').all();
      const paths = await Promise.all(links.map((link) => link.getAttribute('href')));
      expect(paths).toHaveLength(17);
      // The playground is a form; only its answer loads.
      const loading = paths.filter((path) => path !== '/dashboard/playground');
      for (const path of [...loading, '/dashboard/profile']) {
        const { promise: held, resolve: fail } = Promise.withResolvers<void>();
        await page.route(/\/v1\/(?!session$)/, async (route) => {
          await held;
          const body = { code: 'internal', error: 'It is broken.', requestId: 'x' };
          await route.fulfill({ status: 500, json: body });
        });
        await page.goto(new URL(path ?? '', docent.url).href);
        await page.locator('main .skeleton').first().waitFor();
        expect([path, await page.locator('main .empty').count()]).toEqual([path, 0]);
        fail();
        await page.locator('main').getByText('It is broken.').first().waitFor();
        expect([path, await page.locator('main .skeleton').count()]).toEqual([path, 0]);
        await page.unrouteAll({ behavior: 'wait' });
      }
    });

    test('a link into the dashboard survives making the first account', async () => {
      await using fresh = await startDocent();
      const page = await browser.newPage();
      await page.goto(`${fresh.url}/dashboard/audit?type=key.created`);
      const { token } = await fresh.docent.services.people.setupToken();
      await page.getByLabel('Setup token').fill(token);
      await page.getByLabel('Your name').fill('Ada Lovelace');
      await page.getByLabel('Email').fill('ada@kestrel.test');
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
      expect(page.url()).toBe(`${fresh.url}/dashboard/audit?type=key.created`);
      await page.close();
    });

    test('a lost connection is reported, and the page recovers by itself', async () => {
      await using proxy = await startCuttingProxy(docent.url);
      const through = { ...docent, url: proxy.url } as TestDocent;
      const { page } = await signedIn(browser, through, '/health');
      proxy.down();
      await comeBackTo(page);
      await page.getByText('The connection to Docent is lost.').waitFor();
      proxy.up();
      await page.getByText('The connection to Docent is lost.').waitFor({ state: 'detached' });
      await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
    });

    test('on a phone, the menu opens, leads on, and nothing is wider than the window', async () => {
      const { page } = await signedIn(browser, docent, '/', { viewport: phone });
      expect(await overflow(page)).toBe(0);
      const link = menuOf(page).getByRole('link', { name: 'API keys' });
      expect(await link.isVisible()).toBe(false);
      await page.getByRole('button', { name: 'Menu' }).click();
      await link.click();
      await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
      expect(await link.isVisible()).toBe(false);
      expect(await findAxeViolations(page)).toEqual([]);
      await page.setViewportSize({ width: 320, height: 640 });
      expect(await overflow(page)).toBe(0);
    });

    test('below a path of a proxy, pages and data are found from any depth', async () => {
      const { page } = await signedIn(browser, docent, '/');
      const asked: string[] = [];
      await page.route(`${docent.url}/**`, async (route) => {
        const { pathname, search } = new URL(route.request().url());
        asked.push(pathname);
        const path = pathname.replace(/^\/docent\//, '/') + search;
        await route.fulfill({ response: await route.fetch({ url: docent.url + path }) });
      });
      await page.goto(`${docent.url}/docent/dashboard/conversations/unknown`);
      await page.locator('main h1').waitFor();
      await menuOf(page).getByRole('link', { name: 'Audit log' }).click();
      await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
      expect(page.url()).toBe(`${docent.url}/docent/dashboard/audit`);
      expect(asked.filter((path) => !path.startsWith('/docent/'))).toEqual([]);
      expect(asked).toContain('/docent/v1/session');
    });

    test('where a second factor is required, it is set up before the pages', async () => {
      await using strict = await startDocent({ dashboard: { requireSecondFactor: true } });
      const { page, faults } = await signedIn(browser, strict, '/health', { viewport: phone });
      await page.getByRole('img', { name: 'QR code of the secret' }).waitFor();
      expect(await overflow(page)).toBe(0);
      expect(await findAxeViolations(page)).toEqual([]);
      const secret = (await page.locator('.screen code').textContent()) ?? '';
      await page.getByLabel('Code', { exact: true }).fill('000000');
      await page.getByRole('button', { name: 'Confirm' }).click();
      await page.locator('.field .bad').waitFor();
      await page.getByLabel('Code', { exact: true }).fill(new TOTP({ secret }).generate());
      await page.getByRole('button', { name: 'Confirm' }).click();
      await expect.poll(() => page.locator('.codes li').count()).toBeGreaterThan(5);
      expect(await overflow(page)).toBe(0);
      await page.getByRole('button', { name: 'I kept them' }).click();
      await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
      expect(faults).toEqual([]);
    });

    test('who may not use an endpoint does not see its page', async () => {
      const { page } = await signedIn(browser, docent, '/', { role: 'viewer' });
      const own = ['People', 'Audit log', 'API keys', 'Settings', 'Health'];
      const titles = await menuOf(page).getByRole('link').allTextContents();
      expect(titles).toContain('Webhooks');
      const owner = await signedIn(browser, docent, '/');
      const all = await menuOf(owner.page).getByRole('link').allTextContents();
      expect(all).toHaveLength(17);
      expect(titles).toEqual(all.filter((title) => !own.includes(title)));
      await page.goto(`${docent.url}/dashboard/audit`);
      await page.getByText('your role may not include it').waitFor();
    });
  });
else test('the frame of the dashboard', (context) => context.skip(whySkipped));
