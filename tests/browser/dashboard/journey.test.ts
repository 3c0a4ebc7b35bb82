/**
 * A newcomer's first hour with the demo, in one browser: an account from the printed address, a second
 * factor, a key that a page uses, a question that is found in the dashboard, and its gap as a merged pull
 * request, without a language model.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Demo, startDemo } from '@docent/demo-site/start';
import { TOTP } from 'otpauth';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, openBrowser, whySkipped } from '../browser.ts';
import { collectFaults } from '../widget-host.ts';

const question = 'Does Kestrel support quantum teleportation?';
const password = 'a long walk by the sea';

if (chromiumPath !== undefined)
  describe('the first hour', () => {
    let folder: string;
    let docs: string;
    let demo: Demo;
    let browser: Browser;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'docent-journey-'));
      docs = join(folder, 'docs');
      await mkdir(docs);
      await writeFile(
        join(docs, 'index.md'),
        '---\ntitle: Start\norder: 1\n---\n\nKestrel watches your documentation. Install it with `npm install kestrel`.\n',
      );
      demo = await startDemo({
        docsFolder: docs,
        port: 0,
        sitePort: 0,
        dataFolder: join(folder, 'data'),
        log: () => undefined,
        variables: { LOG_LEVEL: 'silent' },
      });
      browser = await openBrowser();
    });
    afterAll(async () => {
      await browser?.close();
      await demo?.close();
      await rm(folder, { recursive: true, force: true });
    });

    test('from the printed address to a merged pull request', async () => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
      const page = await context.newPage();
      const faults = collectFaults(page, (message) => message.startsWith('Failed to load'));

      await page.goto(demo.dashboard ?? '');
      await page.getByLabel('Your name').fill('Ada Lovelace');
      await page.getByLabel('Email').fill('ada@kestrel.test');
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
      const at = (path: string) => `${new URL(page.url()).origin}/dashboard${path}`;

      await page.goto(at('/profile'));
      await page.getByRole('button', { name: 'Set up' }).click();
      const dialog = page.getByRole('dialog');
      const secret = (await dialog.locator('.snippet code').textContent()) ?? '';
      await dialog.getByLabel('Code', { exact: true }).fill(new TOTP({ secret }).generate());
      await dialog.getByLabel('Password', { exact: true }).fill(password);
      await dialog.getByRole('button', { name: 'Confirm' }).click();
      await dialog.getByRole('button', { name: 'I kept them' }).click();
      await page.getByRole('button', { name: 'Remove' }).waitFor();

      await page.goto(at('/keys'));
      await page.getByRole('button', { name: 'Create key' }).first().click();
      await dialog.getByLabel('Name').fill('docs');
      await dialog.getByRole('button', { name: 'Create key' }).click();
      const tag = (await dialog.locator('.snippet code').textContent()) ?? '';
      expect(tag).toContain('data-key="svc_dsc_');
      await dialog.getByRole('button', { name: 'Done' }).click();

      await askOnPage(tag);

      await page.goto(at('/conversations'));
      await page.getByRole('link', { name: question }).click();
      await page.getByText('I could not find').first().waitFor();

      await page.goto(at('/gaps'));
      await page.getByRole('link', { name: question }).click();
      await page.getByRole('button', { name: 'Write it' }).click();
      await dialog.getByLabel('Title').fill('Quantum teleportation');
      await dialog.getByLabel('Text').fill('Kestrel supports quantum teleportation since 2.0.');
      await dialog.getByRole('button', { name: 'Create pull request' }).click();
      await page.goto(at('/jobs'));
      await mergeFirst(page);

      const isWritten = async () => {
        const names = await readdir(docs);
        const texts = names
          .filter((name) => name.endsWith('.md'))
          .map((name) => readFile(join(docs, name), 'utf8'));
        return (await Promise.all(texts)).some((text) => text.includes('teleportation since 2.0'));
      };
      await expect.poll(isWritten).toBe(true);
      expect(faults).toEqual([]);
      await context.close();
    });

    /** The tag from the dashboard on a page of the site's origin, asked as a reader asks. */
    async function askOnPage(tag: string): Promise<void> {
      // Chromium doesn't know where a page from here comes from, and so asks before it reaches this machine.
      const context = await browser.newContext({ permissions: ['local-network-access'] });
      const reader = await context.newPage();
      await reader.route(`${demo.siteUrl}/with-tag`, (route) =>
        route.fulfill({
          contentType: 'text/html',
          body: `<!doctype html><title>Docs</title><h1>Docs</h1>${tag}`,
        }),
      );
      await reader.goto(`${demo.siteUrl}/with-tag`);
      await reader.getByRole('button', { name: /Ask/ }).click();
      const box = reader.getByRole('dialog').getByRole('textbox');
      await box.fill(question);
      await box.press('Enter');
      await reader.getByText('I could not find').first().waitFor();
      await context.close();
    }

    /** Waits until the newest job has its pull request, and merges it on its page. */
    async function mergeFirst(page: Page): Promise<void> {
      const pull = page.getByRole('table', { name: 'Jobs' }).getByRole('link', { name: '#1' });
      await expect
        .poll(
          async () => {
            await page.reload();
            await page.getByRole('table', { name: 'Jobs' }).locator('tbody a').first().waitFor();
            return pull.count();
          },
          { timeout: 60_000 },
        )
        .toBe(1);
      await pull.click();
      await page.getByRole('button', { name: /Merge/ }).click();
      await page
        .getByText(/Merged/)
        .first()
        .waitFor();
    }
  });
else test('the first hour', (context) => context.skip(whySkipped));
