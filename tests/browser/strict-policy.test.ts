/** Pages with the strictest policies that there are: everything works, and nothing is reported. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, whySkipped } from './browser.ts';
import { collectFaults, readerOf, startWidgetHost, type WidgetHost } from './widget-host.ts';

const answer = [
  'Run **this**:\n\n```bash\nnpx kestrel install\n```\n\n| Step | What |\n| --- | --- |\n| 1 | Install [1] |\n\n',
  '- ![a picture](https://pictures.example/one.png)\n- [a link](/install)\n',
];

if (chromiumPath === undefined) test('strict policies', (context) => context.skip(whySkipped));
else
  describe('under a content security policy', () => {
    let host: WidgetHost;
    beforeAll(async () => {
      host = await startWidgetHost({ answer });
    });
    afterAll(() => host[Symbol.asyncDispose]());

    /** Opens it, asks, copies, looks at conversations, selects text, closes: what a reader may do. */
    async function doEverything(page: Page): Promise<void> {
      const reader = readerOf(page);
      await reader.open();
      await reader.ask('How do I install Kestrel?');
      await reader.isDone();
      expect(await reader.answer().locator('table').count()).toBe(1);
      await expect.poll(() => page.evaluate(() => CSS.highlights.size)).toBeGreaterThan(0);
      for (const copy of await reader.get('copy').all()) await copy.click();
      for (const item of ['copy', 'download', 'widen']) {
        await reader.get('menu').click();
        await reader.get(`menu-${item}`).click();
      }
      await page.evaluate(() =>
        getSelection()?.selectAllChildren(document.querySelector('#intro')!),
      );
      await reader.get('ask-selection').waitFor();
    }

    const policies = {
      'nonces alone': "script-src 'nonce-r4nd0m'",
      'nonces and strict-dynamic': "script-src 'nonce-r4nd0m' 'strict-dynamic'",
      'the address of the service': 'script-src {docent}',
    };
    test.each(Object.entries(policies))(
      '%s, no inline style, no eval, Trusted Types: a whole visit without one report',
      async (name, scripts) => {
        const policy = [
          `default-src 'none'`,
          scripts,
          `style-src 'self'`,
          `connect-src {docent}`,
          `require-trusted-types-for 'script'`,
          `trusted-types 'none'`,
        ]
          .join('; ')
          .replaceAll('{docent}', host.docent.url);
        const nonce = scripts.includes('nonce') ? 'r4nd0m' : null;
        const html = host.document(host.tag({ nonce }));
        const url = host.put(`/${name.replaceAll(' ', '-')}`, {
          html,
          headers: { 'content-security-policy': policy },
        });
        const context = await (await host.browser()).newContext();
        await context.grantPermissions(['clipboard-read', 'clipboard-write']);
        const page = await context.newPage();
        const faults = collectFaults(page);
        await page.addInitScript(() => {
          const reports: string[] = [];
          Object.assign(globalThis, { reports });
          addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
            reports.push(`${violatedDirective} ${blockedURI} ${sample}`),
          );
        });
        await page.goto(url);
        // The policy is in force: what it forbids is reported.
        const [styles, evaluated] = await page.evaluate(() => {
          const style = document.createElement('style');
          style.textContent = 'h1 { color: rgb(1, 2, 3) }';
          document.head.append(style);
          const color = getComputedStyle(document.querySelector('h1')!).color;
          style.remove();
          return [color, document.createElement('p').innerHTML];
        });
        expect([styles, evaluated]).not.toContain('rgb(1, 2, 3)');
        await expect.poll(() => page.evaluate('reports.length')).toBe(1);
        await page.evaluate('reports.length = 0');
        faults.length = 0;

        await doEverything(page);
        expect(await page.evaluate('reports')).toEqual([]);
        expect(faults).toEqual([]);
        // It is styled, too.
        const launcher = readerOf(page).launcher();
        expect(await launcher.evaluate((node) => getComputedStyle(node).position)).toBe('fixed');
        await context.close();
      },
    );
  });
