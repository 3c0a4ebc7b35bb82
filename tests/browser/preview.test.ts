/** The page of `docent start`: an owner asks, and citations open the indexed page, wherever the site is. */
import { describe, expect, test } from 'vitest';
import { startCli, writeConfig } from '../support/cli.ts';
import { fixtureDocs, kestrel, temporaryFolder } from '../support/fixture.ts';
import { waitFor } from '../support/wait-for.ts';
import { chromiumPath, openBrowser, whySkipped } from './browser.ts';
import { readerOf } from './widget-host.ts';

if (chromiumPath === undefined) test('preview', (context) => context.skip(whySkipped));
else
  describe('preview', () => {
    test.each<[string, { baseUrl?: string; pathStyle?: 'html'; generator?: 'docsify' }]>([
      ['a site whose address is unknown', { pathStyle: 'html' }],
      ['a published site', { baseUrl: 'https://docs.kestrel.example/docs' }],
      ['a site behind a router', { generator: 'docsify' }],
    ])('%s', async (_name, docs) => {
      await using folder = await temporaryFolder();
      const config = await writeConfig(folder.path, {
        server: { port: 0 },
        sites: [{ ...kestrel, docs: { folder: fixtureDocs, ...docs } }],
      });
      await using docent = startCli(['start', '--config', config]);
      const isReady = () => /http:\S+\/preview\/kestrel-docs/.exec(docent.output.stdout)?.[0];
      const address = await waitFor('docent start', isReady, 60_000);
      const browser = await openBrowser();
      try {
        const page = await browser.newPage();
        await page.goto(address);
        await page.getByRole('link', { name: '/install' }).waitFor();
        const reader = readerOf(page);
        await reader.open();
        await reader.ask('How do I install Kestrel with the package manager?');
        await page.locator('docent-widget a.cite').first().click();
        const heading = 'install-with-the-package-manager';
        await expect.poll(() => page.url()).toMatch(new RegExp(`^${address}/install#${heading}$`));
        await page.getByRole('heading', { name: 'Install with the package manager' }).waitFor();
        expect(await page.locator(`#${heading}`).count()).toBe(1);
      } finally {
        await browser.close();
      }
    });
  });
