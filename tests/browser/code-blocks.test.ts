/** Asking about the code of a page: the real markup of seven themes, in a real browser. */
import { readFile } from 'node:fs/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { chromiumPath, whySkipped } from './browser.ts';
import { collectFaults, readerOf, startWidgetHost, type WidgetHost } from './widget-host.ts';

const program = `import { station } from 'kestrel';

const rooftop = station({
  name: 'rooftop',

  gustLimit: 25,
});
await rooftop.start();`;
const shell = `$ npm install kestrel
$ kestrel-setup install --station rooftop --server https://weather.example.com/a/very/long/path/that/has/to/be/scrolled/to/be/read/in/full`;

/** Prism's command-line plugin draws prompts by style: they are no text of the page. */
const withoutPrompts = shell.replaceAll('$ ', '');

const themes: [name: string, installed: string, headingId: string][] = [
  ['prism', withoutPrompts, 'configure'],
  ['shiki', shell, 'configure'],
  ['highlight-js', shell, 'configure'],
  ['docusaurus', shell, 'configure-the-station'],
  ['starlight', shell, 'configure-the-station'],
  ['vitepress', shell, 'configure-the-station'],
  ['mkdocs-material', shell, 'configure-the-station'],
];

if (chromiumPath !== undefined)
  describe('asking about code', () => {
    let host: WidgetHost;
    let context: BrowserContext;
    let page: Page;
    let asked: { context?: unknown }[];
    let faults: string[];

    beforeAll(async () => {
      host = await startWidgetHost();
      for (const [name] of themes) {
        const file = new URL(`fixtures/code/${name}.html`, import.meta.url);
        const html = await readFile(file, 'utf8');
        host.put(`/${name}`, html.replace('<!-- docent -->', host.tag()));
      }
    });
    afterAll(() => host?.[Symbol.asyncDispose]());

    const start = async (
      options: Parameters<Awaited<ReturnType<WidgetHost['browser']>>['newContext']>[0] = {},
    ) => {
      context = await (
        await host.browser()
      ).newContext({ viewport: { width: 1280, height: 800 }, ...options });
      page = await context.newPage();
      faults = collectFaults(page);
      asked = [];
      page.on('request', (request) => {
        if (request.method() === 'POST')
          asked.push(request.postDataJSON() as { context?: unknown });
      });
    };
    beforeEach(() => start());
    afterEach(async () => {
      await context.close();
      expect(faults).toEqual([]);
    });

    /** Counts what moves, and keeps what the page is made of. */
    async function visit(name: string): Promise<void> {
      await page.goto(`${host.origin}/${name}`);
      await page.getByTestId('docent-launcher').waitFor();
      await page.evaluate(() => {
        const seen = { shift: 0, html: '' };
        Object.assign(window, { seen });
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries())
            seen.shift += (entry as unknown as { value: number }).value;
        }).observe({ type: 'layout-shift', buffered: false });
        seen.html = [...document.body.children]
          .filter((one) => one.localName !== 'docent-widget')
          .map((one) => one.outerHTML)
          .join();
      });
    }
    const untouched = () =>
      page.evaluate(() => {
        const { seen } = window as unknown as { seen: { shift: number; html: string } };
        const now = [...document.body.children]
          .filter((one) => one.localName !== 'docent-widget')
          .map((one) => one.outerHTML)
          .join();
        return { shift: seen.shift, isSame: now === seen.html };
      });
    const ask = () => page.getByTestId('docent-ask-code');
    const codeOf = (text: string) => page.locator('pre', { hasText: text }).first();

    /** The button lies in the block, and on none of the theme's own buttons and labels. */
    const isWellPlaced = (text: string) =>
      codeOf(text).evaluate((pre) => {
        const button = document
          .querySelector('docent-widget')
          ?.shadowRoot?.querySelector('.ask-code');
        const box = button?.getBoundingClientRect();
        if (!box) return 'no button';
        const own = pre.getBoundingClientRect();
        if (box.left < own.left || box.right > Math.min(own.right, innerWidth))
          return 'outside, across';
        if (box.top < own.top - 1 || box.bottom > own.bottom + 1) return 'outside, up and down';
        const frame = pre.closest('figure, .highlight, [class*="language-"], .code-toolbar') ?? pre;
        const others = [...document.querySelectorAll('button, .lang, .toolbar-item')].filter(
          (each) => frame.contains(each) || each.closest('.code-toolbar'),
        );
        const covered = others.find((each) => {
          const other = each.getBoundingClientRect();
          return (
            other.width > 0 &&
            other.left < box.right &&
            other.right > box.left &&
            other.top < box.bottom &&
            other.bottom > box.top
          );
        });
        return covered ? `over ${covered.outerHTML}` : 'well';
      });

    test.each(themes)('%s', async (name, installed, elementId) => {
      const reader = readerOf(page);
      await visit(name);
      await codeOf('station({').hover();
      await ask().waitFor();
      await expect.poll(() => isWellPlaced('station({')).toBe('well');
      // Before the panel opens, in which things do move.
      expect(await untouched()).toEqual({ shift: 0, isSame: true });
      await ask().click();
      await expect.poll(() => reader.get('chip').count()).toBe(1);
      await reader.get('chip').getByText('from “Configure the station”').waitFor();

      await codeOf('kestrel-setup').hover({ position: { x: 20, y: 20 } });
      await ask().waitFor();
      await expect.poll(() => isWellPlaced('kestrel-setup')).toBe('well');
      await ask().click();
      await expect.poll(() => reader.get('chip').count()).toBe(2);
      expect((await untouched()).isSame).toBe(true);
      await reader.get('explain').click();
      await reader.isDone();
      const path = `/${name}`;
      expect(asked[0]?.context).toEqual([
        { type: 'code', value: program, path, elementId },
        { type: 'code', value: installed, path, elementId: expect.stringMatching(/^install/) },
      ]);
    });

    test('a column of line numbers belongs to the code beside it', async () => {
      await visit('mkdocs-material');
      await page.locator('.linenodiv pre').hover();
      await ask().waitFor();
      await ask().click();
      await readerOf(page).get('explain').click();
      await readerOf(page).isDone();
      expect(asked[0]?.context).toMatchObject([{ type: 'code', value: program }]);
    });

    test('by keyboard: Tab goes from the block to the button, and on from there', async () => {
      const reader = readerOf(page);
      await visit('starlight');
      await codeOf('kestrel-setup').focus();
      await ask().waitFor();
      await page.keyboard.press('Tab');
      await expect.poll(() => reader.focused()).toBe('docent-ask-code');
      await page.keyboard.press('Shift+Tab');
      await expect.poll(() => reader.focused()).toBe('PRE');
      // The theme's own button is still next.
      await page.keyboard.press('Tab');
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.getAttribute('title')))
        .toBe('Copy to clipboard');
      // Gone with the focus, and back with it.
      await page.evaluate(() => (document.activeElement as HTMLElement).blur());
      await ask().waitFor({ state: 'hidden' });
      await codeOf('kestrel-setup').focus();
      await ask().waitFor();
      await page.keyboard.press('Control+i');
      await expect.poll(() => reader.get('chip').count()).toBe(1);
      await expect.poll(() => reader.focused()).toBe('docent-input');
      expect(await untouched()).toMatchObject({ isSame: true });
    });

    test('stays in the block while it scrolls, and below a header that stays in place', async () => {
      const lines = Array.from({ length: 80 }, (_, index) => `line ${index} ${'x'.repeat(300)}`);
      host.put(
        '/long',
        host.document(
          `<header style="position:fixed;inset:0 0 auto;height:70px;background:#eee">Kestrel</header><pre style="overflow:auto">${lines.join('\n')}</pre><p style="height:200vh">${host.tag()}</p>`,
        ),
      );
      await visit('long');
      const block = codeOf('line 0');
      await block.hover({ position: { x: 30, y: 30 } });
      await ask().waitFor();
      await expect.poll(() => isWellPlaced('line 0')).toBe('well');
      await block.evaluate((pre) => (pre.scrollLeft = 900));
      await expect.poll(() => isWellPlaced('line 0')).toBe('well');
      await page.mouse.wheel(0, 700);
      await expect.poll(() => page.evaluate(() => scrollY)).toBe(700);
      await expect
        .poll(async () => {
          const y = (await ask().boundingBox())?.y ?? 0;
          return y >= 70 && y < 200;
        })
        .toBe(true);
      await page.mouse.wheel(0, 3_000);
      await expect.poll(() => ask().isVisible()).toBe(false);
      expect((await untouched()).shift).toBe(0);
    });

    test('by touch, with a tap and not with a scroll', async () => {
      await context.close();
      await start({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
      const reader = readerOf(page);
      await visit('docusaurus');
      await codeOf('station({').tap({ position: { x: 30, y: 30 } });
      await ask().waitFor();
      await expect.poll(async () => (await ask().boundingBox())?.height).toBeGreaterThan(43.9);
      await page.getByText('Put this file').tap();
      await expect.poll(() => ask().isVisible()).toBe(false);
      await codeOf('station({').tap({ position: { x: 30, y: 30 } });
      await ask().tap();
      await expect.poll(() => reader.get('chip').count()).toBe(1);
    });

    test('not if the owner has switched it off', async () => {
      await page.clock.install();
      host.put(
        '/off',
        host.document(`<pre>npm install kestrel</pre>${host.tag({ 'data-code': 'false' })}`),
      );
      await visit('off');
      await codeOf('npm').hover();
      await page.locator('#intro').dblclick({ position: { x: 20, y: 8 } });
      await page.getByTestId('docent-ask-selection').waitFor();
      await codeOf('npm').hover();
      await page.clock.fastForward(10_000);
      expect(await ask().isVisible()).toBe(false);
    });
  });

if (chromiumPath === undefined) {
  test('asking about code in a browser', (context) => context.skip(whySkipped));
}
