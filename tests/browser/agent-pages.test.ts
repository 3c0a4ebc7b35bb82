/** A newcomer in a real browser: a command, the live job, the pull request, the merge, and the changed site. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Demo, startDemo } from '@docent/demo-site/start';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { findAxeViolations, findInBothSchemes } from './axe.ts';
import { chromiumPath, openBrowser, whySkipped } from './browser.ts';
import { collectFaults } from './widget-host.ts';

/** Few pages, because each merge rebuilds the site and the index. */
const docsPages = {
  'index.md':
    'title: Start\norder: 1\n---\n\nKestrel watches your documentation. See [setup](setup.md).\n',
  'setup.md':
    'title: Setup\norder: 2\n---\n\nRun `kestrel start`.\n\n| Setting | Default | Description |\n|---|---|---|\n| `server.shutdownGraceSeconds` | `/var/lib/kestrel` | How long it waits for the wind |\n',
};

if (chromiumPath !== undefined)
  describe('agent jobs on the demo', () => {
    let folder: string;
    let docs: string;
    let demo: Demo;
    /** The page of the project. */
    let pageUrl: string;
    /** Of the account that the newcomer makes. */
    let storageState: Awaited<ReturnType<BrowserContext['storageState']>>;
    const account = { Email: 'ada@kestrel.test', Password: 'a long walk by the sea' };
    let browser: Browser;
    let context: BrowserContext;
    let page: Page;
    let faults: string[];
    const said: string[] = [];

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'docent-agent-'));
      docs = join(folder, 'docs');
      await mkdir(docs);
      for (const [name, text] of Object.entries(docsPages))
        await writeFile(join(docs, name), `---\n${text}`);
      demo = await startDemo({
        docsFolder: docs,
        port: 0,
        sitePort: 0,
        dataFolder: join(folder, 'data'),
        log: (line) => said.push(line),
        variables: { LOG_LEVEL: 'silent' },
      });
      if (!demo.agent) throw new Error('git is needed for this test');
      browser = await openBrowser();
      // From the printed address to the page of the project.
      const newcomer = await browser.newPage();
      await newcomer.goto(demo.dashboard ?? '');
      for (const [label, text] of Object.entries({ 'Your name': 'Ada', ...account })) {
        await newcomer.getByLabel(label).fill(text);
      }
      await newcomer.getByRole('button', { name: 'Create account' }).click();
      await newcomer.getByRole('link', { name: 'Jobs', exact: true }).click();
      await newcomer.getByRole('link', { name: 'New job' }).first().click();
      await newcomer.getByText('Add a page').waitFor();
      pageUrl = newcomer.url();
      storageState = await newcomer.context().storageState();
      await newcomer.close();
    });

    afterAll(async () => {
      await browser?.close();
      await demo?.close();
      await rm(folder, { recursive: true, force: true });
    });

    beforeEach(async () => {
      context = await browser.newContext({ storageState, viewport: { width: 1280, height: 860 } });
      page = await context.newPage();
      faults = collectFaults(page);
    });

    afterEach(async () => {
      await context.close();
      expect(faults).toEqual([]);
    });

    /** Chooses one of the four forms, fills it by its labels, and sends it. */
    async function send(button: string, name: string, fields: Record<string, string>) {
      const choose = page.getByRole('group', { name: 'How' });
      await choose.getByRole('radio', { name, exact: true }).check();
      const form = page.locator('form');
      for (const [label, text] of Object.entries(fields)) await form.getByLabel(label).fill(text);
      await form.getByRole('button', { name: button }).click();
    }

    async function give(name: string, fields: Record<string, string>): Promise<void> {
      await page.goto(pageUrl);
      await send('Start the job', name, fields);
      await page.waitForURL(/\/jobs\//);
    }

    test.each(['Control+Enter', 'Meta+Enter'])('%s sends a form', async (keys) => {
      await page.goto(pageUrl);
      await page.getByRole('radio', { name: 'Replace text' }).check();
      // What is missing is asked for, as the button does.
      await page.getByLabel('Replace with').press(keys);
      await page.locator('textarea[aria-invalid=true]:focus').waitFor();
      expect(page.url()).toBe(pageUrl);
      await page.getByLabel('Find').fill('no page has these words');
      await page.getByLabel('Find').press(keys);
      await page.waitForURL(/\/jobs\//);
    });

    const badge = (words: string) =>
      expect.poll(() => page.locator('main .badge').first().innerText()).toBe(words);
    const openPull = () => page.getByRole('link', { name: /^Open pull request/ });

    test('a command becomes a pull request, a page of the site, and the source of an answer', async () => {
      await give('Add a page', {
        Path: 'peregrine-release-notes',
        Title: 'Peregrine release notes',
        'Text, as Markdown': 'Peregrine mode hides the launcher on telephones.',
      });
      await page.getByRole('log').getByText('Peregrine release notes').first().waitFor();
      // The page updates itself.
      await openPull().waitFor();
      await badge('Completed');
      const jobUrl = page.url();

      await openPull().click();
      await page.waitForURL(/\/pulls\//);
      await page.locator('tr.added').first().waitFor();
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain('Peregrine');
      expect(await page.locator('.job-changes').innerText()).toContain('hides the launcher');
      await page.getByRole('button', { name: 'Preview' }).first().click();
      await page.locator('.diff-file .prose').getByText('hides the launcher').waitFor();
      await page.getByRole('button', { name: 'Merge', exact: true }).click();
      await page.getByText(/^Merged\. /).waitFor();
      await badge('Merged');

      const file = join(docs, 'peregrine-release-notes.md');
      const text = await waitFor('the merged file in the folder', () =>
        readFile(file, 'utf8').catch(() => undefined),
      );
      expect(text).toContain('hides the launcher');
      await waitFor('the page on the site', async () => {
        const answer = await fetch(`${demo.siteUrl}/peregrine-release-notes`);
        return answer.ok && (await answer.text()).includes('hides the launcher');
      });
      const answer = await fetch(
        `${demo.docentUrl}/discovery/v2/assistant/${new URL(pageUrl).pathname.split('/')[3]}/message`,
        {
          method: 'POST',
          headers: {
            authorization: `Bearer ${demo.key}`,
            'content-type': 'application/json',
            origin: demo.siteUrl,
          },
          body: JSON.stringify({
            fp: 'anonymous',
            messages: [
              { role: 'user', parts: [{ type: 'text', text: 'What does Peregrine mode hide?' }] },
            ],
          }),
        },
      );
      expect(await answer.text()).toContain('/peregrine-release-notes');

      await page.goto(jobUrl);
      await page.getByRole('link', { name: /^Open pull request/ }).waitFor();
      await page.goto(pageUrl);
      await page.getByRole('table', { name: 'Jobs' }).getByText('Completed').first().waitFor();
      await page
        .getByRole('table', { name: 'Pull requests' })
        .getByText('Merged')
        .first()
        .waitFor();
    });

    test('a merge keeps edits in the folder', async () => {
      await give('Replace text', { Find: 'watches', 'Replace with': 'guards' });
      await openPull().waitFor();
      const file = join(docs, 'index.md');
      const mine = `${await readFile(file, 'utf8')}\nMy own words.\n`;
      await writeFile(file, mine);
      await openPull().click();
      await page.waitForURL(/\/pulls\//);
      await page.getByRole('button', { name: 'Merge', exact: true }).click();
      await badge('Merged');
      await waitFor('what the demo says about it', () =>
        said.some((line) => line.includes('index.md changed in the folder too')),
      );
      expect(await readFile(file, 'utf8')).toBe(mine);
    });

    test('a failed job shows the reason once and takes a follow-up', async () => {
      await give('Move a page', { Page: 'no-such-page', 'New path': 'elsewhere' });
      const outcome = page.getByRole('region', { name: 'Why it failed' });
      await outcome.waitFor();
      expect(await outcome.innerText()).toContain('There is no page “no-such-page”.');
      expect(await page.getByText('The command failed').count()).toBe(1);
      // The log is open while the job works, and closed on the page of one that has ended.
      await page.reload();
      await outcome.waitFor();
      expect(await page.getByRole('log').isVisible()).toBe(false);
      await page.getByText('Log', { exact: true }).click();
      await expect
        .poll(() => page.getByRole('log').innerText())
        .toMatch(/^Instruction\s.*[^]*\nFailed$/);
      expect(await findAxeViolations(page)).toEqual([]);
      await send('Send', 'Add a page', { Path: 'second-thoughts', Title: 'Second thoughts' });
      await openPull().waitFor();
    });

    test('a pull request is closed and reopened', async () => {
      await give('Add a page', { Path: 'plain-page', Title: 'Plain page' });
      await openPull().click();
      await page.getByRole('button', { name: 'Close without merging' }).click();
      await badge('Closed');
      await page.getByRole('button', { name: 'Reopen' }).click();
      await badge('Open');
    });

    test('the addresses that pages had before lead to them', async () => {
      await page.goto(pageUrl.replace('/dashboard', ''));
      await page.getByText('Add a page').waitFor();
      expect(page.url()).toBe(pageUrl);
    });

    test('who is signed out signs in, and is on the page', async () => {
      await context.clearCookies();
      await page.goto(pageUrl);
      for (const [label, text] of Object.entries(account)) await page.getByLabel(label).fill(text);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('Add a page').waitFor();
      expect(page.url()).toBe(pageUrl);
    });

    test('a table of the site fits a phone', async () => {
      await page.setViewportSize({ width: 390, height: 844 });
      await page.goto(`${demo.siteUrl}/setup`);
      const overflow = () =>
        page
          .locator('.table')
          .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
      await expect.poll(overflow).toBe(0);
    });

    test('pages fit a phone, in light and dark', async () => {
      await page.setViewportSize({ width: 390, height: 844 });
      await page.goto(pageUrl);
      const linkIn = (name: string) =>
        page.getByRole('table', { name }).locator('a').first().getAttribute('href');
      const [job, pull] = [await linkIn('Jobs'), await linkIn('Pull requests')];
      for (const address of [pageUrl, job, pull]) {
        await page.goto(new URL(address ?? '', pageUrl).href);
        await page.locator('main h1').waitFor();
        await expect.poll(() => page.locator('main .skeleton').count()).toBe(0);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
        expect(await findInBothSchemes(page)).toEqual([]);
      }
    });
  });

if (chromiumPath === undefined) {
  test('agent pages in a browser', (context) => context.skip(whySkipped));
}
