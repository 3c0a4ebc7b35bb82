/** What the widget costs a page and a reader, and whom it talks to. */
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Front, startFront } from '../support/front.ts';
import { chromiumPath, whySkipped } from './browser.ts';
import { readerOf, startWidgetHost, type WidgetHost } from './widget-host.ts';

/** In gzip. The second is held near what it is; it would be too much above 92,000. */
const beforeOpen = 6_000;
const firstAnswer = 87_000;

if (chromiumPath === undefined) test('delivery', (context) => context.skip(whySkipped));
else
  describe('delivery', () => {
    let host: WidgetHost;
    let front: Front;
    let page: Page;
    let requested: string[];
    beforeAll(async () => {
      host = await startWidgetHost({ answer: ['Run:\n\n```bash\nnpx kestrel install\n```\n'] });
      front = await startFront(() => host.docent.url);
      host.put('/page', host.document(host.tag({ src: `${front.url}/docent.js` })));
    });
    afterAll(async () => {
      await front[Symbol.asyncDispose]();
      await host[Symbol.asyncDispose]();
    });
    beforeEach(async () => {
      const context = await (await host.browser()).newContext();
      page = await context.newPage();
      requested = [];
      page.on('request', (request) => requested.push(request.url()));
      front.seen.length = 0;
      await page.goto(`${host.origin}/page`);
      await readerOf(page).launcher().waitFor();
      return () => context.close();
    });

    const stored = () =>
      page.evaluate(async () => ({
        cookies: document.cookie,
        local: Object.keys(localStorage),
        session: Object.keys(sessionStorage),
        databases: (await indexedDB.databases()).length,
        caches: (await caches.keys()).length,
        workers: (await navigator.serviceWorker.getRegistrations()).length,
        fonts: document.fonts.size,
      }));
    const nothing = {
      cookies: '',
      local: [],
      session: [],
      databases: 0,
      caches: 0,
      workers: 0,
      fonts: 0,
    };
    const isLoaded = () =>
      expect.poll(() => front.seen.join()).toMatch(/\/panel-.*\/files-|\/files-.*\/panel-/s);

    test('before it is opened: one request, a small loader, nothing stored', async () => {
      await page.mouse.move(400, 300);
      await page.waitForLoadState('networkidle');
      expect(front.seen).toEqual(['GET /docent.js']);
      const loader = await (await fetch(`${front.url}/docent.js`)).text();
      expect(gzipSync(loader, { level: 9 }).length).toBeLessThanOrEqual(beforeOpen);
      const sent = await page.evaluate(() =>
        performance
          .getEntriesByType('resource')
          .map((entry) => (entry as PerformanceResourceTiming).encodedBodySize),
      );
      expect(Math.max(...sent)).toBeLessThan(beforeOpen);
      expect(await stored()).toEqual(nothing);
    });

    test('the first answer with coloured code: little, each file once, from the service alone', async () => {
      const reader = readerOf(page);
      await reader.open();
      await reader.input().fill('How do I');
      expect(await stored()).toEqual(nothing);
      await reader.ask('How do I install Kestrel?');
      await reader.isDone();
      await expect.poll(() => page.evaluate(() => CSS.highlights.size)).toBeGreaterThan(0);

      const scripts = front.seen
        .filter((one) => one.endsWith('.js'))
        .map((one) => one.slice('GET '.length));
      expect(scripts).toEqual([...new Set(scripts)]);
      const sizes = await Promise.all(
        scripts.map(
          async (path) =>
            gzipSync(await (await fetch(front.url + path)).text(), { level: 9 }).length,
        ),
      );
      const total = sizes.reduce((sum, size) => sum + size, 0);
      expect(total).toBeGreaterThan(30_000);
      const list = scripts.map((path, at) => `${sizes[at]} ${path}`).join('\n');
      expect(total, list).toBeLessThanOrEqual(firstAnswer);
      // Its own host and the page's: no third one, ever.
      const origins = new Set(requested.map((url) => new URL(url).origin));
      expect([...origins].toSorted()).toEqual([host.origin, front.url].toSorted());
      // Readers are known by what their browser keeps, never by a cookie.
      expect(await page.context().cookies()).toEqual([]);
      expect((await stored()).fonts).toBe(0);
    });

    test.each([
      ['pointed at', () => readerOf(page).launcher().hover()],
      ['reached by keyboard', () => readerOf(page).launcher().focus()],
    ])('the panel is on its way as soon as the launcher is %s', async (_, intend) => {
      await intend();
      await isLoaded();
      expect(await readerOf(page).launcher().getAttribute('aria-expanded')).toBe('false');
      expect(await stored()).toEqual(nothing);
    });
  });
