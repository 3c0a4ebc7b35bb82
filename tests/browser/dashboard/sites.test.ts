/** The pages of sites, installation, settings, and health. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createLog } from '@docent/server/docent';
import type { ServiceHealthReply } from '@docent/shared/sites';
import { describe, expect, onTestFinished, test } from 'vitest';
import { kestrel, temporaryFolder } from '../../support/fixture.ts';
import { startScriptedModel } from '../../support/scripted-model.ts';
import { startDocent } from '../../support/start-docent.ts';
import { findAxeViolations, findInBothSchemes } from '../axe.ts';
import { chromiumPath, whySkipped } from '../browser.ts';
import { browser, docent, overflow, phone, signedIn, useDashboard } from './signed-in.ts';

if (chromiumPath !== undefined)
  describe('pages of the service', () => {
    useDashboard();

    test('a site is indexed from its page, and its instructions are saved', async () => {
      const { page, context, faults } = await signedIn(browser, docent, '/sites');
      await page.getByRole('link', { name: 'Kestrel', exact: true }).click();
      await page.getByRole('heading', { name: 'Kestrel', level: 1 }).waitFor();
      await page.getByRole('button', { name: 'Index now' }).click();
      await page.getByText('Up to date').waitFor();
      await page.getByLabel('Instructions').fill('Call users members.');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved').waitFor();
      await page.reload();
      await expect
        .poll(() => page.getByLabel('Instructions').inputValue())
        .toBe('Call users members.');
      expect(await findAxeViolations(page)).toEqual([]);
      expect(faults).toEqual([]);
      await context.close();
    });

    test('an answer is pinned, tried, and deleted on the site’s page', async () => {
      const { page, context, faults } = await signedIn(browser, docent, '/sites/kestrel-docs');
      await page.getByRole('button', { name: 'Pin an answer' }).click();
      const dialog = page.getByRole('dialog', { name: 'Pin an answer' });
      await dialog.getByLabel('Questions').fill('Is there an enterprise plan?');
      await dialog.getByLabel('Answer').fill('Yes. Write to us.');
      await dialog.getByLabel('Doesn’t get it').fill('What does the enterprise plan cost?');
      expect(await findAxeViolations(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('cell', { name: '2 pass' }).waitFor();
      await page.getByLabel('A question to try').fill('Do you have an enterprise plan');
      await page.getByRole('button', { name: 'Try it' }).click();
      await page.getByText('It gets the answer to “Is there an enterprise plan?”').waitFor();
      await page.getByLabel('A question to try').fill('What does the plan cost?');
      await page.getByRole('button', { name: 'Try it' }).click();
      await page.getByText('none is for “what plan cost”').waitFor();
      expect(await findInBothSchemes(page)).toEqual([]);
      await page.setViewportSize(phone);
      expect(await overflow(page)).toBe(0);
      await page.getByRole('button', { name: /^Delete/ }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('heading', { name: 'No pinned answers' }).waitFor();
      expect(faults).toEqual([]);
      await context.close();
    });

    test('two people change the same settings: the second keeps their words and is told', async () => {
      const first = await signedIn(browser, docent, '/sites/kestrel-blog');
      const second = await signedIn(browser, docent, '/sites/kestrel-blog');
      // Both have read the same version.
      for (const { page } of [first, second]) await page.getByLabel('Instructions').waitFor();
      for (const [{ page }, words] of [
        [first, 'From the first.'],
        [second, 'From the second.'],
      ] as const) {
        await page.getByLabel('Instructions').fill(words);
        await page.getByRole('button', { name: 'Save' }).click();
        await page
          .getByText(words === 'From the first.' ? 'Saved' : 'Somebody else')
          .first()
          .waitFor();
      }
      const field = second.page.getByLabel('Instructions');
      expect(await field.inputValue()).toBe('From the second.');
      await second.page.getByRole('button', { name: 'load the newest version' }).click();
      await expect.poll(() => field.inputValue()).toBe('From the first.');
      await Promise.all([first.context.close(), second.context.close()]);
    });

    test('the tag follows the choices, and the widget is tried on the page', async () => {
      const { page, context, faults } = await signedIn(browser, docent, '/install');
      await page.getByLabel('Title').fill('Ask "us"');
      await page.getByLabel('Layout').selectOption('sidebar');
      const tag = page.locator('.snippet code').first();
      await expect.poll(() => tag.textContent()).toContain('data-title="Ask &quot;us&quot;"');
      expect(await tag.textContent()).toContain('data-layout="sidebar"');
      await page.getByRole('button', { name: 'Try it here' }).click();
      const panel = page.getByRole('dialog', { name: 'Ask "us"' });
      await panel.waitFor();
      await panel.getByRole('textbox').fill('How do I install Kestrel?');
      await panel.getByRole('textbox').press('Enter');
      await panel.getByRole('article').or(panel.locator('.answer')).first().waitFor();
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
      await expect.poll(() => panel.count()).toBe(0);
      expect(faults).toEqual([]);
      await context.close();
    });

    test('a run that would remove many pages waits until a person approves it', async () => {
      await using folder = await temporaryFolder();
      const docs = join(folder.path, 'docs');
      const pages = Array.from({ length: 30 }, (_, number) => join(docs, `page-${number}.md`));
      await mkdir(docs);
      for (const path of pages) await writeFile(path, `# ${path}\n\nSome words.\n`);
      const sites = { 'kestrel-docs': { docs: { folder: docs } } };
      await using other = await startDocent({ sites });
      // The index of the other tests has pages that this folder lacks.
      await other.docent.services.indexer.index('kestrel-docs', { acceptFewer: true });
      for (const path of pages.slice(0, 12)) await rm(path);
      const indexed = async () =>
        (await other.docent.services.retriever.hashes('kestrel-docs')).size;
      expect(await indexed()).toBe(30);

      const { page, context, faults } = await signedIn(browser, other, '/sites/kestrel-docs');
      const state = page.locator('main');
      await page.getByRole('button', { name: 'Index now' }).click();
      await expect.poll(() => state.textContent()).toContain('would remove 12 of 30 pages');
      expect(await state.textContent()).toContain('Needs approval');
      expect(await findAxeViolations(page)).toEqual([]);

      // Whoever refuses changes nothing, and may approve later.
      await page.getByRole('button', { name: 'Approve this run' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await expect.poll(() => dialog.count()).toBe(0);
      await page.reload();
      await expect.poll(() => state.textContent()).toContain('would remove 12 of 30 pages');
      expect(await indexed()).toBe(30);

      await page.getByRole('button', { name: 'Approve this run' }).click();
      await dialog.getByRole('button', { name: 'Approve and index' }).click();
      await expect.poll(() => state.textContent()).toContain('12 removed');
      await expect.poll(() => state.textContent()).toContain('Up to date');
      expect(await indexed()).toBe(18);
      expect(faults).toEqual([]);
      await context.close();
    });

    test('“Check my site” finds what keeps the widget from working, and then that it works', async () => {
      const published = { html: '<h1>No tag</h1>', headers: {} as Record<string, string> };
      const server = createServer((_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/html', ...published.headers });
        response.end(published.html);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => {
        server.close().closeAllConnections();
      });
      const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const publicUrl = 'https://docent.kestrel.example';
      const docs = { ...kestrel.docs, baseUrl: origin };
      const site = { docs, allowedOrigins: [origin] };
      await using other = await startDocent({
        server: { publicUrl },
        sites: { 'kestrel-docs': site, 'kestrel-blog': { docs } },
      });
      const { page, context, faults } = await signedIn(browser, other, '/install');
      const findings = page.locator('.findings');
      const check = async (awaited: string) => {
        await page.getByRole('button', { name: 'Check', exact: true }).click();
        await expect.poll(() => findings.textContent()).toContain(awaited);
      };
      await check('has no script tag of Docent');
      // Pages and anchors that answers would cite aren't on this site of one page.
      expect(await findings.textContent()).toContain("that answers may cite aren't on the site");

      const tag = `<script src="${publicUrl}/docent.js" data-site="kestrel-docs" data-key="${other.key}" async></script>`;
      const policy = `script-src 'self' ${publicUrl}; connect-src 'self'`;
      Object.assign(published, { html: tag, headers: { 'Content-Security-Policy': policy } });
      await check('blocks the assistant (connect-src)');
      expect(await findings.textContent()).toContain(`Add ${publicUrl} to connect-src.`);

      published.headers = {};
      await check('has the script tag');
      expect(await findAxeViolations(page)).toEqual([]);

      await page.goto(`${other.url}/dashboard/install?site=kestrel-blog`);
      await check("doesn't allow their origin");
      expect(await findings.textContent()).toContain(`Add "${origin}" to allowedOrigins.`);
      expect(faults).toEqual([]);
      await context.close();
    });

    test('the report about the service is copied, and has no secret in it', async () => {
      const secret = 'the-key-of-a-model-in-no-known-format';
      await using model = await startScriptedModel();
      const lines: string[] = [];
      const log = createLog('debug', { write: (line) => void lines.push(line) });
      await using other = await startDocent({
        log,
        // Where organizations share a service, none sees its errors.
        sites: { 'osprey-docs': { organization: 'kestrel' } },
        models: {
          main: {
            provider: 'openai-compatible',
            baseUrl: model.url,
            model: 'scripted',
            apiKeyEnv: 'MY_MODEL_KEY',
          },
        },
        variables: { MY_MODEL_KEY: secret },
      });
      const error = { message: `Incorrect API key: ${secret}.` };
      model.once({ status: 401, body: { error } });
      await other.ask('Is jo@kestrel.example a member?');
      log.error(`A report for jo@kestrel.example with ${other.key} was lost`);
      const { page, context, faults, person } = await signedIn(browser, other, '/health', {
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      await page.getByRole('button', { name: 'Copy report' }).click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      const report = JSON.parse(copied) as ServiceHealthReply;
      expect(report).toMatchObject({ database: { kind: 'sqlite' }, models: [{ name: 'main' }] });
      // It tells what failed.
      expect(report.recentErrors.map(({ message }) => message).join('\n')).toContain('401');
      expect(report.recentErrors[0]?.message).toMatch(/^A report for .+ was lost$/);
      for (const kept of [
        secret,
        other.key,
        other.admin,
        person.token,
        person.email,
        'jo@kestrel',
      ]) {
        expect(copied).not.toContain(kept);
      }
      expect(faults).toEqual([]);
      await context.close();
    });

    test('every page fits a phone and has no accessibility faults, light and dark', async () => {
      for (const path of ['/sites', '/sites/kestrel-docs', '/install', '/settings', '/health']) {
        const { page, context, faults } = await signedIn(browser, docent, path, {
          viewport: phone,
        });
        await expect.poll(() => page.locator('main .skeleton').count()).toBe(0);
        expect([path, await overflow(page)]).toEqual([path, 0]);
        expect([path, await findInBothSchemes(page)]).toEqual([path, []]);
        expect(faults).toEqual([]);
        await context.close();
      }
    });

    test('a viewer sees sites and changes nothing', async () => {
      const { page, context } = await signedIn(browser, docent, '/sites/kestrel-docs', {
        role: 'viewer',
      });
      await page.getByText('From the configuration file').first().waitFor();
      expect(await page.getByRole('button', { name: 'Index now' }).count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
      await context.close();
    });
  });
else test('pages of the service', (context) => context.skip(whySkipped));
