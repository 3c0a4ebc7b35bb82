/** The panel on a telephone: a screen of its own, over a page that stays where it was. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { chromiumPath, whySkipped } from './browser.ts';
import { collectFaults, readerOf, startWidgetHost, type WidgetHost } from './widget-host.ts';

const answer = ['See [the guide](/routed-guide).'];
const viewport = { width: 390, height: 844 };
const long = Array.from({ length: 40 }, (_, index) => `<p>Wind of day ${index}.</p>`).join('');
/** What an application does that draws its pages itself, and tells of each visit as analytics do. */
const router = `<script>
  window.routed = [];
  const show = () => routed.push(location.pathname + ' ' + JSON.stringify(history.state));
  const own = history.pushState;
  history.pushState = function (...entry) { own.apply(this, entry); routed.push('pushed'); };
  addEventListener('popstate', show);
  document.addEventListener('click', (event) => {
    const link = event.composedPath().find(({ tagName }) => tagName === 'A');
    if (!link || event.defaultPrevented) return;
    event.preventDefault();
    history.pushState({ page: link.pathname }, '', link.href);
    show();
  });
  history.replaceState({ page: 'first' }, '');
</script>`;

if (chromiumPath === undefined) test('a telephone', (context) => context.skip(whySkipped));
else
  describe('a telephone', () => {
    let host: WidgetHost;
    let context: BrowserContext;
    let page: Page;
    let reader: ReturnType<typeof readerOf>;
    let faults: string[];
    beforeAll(async () => {
      host = await startWidgetHost({ answer });
    });
    afterAll(() => host[Symbol.asyncDispose]());
    beforeEach(async () => {
      const browser = await host.browser();
      context = await browser.newContext({ viewport, hasTouch: true, isMobile: true });
      page = await context.newPage();
      reader = readerOf(page);
      faults = collectFaults(page);
    });
    afterEach(async () => {
      await context.close();
      expect(faults).toEqual([]);
    });

    const path = (name: string, body = long, attributes = {}) =>
      host.put(name, host.document(`${body}${host.tag(attributes)}`));
    const routed = () =>
      page.evaluate(() => (window as unknown as { routed: string[] }).routed ?? []);
    const isOpen = () => reader.panel().isVisible();

    test('a table of three columns fits, and one of many scrolls', async () => {
      const rows = [
        '`server.shutdownGraceSeconds`',
        'none',
        'How long the service waits for answers',
      ];
      const table = (cells: string[]) =>
        [cells, cells.map(() => '---'), cells].map((row) => `| ${row.join(' | ')} |`).join('\n');
      host.model?.reply([`${table(rows)}\n\n${table([...rows, ...rows])}`]);
      await page.goto(path('/tables'));
      await reader.open();
      await reader.ask('Which settings are there?');
      await reader.isDone();
      const overflow = () =>
        reader
          .answer()
          .locator('.table')
          .evaluateAll((tables) =>
            tables.map(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth),
          );
      await expect.poll(overflow).toEqual([false, true]);
      host.model?.reply(answer);
    });

    test.each(['bubble', 'sidebar', 'modal'])(
      '%s fills the screen; targets are as large as fingers, text as the browser wants it',
      async (layout) => {
        await page.goto(path(`/${layout}`, long, { 'data-layout': layout }));
        await expect
          .poll(async () => (await reader.launcher().boundingBox())?.height)
          .toBeGreaterThanOrEqual(44);
        await reader.open();
        await expect.poll(() => reader.panel().boundingBox()).toEqual({ x: 0, y: 0, ...viewport });
        const fontSize = await reader.input().evaluate((input) => getComputedStyle(input).fontSize);
        expect(Number.parseFloat(fontSize)).toBeGreaterThanOrEqual(16);
        await reader.ask('How do I install Kestrel?');
        await reader.isDone();
        const small = () =>
          page.evaluate(() => {
            const shadow = document.querySelector('docent-widget')?.shadowRoot;
            const targets = shadow?.querySelectorAll<HTMLElement>(
              'button, summary, a.source, input',
            );
            return [...(targets ?? [])].flatMap((target) => {
              const { width, height } = target.getBoundingClientRect();
              const isSeen = width > 0 && target.checkVisibility();
              return isSeen && (width < 44 || height < 44)
                ? `${target.dataset['testid'] ?? target.className} ${width}x${height}`
                : [];
            });
          });
        await expect.poll(small).toEqual([]);
      },
    );

    test('it stays above the keyboard', async () => {
      await page.goto(path('/keyboard'));
      await reader.open();
      // As a keyboard does: less can be seen, the page keeps its size.
      await page.evaluate(() => {
        const view = window.visualViewport;
        if (!view) return;
        Object.defineProperty(view, 'height', { value: 500, configurable: true });
        Object.defineProperty(view, 'offsetTop', { value: 12, configurable: true });
        view.dispatchEvent(new Event('resize'));
      });
      await expect
        .poll(() => reader.panel().boundingBox())
        .toEqual({ x: 0, y: 12, width: 390, height: 500 });
      await expect
        .poll(async () => {
          const input = await reader.input().boundingBox();
          return (input?.y ?? Infinity) + (input?.height ?? 0);
        })
        .toBeLessThan(512);
    });

    test('the page behind does not scroll, and does again afterwards', async () => {
      await page.goto(path('/behind'));
      await reader.open();
      for (const y of [30, 400, 800]) {
        await page.mouse.move(195, y);
        await page.mouse.wheel(0, 400);
      }
      await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
      );
      expect(await page.evaluate(() => scrollY)).toBe(0);
      await reader.get('close').click();
      await page.mouse.move(195, 400);
      await page.mouse.wheel(0, 400);
      await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(0);
    });

    test('back closes it, and once more leaves the page', async () => {
      await page.goto(path('/before'));
      await page.goto(path('/here'));
      await reader.open();
      await page.evaluate(() => history.back());
      await expect.poll(isOpen).toBe(false);
      expect(new URL(page.url()).pathname).toBe('/here');
      await expect.poll(() => reader.focused()).toBe('docent-launcher');
      await page.goBack();
      expect(new URL(page.url()).pathname).toBe('/before');
    });

    test('closed in another way, no step is left behind', async () => {
      await page.goto(path('/before'));
      await page.goto(path('/here'));
      for (let time = 0; time < 3; time++) {
        await reader.open();
        await reader.get('close').click();
        await expect.poll(() => page.evaluate(() => history.state)).toBeNull();
      }
      await page.goBack();
      expect(new URL(page.url()).pathname).toBe('/before');
    });

    test('closed by its owner or destroyed, the state is the page’s own', async () => {
      await page.goto(path('/own'));
      await page.evaluate(() => history.replaceState({ own: 1 }, ''));
      await reader.open();
      const state = () => page.evaluate(() => history.state);
      await expect.poll(state).toEqual({ own: 1, docentPanel: true });
      await page.evaluate(`Docent('destroy')`);
      await expect.poll(state).toEqual({ own: 1 });
    });

    test('a router of the page sees its own addresses and states only, and counts no visit', async () => {
      const next = `<a id="next" href="/routed-next">Next</a>`;
      await page.goto(path('/routed', next + long + router));
      await page.locator('#next').click();
      const visited = ['pushed', '/routed-next {"page":"/routed-next"}'];
      await expect.poll(routed).toEqual(visited);
      await reader.open();
      await page.evaluate(() => history.back());
      await expect.poll(isOpen).toBe(false);
      await reader.open();
      await reader.get('close').click();
      await expect.poll(() => page.evaluate(() => history.state)).toEqual({ page: '/routed-next' });
      // Each step back is one to where it is already.
      const here = '/routed-next {"page":"/routed-next"}';
      await expect.poll(routed).toEqual([...visited, here, here]);
      await page.evaluate(() => history.back());
      await expect.poll(routed).toEqual([...visited, here, here, '/routed {"page":"first"}']);
    });

    test('a link of an answer leads to its page, and back from there to this one', async () => {
      await page.goto(path('/routed', long + router));
      await reader.open();
      await reader.ask('How do I install Kestrel?');
      await reader.isDone();
      await reader.answer().getByText('the guide').click();
      await expect.poll(isOpen).toBe(false);
      await expect
        .poll(routed)
        .toEqual(['/routed {"page":"first"}', 'pushed', '/routed-guide {"page":"/routed-guide"}']);
      await page.evaluate(() => history.back());
      await expect.poll(() => page.evaluate(() => history.state)).toEqual({ page: 'first' });
    });
  });
