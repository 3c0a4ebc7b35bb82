/** From a fresh installation to the first pull request at GitHub, in one browser, without a file of one's own. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProcess, startCli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/fixture.ts';
import { startGiteaServer } from '../../support/forges/gitea-server.ts';
import { type GitHubServer, startGitHubServer } from '../../support/github-server.ts';
import { password } from '../../support/person.ts';
import { waitFor } from '../../support/wait-for.ts';
import { findAxeViolations } from '../axe.ts';
import { chromiumPath, openBrowser, whySkipped } from '../browser.ts';
import { collectFaults } from '../widget-host.ts';
import { overflow, phone } from './signed-in.ts';

const files = {
  'docs/install.md': '# Install\n\nSee [usage](usag.md).\n',
  'docs/usage.md': '# Usage\n',
};
/** Where somebody looks at them. */
const pictures = process.env['DOCENT_TEST_PICTURES'];

if (chromiumPath !== undefined)
  describe('connecting a repository', () => {
    let folder: Awaited<ReturnType<typeof temporaryFolder>>;
    let docent: ReturnType<typeof startCli>;
    let github: GitHubServer;
    let gitea: Awaited<ReturnType<typeof startGiteaServer>>;
    let browser: Browser;
    let page: Page;
    let setup: string;
    let faults: readonly unknown[];
    const desktop = { width: 1280, height: 900 };

    beforeAll(async () => {
      folder = await temporaryFolder();
      const cwd = folder.path;
      await mkdir(join(cwd, 'docs'));
      await writeFile(join(cwd, 'docs/index.md'), '# Kestrel\n\nKestrel is a bird.\n');
      await writeFile(join(cwd, 'mkdocs.yml'), 'site_name: Kestrel\n');
      const made = await runProcess(['init', '--yes'], { cwd });
      expect(made).toMatchObject({ code: 0 });
      [github, gitea, browser] = await Promise.all([
        startGitHubServer(),
        startGiteaServer(),
        openBrowser(),
      ]);
      await github.addRepository('kestrel/docs', files);
      await github.addRepository('kestrel/handbook', files);
      await gitea.addRepository('acme/docs', files);
      gitea.addToken('full', { scopes: ['write:repository', 'read:user'], may: 'write' });
      gitea.addToken('poor', { scopes: ['read:repository', 'read:user'], may: 'write' });
      docent = startCli(['start', '--port', '0'], { cwd });
      setup = await waitFor(
        'the address of the first account',
        () => /http:\S+\/dashboard\/setup\S*/.exec(docent.output.stdout)?.[0],
        60_000,
      );
      const context = await browser.newContext({ viewport: desktop });
      page = await context.newPage();
      faults = collectFaults(page, (message) => message.startsWith('Failed to load'));
    });
    afterAll(async () => {
      await browser?.close();
      await docent?.[Symbol.asyncDispose]();
      await gitea?.[Symbol.asyncDispose]();
      await github?.[Symbol.asyncDispose]();
      await folder?.[Symbol.asyncDispose]();
    });

    const look = async (name: string) => {
      if (pictures === undefined) return;
      for (const [size, viewport] of Object.entries({ desktop, phone })) {
        await page.setViewportSize(viewport);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          await page.screenshot({ path: join(pictures, `${name}-${size}-${colorScheme}.png`) });
        }
      }
      await page.setViewportSize(desktop);
      await page.emulateMedia({ colorScheme: 'light' });
    };
    const dialog = () => page.getByRole('dialog');
    const at = (path: string) => `${new URL(page.url()).origin}/dashboard${path}`;

    test('a GitHub App of one’s own, its repositories, and the first pull request', async () => {
      await page.goto(setup);
      await page.getByLabel('Your name').fill('Ada Lovelace');
      await page.getByLabel('Email').fill('ada@kestrel.test');
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();

      await page.goto(at('/projects'));
      await page.getByText('No projects in this organization').waitFor();
      await look('1-no-projects');
      await page.getByRole('button', { name: 'Connect a repository' }).click();
      await dialog().getByLabel('Address', { exact: true }).fill(github.url);
      await dialog().getByLabel('Organization at GitHub').fill('kestrel');
      await look('2-connect');
      expect(await findAxeViolations(page)).toEqual([]);
      await dialog().getByRole('button', { name: 'Continue to GitHub' }).click();

      await page.getByRole('heading', { name: 'Create GitHub App for kestrel' }).waitFor();
      await look('3-github');
      await page.getByRole('button', { name: 'Create GitHub App' }).click();
      await dialog().getByText('The GitHub App is yours').waitFor();
      expect(new URL(page.url()).search).toBe('');
      await look('4-app');
      await dialog().getByRole('link', { name: 'Choose repositories' }).click();
      await page.getByLabel('kestrel/docs').check();
      await page.getByRole('button', { name: 'Install' }).click();

      await dialog().getByLabel('Repository').fill('kestrel/docs');
      await look('5-repository');
      expect(await findAxeViolations(page)).toEqual([]);
      await dialog().getByLabel('Folder').fill('dosc');
      await dialog().getByRole('button', { name: 'Add the project' }).click();
      await dialog().getByText('there is no Markdown in dosc/').waitFor();
      await dialog().getByLabel('Folder').fill('docs');
      await dialog().getByRole('button', { name: 'Add the project' }).click();

      await page.getByRole('heading', { name: 'docs', level: 1 }).waitFor();
      await page.getByRole('radio', { name: 'Fix links' }).check();
      await page.getByRole('button', { name: 'Start the job' }).click();
      const hosted = github.repository('kestrel/docs');
      await expect.poll(() => hosted.pulls.length, { timeout: 30_000 }).toBe(1);
      const branch = hosted.pulls[0]?.branch ?? '';
      expect(await hosted.docs.read('docs/install.md', branch)).toContain('[usage](usage.md)');
      // The row of the job hears of the pull request a moment after the host has it.
      await page.getByText('Completed').first().waitFor();

      hosted.conversation.addPerson('dana', 'write');
      hosted.conversation.review(1, 'dana', 'Good', [], 'APPROVED');
      await page.goto(at('/projects/docs'));
      await page.getByText('Approved').waitFor();
      await page.getByText('Added in the dashboard').waitFor();
      await page.getByText('4,990 of 5,000').waitFor();
      await look('6-project');
      expect(await findAxeViolations(page)).toEqual([]);

      await page.goto(at('/settings'));
      const table = page.getByRole('table', { name: 'Connected hosts' });
      await table.getByText('docs', { exact: true }).waitFor();
      await page.getByRole('radio', { name: 'Added here' }).check();
      await page.getByText('projects.docs.repository').waitFor();
      await look('7-settings');
      expect(await findAxeViolations(page)).toEqual([]);
    });

    test('its repository becomes a site that answers, and the site is changed and removed', async () => {
      await page.goto(at('/projects/docs'));
      await page.getByRole('link', { name: 'Add a site from this repository' }).click();
      await expect.poll(() => dialog().getByLabel('Folder').inputValue()).toBe('docs');
      expect(await dialog().getByLabel('Identifier').inputValue()).toBe('docs');
      await dialog().getByLabel('Name').fill('Kestrel Docs');
      await dialog().getByLabel('Identifier').fill('kestrel-docs');
      await dialog().getByLabel('Allowed origins').fill('docs.kestrel.test');
      await dialog().getByRole('button', { name: 'Add the site' }).click();
      await dialog().getByText('write an origin without a path').waitFor();
      await look('10-site');
      expect(await findAxeViolations(page)).toEqual([]);
      await dialog().getByLabel('Allowed origins').fill('https://docs.kestrel.test');
      await dialog().getByRole('button', { name: 'Add the site' }).click();
      await page.getByRole('heading', { name: 'Kestrel Docs', level: 1 }).waitFor();
      await page.getByText('Up to date').first().waitFor({ timeout: 30_000 });
      await look('11-indexed');
      expect(await findAxeViolations(page)).toEqual([]);
      await page.getByRole('link', { name: 'Script tag' }).click();
      await page.getByText('data-site="kestrel-docs"').waitFor();

      await page.goto(at('/sites/kestrel-docs'));
      await page.getByRole('button', { name: 'Change', exact: true }).click();
      await dialog().getByLabel('Name', { exact: true }).fill('Kestrel 2');
      await look('12-change');
      expect(await findAxeViolations(page)).toEqual([]);
      await dialog().getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Kestrel 2', level: 1 }).waitFor();
      await page.goto(at('/projects/docs'));
      await page.getByRole('button', { name: 'Change', exact: true }).click();
      await dialog().getByLabel('Drafts').selectOption('Always');
      await dialog().getByLabel('Labels').fill('documentation, good first issue');
      await dialog().getByLabel('Reviewers').fill('@lena');
      await dialog().getByRole('button', { name: 'Save' }).click();
      await dialog().getByText('must be names at the host').waitFor();
      await look('15-change-project');
      expect(await findAxeViolations(page)).toEqual([]);
      await dialog().getByLabel('Reviewers').fill('lena, team:docs');
      await dialog().getByRole('button', { name: 'Save' }).click();
      await expect.poll(() => dialog().count()).toBe(0);
      await page.goto(at('/settings'));
      await page.getByRole('radio', { name: 'Added here' }).check();
      await page.getByText('sites.kestrel-docs.name').waitFor();
      await page.getByText('projects.docs.draft').waitFor();
      await page.goto(at('/sites'));
      await page.getByRole('button', { name: 'Add a site' }).click();
      await dialog().getByLabel('Repository').fill('kestrel/docs');
      await look('13-choose');
      expect(await findAxeViolations(page)).toEqual([]);
      await dialog().getByRole('button', { name: 'Continue' }).click();
      await expect.poll(() => dialog().getByLabel('Folder').inputValue()).toBe('docs');
      await page.keyboard.press('Escape');
      await page.goto(at('/sites/kestrel-docs'));
      await page.getByRole('button', { name: 'Remove' }).click();
      await look('16-remove-site');
      await dialog().getByRole('textbox').fill('kestrel-docs');
      await dialog().getByRole('button', { name: 'Remove site' }).click();
      await page.getByRole('heading', { name: 'Sites', level: 1 }).waitFor();
      await expect.poll(() => page.getByText('Kestrel 2').count()).toBe(0);
    });

    test('a token says at once what it lacks, its hook’s secret is shown once, and another’s redirect does nothing', async () => {
      await page.goto(at('/projects'));
      await page.getByRole('button', { name: 'Connect a repository' }).click();
      await dialog().getByRole('radio', { name: 'Gitea, Forgejo' }).check();
      await dialog().getByLabel('Address', { exact: true }).fill(gitea.url);
      await dialog().getByLabel('Token', { exact: true }).fill('poor');
      await dialog().getByRole('button', { name: 'Connect', exact: true }).click();
      await dialog().getByText('lacks a scope').waitFor();
      await look('8-lacks');
      await dialog().getByLabel('Token', { exact: true }).fill('full');
      await dialog().getByRole('button', { name: 'Connect', exact: true }).click();
      await dialog().getByLabel('Repository').fill('acme/docs');
      await dialog().getByLabel('Name').fill('acme');
      await dialog().getByRole('button', { name: 'Add the project' }).click();
      await dialog().getByText('This is shown only once').waitFor();
      await look('9-hook');
      expect(await findAxeViolations(page)).toEqual([]);
      await dialog().getByRole('button', { name: 'Done' }).click();
      await page.getByRole('heading', { name: 'acme', level: 1 }).waitFor();
      await page.getByRole('button', { name: 'Change', exact: true }).click();
      expect(await dialog().getByLabel('Labels').inputValue()).toBe('');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Remove' }).click();
      await look('17-remove-project');
      await dialog().getByRole('button', { name: 'Remove project' }).click();
      await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
      await expect.poll(() => page.getByText('acme', { exact: true }).count()).toBe(0);

      await page.goto(at('/settings'));
      await page.getByRole('button', { name: 'Replace the token of docs-bot' }).click();
      await dialog().getByLabel('New token').fill('poor');
      await dialog().getByRole('button', { name: 'Replace' }).click();
      await dialog().getByText('lacks a scope').waitFor();
      await look('14-replace');
      expect(await findAxeViolations(page)).toEqual([]);
      await dialog().getByLabel('New token').fill('full');
      await dialog().getByRole('button', { name: 'Replace' }).click();
      await page.getByText('The new token is in use').waitFor();
      const row = page.getByRole('row').filter({ hasText: gitea.url });
      await row.getByRole('button', { name: 'Events of docs-bot' }).click();
      await dialog().getByText('The host hasn’t sent anything yet').waitFor();
      await look('18-events');
      expect(await findAxeViolations(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await row.getByRole('button', { name: 'Disconnect docs-bot' }).click();
      await look('19-disconnect');
      await page.keyboard.press('Escape');

      await page.goto(at('/projects?code=abc&state=forged'));
      await dialog().getByText('Begin again').waitFor();
      await page.goto(at('/projects?installation_id=1&setup_action=install'));
      await dialog().getByText('No connected GitHub App has this installation').waitFor();
      expect(faults).toEqual([]);
    });

    test.each(['light', 'dark'] as const)('fits a phone, %s', async (colorScheme) => {
      await page.setViewportSize(phone);
      await page.emulateMedia({ colorScheme });
      for (const path of ['/projects/docs', '/settings', '/sites', '/projects']) {
        await page.goto(at(path));
        await page
          .getByText({ '/settings': 'Connected hosts', '/sites': 'Last run' }[path] ?? 'docs')
          .first()
          .waitFor();
        if (path === '/projects') {
          await page.getByRole('button', { name: 'Connect a repository' }).click();
          await dialog().getByText('Choose from a connected host').waitFor();
        }
        if (path === '/projects/docs') await page.getByText('Approved').waitFor();
        if (pictures !== undefined) {
          const name = `phone-${colorScheme}-${path.replaceAll('/', '')}.png`;
          await page.screenshot({ path: join(pictures, name), fullPage: true });
        }
        expect([path, await overflow(page)]).toEqual([path, 0]);
        expect(await findAxeViolations(page)).toEqual([]);
      }
    });
  });
else test('connecting a repository', (context) => context.skip(whySkipped));
