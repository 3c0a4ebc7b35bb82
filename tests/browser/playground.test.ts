/** The demo's page for trying out how the widget looks, and the tag that it hands out. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Demo, startDemo } from '@docent/demo-site/start';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findAxeViolations } from './axe.ts';
import { chromiumPath, openBrowser, whySkipped } from './browser.ts';
import { collectFaults, readerOf } from './widget-host.ts';

if (chromiumPath === undefined) test('playground', (context) => context.skip(whySkipped));
else
  describe('the playground', () => {
    let folder: string;
    let demo: Demo;
    let browser: Browser;
    let page: Page;
    let faults: string[];

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'docent-playground-'));
      demo = await startDemo({
        port: 0,
        sitePort: 0,
        dataFolder: folder,
        log: () => {},
        variables: { LOG_LEVEL: 'silent' },
      });
      browser = await openBrowser();
      page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
      faults = collectFaults(page);
    });
    afterAll(async () => {
      await browser?.close();
      await demo?.close();
      await rm(folder, { recursive: true, force: true });
    });

    const widget = () => page.locator('docent-widget');
    const tag = () => page.locator('#playground pre').innerText();

    test('changes the widget of its page, and shows the tag that does the same', async () => {
      await page.goto(`${demo.siteUrl}/playground`);
      await page.getByLabel('Sidebar').check();
      await page.getByLabel('Left', { exact: true }).check();
      await page.getByLabel('Dark', { exact: true }).check();
      await page.getByLabel('Title').fill('Ask "us" & them');
      await page.getByRole('button', { name: 'Accent #facc15' }).click();
      await page.getByLabel('Language').selectOption('ar');
      await page.getByLabel('Ask about code').uncheck();
      await page.getByRole('button', { name: 'Open it' }).click();
      await readerOf(page).input().waitFor();
      const seen = () =>
        widget().evaluate((element) => ({
          ...Object.fromEntries(Object.entries(element.dataset)),
          dir: (element as HTMLElement).dir,
          accent: getComputedStyle(element).getPropertyValue('--docent-accent'),
          title: element.shadowRoot?.querySelector('h2')?.textContent,
        }));
      await expect.poll(seen).toMatchObject({
        layout: 'sidebar',
        position: 'left',
        theme: 'dark',
        dir: 'rtl',
        accent: '#facc15',
        title: 'Ask "us" & them',
      });
      // Read as a browser reads it: what it says is what was chosen, and nothing else.
      const attributes = async () =>
        page.evaluate(
          (text) => {
            const { body } = new DOMParser().parseFromString(`<body>${text}`, 'text/html');
            return Object.fromEntries(Object.entries(body.querySelector('script')?.dataset ?? {}));
          },
          await tag(),
        );
      await expect.poll(attributes).toEqual({
        site: expect.any(String) as string,
        key: demo.key,
        layout: 'sidebar',
        position: 'left',
        theme: 'dark',
        accent: '#facc15',
        language: 'ar',
        title: 'Ask "us" & them',
        code: 'false',
      });
    });

    test('an inline panel stands in the page, and a default leaves the tag', async () => {
      await page.goto(`${demo.siteUrl}/playground`);
      await page.getByLabel('Inline').check();
      await page.locator('#docent-here').scrollIntoViewIfNeeded();
      await page.mouse.wheel(0, 4000);
      await readerOf(page).input().waitFor();
      await expect.poll(() => page.locator('#docent-here docent-widget').count()).toBe(1);
      await page.getByLabel('Bubble').check();
      // It was open in the page, so it stays open.
      await readerOf(page).get('close').click();
      await readerOf(page).launcher().waitFor();
      await expect.poll(tag).not.toContain('data-layout');
      expect(await findAxeViolations(page)).toEqual([]);
      await page.getByLabel('Message').fill('How do I rotate a key?');
      await readerOf(page).get('deflect-ask').waitFor();
      expect(await findAxeViolations(page)).toEqual([]);
      expect(faults).toEqual([]);
    });
  });
