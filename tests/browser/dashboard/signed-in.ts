/** The dashboard in a real browser, as a person with a role sees it. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Role } from '@docent/shared/people';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { collectFaults } from '../widget-host.ts';
import { addPerson } from '../../support/person.ts';
import { afterAll, beforeAll } from 'vitest';
import { startDocent, type TestDocent } from '../../support/start-docent.ts';
import { openBrowser } from '../browser.ts';

/** Of the tests of one file, from `useDashboard` on. */
export let docent: TestDocent;
export let browser: Browser;

/** Starts a server and a browser before the tests of a file, and ends them after. */
export function useDashboard(start: () => Promise<TestDocent> = startDocent): void {
  beforeAll(async () => {
    docent = await start();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await docent?.[Symbol.asyncDispose]();
  });
}

interface SignedInOptions extends BrowserContextOptions {
  role?: Role;
  organization?: string;
}

/** Opens a page of the dashboard: `await signedIn(browser, docent, '/keys')`. */
export async function signedIn(
  browser: Browser,
  docent: TestDocent,
  path: string,
  { role = 'owner', organization = 'kestrel', ...options }: SignedInOptions = {},
) {
  const person = await addPerson(docent, role, organization);
  const context = await browser.newContext({ viewport: desktop, ...options });
  await context.addCookies([{ name: 'docent', value: person.token, url: docent.url }]);
  const page = await context.newPage();
  // A refused request is logged by the browser itself.
  const faults = collectFaults(page, (message) => message.startsWith('Failed to load'));
  await page.goto(`${docent.url}/dashboard${path === '/' ? '' : path}`);
  await page.locator('main h1').waitFor();
  return { page, context, person, faults };
}

const desktop = { width: 1280, height: 860 };
export const phone = { width: 390, height: 844 };

/** Whether the page is wider than its window. */
export const overflow = (page: Awaited<ReturnType<typeof signedIn>>['page']): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** A folder for pictures that somebody wants to look at. */
export const pictures = process.env['DOCENT_PICTURES'];

/** The whole page, light and dark, for whoever wants to look at it. */
export async function look(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return;
  await mkdir(pictures, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(pictures, `${name}-${colorScheme}.png`), fullPage: true });
  }
}
