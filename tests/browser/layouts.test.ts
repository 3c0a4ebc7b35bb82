/** Where the panel is on a page, and that the page is as before when it is gone. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, whySkipped } from './browser.ts';
import { collectFaults, readerOf, startWidgetHost, type WidgetHost } from './widget-host.ts';

const width = 1280;
const height = 800;
const long = Array.from({ length: 40 }, (_, index) => `<p>Wind of day ${index}.</p>`).join('');

if (chromiumPath === undefined) test('layouts', (context) => context.skip(whySkipped));
else
  describe('layouts', () => {
    let host: WidgetHost;
    let page: Page;
    let faults: string[];
    beforeAll(async () => {
      host = await startWidgetHost();
    });
    afterAll(() => host[Symbol.asyncDispose]());
    afterEach(async () => {
      await page.close();
      expect(faults).toEqual([]);
    });

    /** A long page with the widget; `body` comes before its tag. */
    async function open(attributes: Record<string, string>, options: Partial<Options> = {}) {
      const { body = long, head = '', media = {} } = options;
      page = await (await host.browser()).newPage({ viewport: { width, height } });
      faults = collectFaults(page);
      await page.emulateMedia(media);
      const html = host.document(`${body}${host.tag(attributes)}`, { head });
      await page.goto(host.put(`/${crypto.randomUUID()}`, html));
      return readerOf(page);
    }
    /** What a page could notice of us. */
    const pageState = () =>
      page.evaluate(() => ({
        attributes: [document.documentElement, document.body].flatMap((element) =>
          element.getAttributeNames().map((name) => `${name}=${element.getAttribute(name)}`),
        ),
        sheets: document.adoptedStyleSheets.length,
        left: document.documentElement.getBoundingClientRect().left,
        width: document.body.getBoundingClientRect().width,
        head: document.head.innerHTML,
        overflow: getComputedStyle(document.documentElement).overflow,
      }));
    /** It comes in with a short motion. */
    const stands = () =>
      page.waitForFunction(
        () =>
          document.querySelector('docent-widget')?.shadowRoot?.getAnimations().length === 0 &&
          document.getAnimations().length === 0,
      );

    describe.each([
      ['bubble', 'right', { x: width - 20 - 420, y: height - 20 - 680, width: 420, height: 680 }],
      ['bubble', 'left', { x: 20, y: height - 20 - 680, width: 420, height: 680 }],
      ['sidebar', 'right', { x: width - 400, y: 0, width: 400, height }],
      ['sidebar', 'left', { x: 0, y: 0, width: 400, height }],
      ['modal', 'right', { x: (width - 760) / 2, y: (height - 680) / 2, width: 760, height: 680 }],
    ])('%s, %s', (layout, position, box) => {
      test('is where it belongs; Escape closes it, the focus goes back, the page is as it was', async () => {
        const reader = await open(
          { 'data-layout': layout, 'data-position': position },
          { media: { reducedMotion: 'no-preference' } },
        );
        await reader.launcher().waitFor();
        const before = await pageState();
        await reader.open();
        await stands();
        await expect.poll(() => reader.panel().boundingBox()).toEqual(box);
        await expect.poll(reader.focused).toBe('docent-input');
        await page.keyboard.press('Escape');
        await expect.poll(() => reader.panel().isVisible()).toBe(false);
        await expect.poll(() => reader.focused()).toBe('docent-launcher');
        await expect.poll(pageState).toEqual(before);
        // From a link of the page that calls the API: back to that link.
        await page.evaluate(() => {
          const button = document.createElement('button');
          button.dataset['testid'] = 'own';
          document.querySelector('main')?.append(button);
          button.focus();
        });
        await page.evaluate(`Docent('open')`);
        await expect.poll(reader.focused).toBe('docent-input');
        await reader.get('close').click();
        await expect.poll(reader.focused).toBe('own');
      });
    });

    test('a sidebar moves the page aside only where the owner says so', async () => {
      const reader = await open({ 'data-layout': 'sidebar' });
      await reader.launcher().waitFor();
      const { width: whole } = await pageState();
      await reader.open();
      await stands();
      expect((await pageState()).width).toBe(whole);
      await page.close();

      const pushed = await open({ 'data-layout': 'sidebar', 'data-push': '' });
      await pushed.launcher().waitFor();
      const before = await pageState();
      await pushed.open();
      // Away from the panel: it stands at the right, so the page begins where it began.
      await expect.poll(pageState).toMatchObject({ left: 0, width: whole - 400 });
      await page.evaluate(`Docent('update', { position: 'left' })`);
      await expect.poll(pageState).toMatchObject({ left: 400, width: whole - 400 });
      await page.evaluate(`Docent('update', { position: 'right' })`);
      await expect.poll(pageState).toMatchObject({ left: 0, width: whole - 400 });
      const fixed = () =>
        page.evaluate(() =>
          getComputedStyle(document.documentElement).getPropertyValue('--docent-pushed'),
        );
      await expect.poll(fixed).toBe('400px');
      await pushed.get('menu').click();
      await pushed.get('menu-widen').click();
      await expect.poll(async () => (await pageState()).width).toBe(whole - 560);
      // Where a page beside it would be too narrow, it lies above.
      await page.setViewportSize({ width: 1000, height });
      await expect.poll(async () => (await pageState()).width).toBe(1000 - (width - whole));
      await page.setViewportSize({ width, height });
      await expect.poll(async () => (await pageState()).width).toBe(whole - 560);
      await page.evaluate(`Docent('destroy')`);
      await expect.poll(pageState).toEqual(before);
      await expect.poll(() => page.locator('docent-widget').count()).toBe(0);
    });

    test.each(['Tab', 'Shift+Tab'])('%s stays in a modal, and leaves a sidebar', async (key) => {
      const reader = await open({ 'data-layout': 'modal' });
      await reader.open();
      const seen = async () => {
        await page.evaluate(() => {
          const names = new Set<string>();
          Object.assign(window, { names });
          document.addEventListener('keyup', () =>
            names.add(document.activeElement?.tagName ?? ''),
          );
        });
        for (let press = 0; press < 40; press++) await page.keyboard.press(key);
        return page.evaluate(() => [...(window as unknown as { names: Set<string> }).names]);
      };
      expect(await seen()).toEqual(['DOCENT-WIDGET']);
      await page.close();
      const sidebar = await open(
        { 'data-layout': 'sidebar' },
        { body: `<a href="#install">Install</a>${long}` },
      );
      await sidebar.open();
      expect(await seen()).toContain('A');
    });

    test('behind a modal nothing scrolls; a press beside it closes it', async () => {
      const reader = await open({ 'data-layout': 'modal' });
      await reader.open();
      await page.mouse.move(40, 400);
      await page.mouse.wheel(0, 300);
      await page.mouse.move(640, 80);
      await page.mouse.wheel(0, 300);
      await page.keyboard.press('PageDown');
      // The wheel is heard by a frame to come.
      await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
      );
      expect(await page.evaluate(() => scrollY)).toBe(0);
      await page.mouse.click(40, 400);
      await expect.poll(() => reader.panel().isVisible()).toBe(false);
      await page.mouse.wheel(0, 250);
      // By this alone: what was turned before was not put off until now.
      await expect.poll(() => page.evaluate(() => scrollY)).toBe(250);
    });

    test('inline is a part of the page: no launcher, no close, no dialog', async () => {
      const reader = await open(
        { 'data-layout': 'inline', 'data-target': '#place' },
        { body: `<div id="place"></div>${long}` },
      );
      await reader.input().waitFor();
      const boxes = () =>
        Promise.all([page.locator('#place').boundingBox(), reader.panel().boundingBox()]);
      await expect
        .poll(async () => {
          const [place, box] = await boxes();
          return [
            box?.x === place?.x,
            box?.y === place?.y,
            box?.width === place?.width,
            box?.height,
          ];
        })
        .toEqual([true, true, true, 680]);
      expect(await reader.launcher().isVisible()).toBe(false);
      expect(await reader.get('close').count()).toBe(0);
      expect(await page.getByRole('dialog').count()).toBe(0);
      await expect.poll(() => reader.focused()).toBe('BODY');
      await reader.ask('How do I install Kestrel?');
      await reader.isDone();
      await page.keyboard.press('Escape');
      expect(await reader.panel().isVisible()).toBe(true);
    });

    test('the menu: by its button, by keys, and Escape closes nothing else', async () => {
      const reader = await open({});
      await reader.open();
      await reader.get('menu').focus();
      await page.keyboard.press('ArrowDown');
      await expect.poll(reader.focused).toMatch(/^docent-menu-/);
      const first = await reader.focused();
      await page.keyboard.press('End');
      await expect.poll(reader.focused).not.toBe(first);
      const last = await reader.focused();
      await page.keyboard.press('ArrowDown');
      await expect.poll(() => reader.focused()).toBe(first);
      await page.keyboard.press('ArrowUp');
      await expect.poll(() => reader.focused()).toBe(last);
      await page.keyboard.press('l');
      await expect.poll(() => reader.focused()).toBe('docent-menu-widen');
      await page.keyboard.press('Escape');
      await expect.poll(() => reader.focused()).toBe('docent-menu');
      await expect.poll(() => page.getByRole('menu').count()).toBe(0);
      expect(await reader.panel().isVisible()).toBe(true);
      await page.keyboard.press('Enter');
      await expect.poll(() => page.getByRole('menu').count()).toBe(1);
      await page.mouse.click(100, 100);
      await expect.poll(() => page.getByRole('menu').count()).toBe(0);
      await page.keyboard.press('Control+i');
      await expect.poll(() => reader.panel().isVisible()).toBe(false);
    });

    test('print shows nothing of it, open or closed', async () => {
      const reader = await open({ 'data-layout': 'sidebar', 'data-push': '' });
      await reader.open();
      await page.emulateMedia({ media: 'print' });
      await expect.poll(() => reader.panel().isVisible()).toBe(false);
      await expect.poll(async () => (await pageState()).width).toBe(width - 16);
      await page.emulateMedia({ media: 'screen' });
      await page.keyboard.press('Escape');
      await page.emulateMedia({ media: 'print' });
      await expect.poll(() => reader.launcher().isVisible()).toBe(false);
    });

    test.each([
      ['a bar', '<div id="bar" style="height:90px"></div>', 90],
      ['a card', '<div id="bar" style="height:120px;bottom:16px;right:16px;left:auto"></div>', 136],
    ])('%s at the bottom is not covered, also when it comes late', async (_name, bar, top) => {
      const reader = await open(
        {},
        {
          head: '<style>#bar{position:fixed;bottom:0;left:0;right:0;width:500px;margin-left:auto;background:#ddd}</style>',
        },
      );
      const bottom = async () => {
        const box = await reader.launcher().boundingBox();
        return height - (box?.y ?? 0) - (box?.height ?? 0);
      };
      await reader.launcher().waitFor();
      await expect.poll(bottom).toBe(20);
      await page.evaluate((html) => document.body.insertAdjacentHTML('beforeend', html), bar);
      await expect.poll(bottom).toBe(20 + top);
      await reader.open();
      await stands();
      const end = async () => {
        const box = await reader.panel().boundingBox();
        return (box?.y ?? 0) + (box?.height ?? 0);
      };
      await expect.poll(end).toBe(height - 20 - top);
      await page.keyboard.press('Escape');
      await page.evaluate(() => document.querySelector('#bar')?.remove());
      await expect.poll(bottom).toBe(20);
    });

    test('a banner in a shadow root counts, what is beside the launcher does not', async () => {
      const reader = await open({});
      await reader.launcher().waitFor();
      await page.evaluate(() => {
        const left = document.createElement('div');
        left.style.cssText = 'position:fixed;bottom:0;left:0;width:300px;height:200px';
        const tool = document.createElement('div');
        tool.attachShadow({ mode: 'open' }).innerHTML =
          '<div style="position:fixed;bottom:0;left:0;right:0;height:70px">We use cookies</div>';
        document.body.append(left, tool);
      });
      await expect.poll(async () => (await reader.launcher().boundingBox())?.y).toBe(800 - 44 - 90);
    });

    test.each([640, 320])(
      'enlarged until %i px are left, nothing scrolls sideways',
      async (wide) => {
        const reader = await open({});
        await page.setViewportSize({ width: wide, height: 430 });
        await reader.open();
        await reader.ask('How do I install Kestrel?');
        await reader.isDone();
        const over = () =>
          page.evaluate(() => {
            const shadow = document.querySelector('docent-widget')?.shadowRoot;
            const scrolls = [...(shadow?.querySelectorAll('*') ?? [])].filter(
              (element) =>
                element.scrollWidth > element.clientWidth + 1 &&
                /auto|scroll/.test(getComputedStyle(element).overflowX),
            );
            return [
              document.documentElement.scrollWidth - innerWidth,
              ...scrolls.map((element) => element.className),
            ];
          });
        await expect.poll(over).toEqual([0]);
      },
    );

    test('less motion: nothing moves, in any state', async () => {
      const reader = await open({ 'data-layout': 'modal' }, { media: { reducedMotion: 'reduce' } });
      const moving = () =>
        page.evaluate(() =>
          document
            .getAnimations()
            .concat(document.querySelector('docent-widget')?.shadowRoot?.getAnimations() ?? [])
            .map((animation) => animation.effect?.getComputedTiming().duration),
        );
      await reader.launcher().hover();
      expect(await moving()).toEqual([]);
      await reader.open();
      expect(await moving()).toEqual([]);
      await reader.get('close').hover();
      await reader.ask('How do I install Kestrel?');
      expect(await moving()).toEqual([]);
      await reader.isDone();
      expect(await moving()).toEqual([]);
    });

    test('forced colours: edges and the focus can be seen', async () => {
      const reader = await open({}, { media: { forcedColors: 'active' } });
      await reader.launcher().waitFor();
      const edges = (name: string) =>
        reader.get(name).evaluate((element) => {
          const { borderTopWidth, borderTopColor, backgroundColor, outlineStyle, outlineWidth } =
            getComputedStyle(element);
          return {
            hasEdge: borderTopWidth === '1px' && borderTopColor !== backgroundColor,
            hasRing: outlineStyle === 'solid' && outlineWidth === '2px',
          };
        });
      await expect.poll(() => edges('launcher')).toMatchObject({ hasEdge: true });
      await page.keyboard.press('Tab');
      await reader.launcher().focus();
      await expect.poll(() => edges('launcher')).toMatchObject({ hasRing: true });
      await page.keyboard.press('Enter');
      await reader.input().waitFor();
      await expect.poll(() => edges('panel')).toMatchObject({ hasEdge: true });
      await page.keyboard.press('Shift+Tab');
      for (const name of ['close', 'menu']) {
        await reader.get(name).focus();
        await expect
          .poll(async () => [name, await edges(name)])
          .toEqual([name, { hasEdge: true, hasRing: true }]);
      }
    });
  });

interface Options {
  body: string;
  head: string;
  media: Parameters<Page['emulateMedia']>[0];
}
