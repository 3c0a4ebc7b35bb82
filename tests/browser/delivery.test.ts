/** What the widget costs a page and a reader, and whom it talks to. */
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Front, startFront } from '../support/front.ts';
import { chromiumPath, whySkipped } from './browser.ts';
import { readerOf, startWidgetHost, type WidgetHost } from './widget-host.ts';

/** In gzip. The second is held near what it is; it would be too much above 92,000. */
const beforeOpen = 6_000;
const firstAnswer = 81_000;

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
      front.release();
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

    test('before it is opened: little work, and none once the page is at rest', async () => {
      const look = async (url: string) => {
        const other = await page.context().newPage();
        const session = await page.context().newCDPSession(other);
        await session.send('Performance.enable');
        await session.send('Profiler.enable');
        await session.send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
        await other.goto(url, { waitUntil: 'networkidle' });
        /** Calls of functions of the loader since it was last asked. */
        const calls = async () => {
          const { result } = await session.send('Profiler.takePreciseCoverage');
          return result
            .filter((script) => script.url.endsWith('/docent.js'))
            .flatMap((script) => script.functions)
            .reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0);
        };
        const waitForFrames = () =>
          other.evaluate(async () => {
            for (let frame = 0; frame < 30; frame++) await new Promise(requestAnimationFrame);
          });
        // What runs on, such as a timer, would be counted for ever.
        let atStart = 0;
        await expect
          .poll(async () => {
            await waitForFrames();
            const more = await calls();
            atStart += more;
            return more;
          })
          .toBe(0);
        const { metrics } = await session.send('Performance.getMetrics');
        await other.close();
        const metric = (name: string) => metrics.find((each) => each.name === name)?.value ?? 0;
        return { calls: atStart, metric };
      };
      host.put('/bare', host.document(''));
      const bare = await look(`${host.origin}/bare`);
      const ours = await look(`${host.origin}/page`);
      expect(bare.calls).toBe(0);
      expect(ours.calls).toBeGreaterThan(100);
      expect(ours.calls).toBeLessThan(300);
      const more = (name: string) => ours.metric(name) - bare.metric(name);
      // The launcher is laid out once, or twice where it comes between two frames.
      expect(more('LayoutCount')).toBeLessThanOrEqual(2);
      expect(more('RecalcStyleCount')).toBeLessThanOrEqual(3);
      expect(more('Nodes')).toBeLessThanOrEqual(10);
      expect(more('JSEventListeners')).toBeLessThanOrEqual(18);
    });

    test('from the click to a field with the focus: one way to the service and back', async () => {
      const held = front.hold();
      await readerOf(page).launcher().click();
      const waiting = () => held.map(({ path }) => /(\w+)-[\w-]{10}\.js$/.exec(path)?.[1] ?? path);
      await expect.poll(() => waiting().toSorted()).toEqual(['base', 'files', 'panel']);
      for (const { goOn } of held.splice(0)) goOn();
      // Whatever it asks for now has to wait.
      await expect.poll(() => readerOf(page).focused()).toBe('docent-input');
    });

    test('after a pointer has rested on the launcher: none', async () => {
      await readerOf(page).launcher().hover();
      // That the network is idle is also said of the time before.
      const arrived = () =>
        page.evaluate(() =>
          performance
            .getEntriesByType('resource')
            .flatMap(({ name }) => /(\w+)-[\w-]{10}\.js$/.exec(name)?.[1] ?? []),
        );
      await expect
        .poll(arrived)
        .toEqual(expect.arrayContaining(['base', 'files', 'panel']) as string[]);
      front.hold();
      await readerOf(page).launcher().click();
      await expect.poll(() => readerOf(page).focused()).toBe('docent-input');
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
