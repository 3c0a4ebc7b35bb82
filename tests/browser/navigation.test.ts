/** The assistant goes along with its reader: on sites of every kind, from page to page and back. */
import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gate } from '../support/scripted-model.ts';
import { chromiumPath, openBrowser, whySkipped } from './browser.ts';
import { listenersOf } from './listeners.ts';
import { astroRouter, bodySwapRouter, pushStateRouter, turbo } from './routers.ts';
import { collectFaults, readerOf, startWidgetHost, type WidgetHost } from './widget-host.ts';

interface Kind {
  /** The script of the site's router, in the head of each page. */
  router?: string;
  isTagInHead?: boolean;
  attributes?: Record<string, string | null>;
}

const kinds: Record<string, Kind> = {
  'a router that replaces the contents of main': { router: pushStateRouter },
  'Turbo, the tag in the body': { router: turbo },
  'Turbo, the tag in the head': { router: turbo, isTagInHead: true },
  'Turbo, a tag that is not async': { router: turbo, attributes: { async: null } },
  'the swaps of Astro, the tag in the body': { router: astroRouter },
  'the swaps of Astro, the tag in the head': { router: astroRouter, isTagInHead: true },
  'new contents for the body': { router: bodySwapRouter },
  'full page loads': {},
};
const names = ['one', 'two', 'three'];

if (chromiumPath === undefined) test('navigation', (context) => context.skip(whySkipped));
else
  describe('a reader who goes from page to page', () => {
    let host: WidgetHost;
    beforeAll(async () => {
      host = await startWidgetHost({ streamTimeouts: { graceMs: 60_000 } });
      for (const [at, { router, isTagInHead, attributes }] of Object.values(kinds).entries()) {
        const script = `/${at}/router.js`;
        if (router)
          host.put(script, { html: router, headers: { 'content-type': 'text/javascript' } });
        const links = names.map((name) => `<a href="/${at}/${name}">${name}</a>`).join(' ');
        const tag = host.tag(attributes);
        for (const name of names) {
          const html = host
            .document(isTagInHead ? '' : tag, {
              head:
                (router ? `<script src="${script}" defer></script>` : '') +
                (isTagInHead ? tag : ''),
            })
            .replace('</h1>', `</h1><nav id="${name}">${links}</nav>`);
          host.put(`/${at}/${name}`, html);
        }
      }
    });
    afterAll(() => host[Symbol.asyncDispose]());

    const openPage = async (url: string) => {
      const context = await (await host.browser()).newContext();
      const page = await context.newPage();
      const faults = collectFaults(page);
      await page.goto(url);
      const go = async (name: string) => {
        await page.locator('nav').getByText(name, { exact: true }).click();
        await page.locator(`nav#${name}`).waitFor();
      };
      return { page, faults, go, reader: readerOf(page), close: () => context.close() };
    };
    const oneWidget = (page: Page) =>
      expect.poll(() => page.locator('docent-widget').count()).toBe(1);

    test.each(Object.keys(kinds).map((name, at) => [name, at] as const))('%s', async (_, at) => {
      const { page, faults, go, reader, close } = await openPage(`${host.origin}/${at}/one`);
      const asked: Request[] = [];
      page.on('request', (request) => {
        if (request.method() === 'POST' && request.url().endsWith('/message')) asked.push(request);
      });
      await reader.launcher().waitFor();
      // In the middle of an answer: it goes on, and ends as it would have.
      const { wait, open } = gate();
      host.model?.once(['Kestrel measures', { wait }, ' the wind. [1]']);
      await reader.open();
      await reader.ask('What does Kestrel do?');
      await expect.poll(() => reader.answer().textContent()).toContain('Kestrel measures');
      await go('two');
      await oneWidget(page);
      await expect.poll(() => reader.answer().textContent()).toContain('Kestrel measures');
      await reader.panel().waitFor();
      open();
      await reader.isDone();
      await reader.answer().getByText('Kestrel measures the wind.').waitFor();

      // A follow-up is of this page, and of the same conversation.
      await reader.ask('And the rain?');
      await reader.isDone(2);
      const cdp = await page.context().newCDPSession(page);
      const listeners = await listenersOf(cdp);
      // And closed stays closed.
      await reader.get('close').click();
      await go('three');
      await oneWidget(page);
      await reader.launcher().waitFor();
      await expect.poll(() => reader.panel().isVisible()).toBe(false);

      // Back, to a page that may have been kept as it was: what was closed since is closed there too.
      await page.goBack();
      await page.locator('nav#two').waitFor();
      await oneWidget(page);
      await reader.launcher().waitFor();
      await expect.poll(() => reader.panel().isVisible()).toBe(false);
      await page.goBack();
      await page.locator('nav#one').waitFor();
      await page.goForward();
      await page.locator('nav#two').waitFor();
      await go('three');
      await oneWidget(page);

      // Who listens twice would close again what he opened.
      await page.keyboard.press('Control+i');
      await reader.input().waitFor();
      await expect.poll(() => reader.get('question').count()).toBe(2);
      await reader.ask('And the snow?');
      await reader.isDone(3);
      const bodies = asked.map((request) => request.postDataJSON());
      expect(bodies.map(({ currentPath }) => currentPath)).toEqual([
        `/${at}/one`,
        `/${at}/two`,
        `/${at}/three`,
      ]);
      const [first, second, third] = bodies.map(({ threadId }) => threadId);
      expect(first).toBeUndefined();
      expect(second).toMatch(/./);
      expect(third).toBe(second);
      expect(await page.locator('docent-widget').count()).toBe(1);
      await expect.poll(() => listenersOf(cdp)).toEqual(listeners);
      expect(faults).toEqual([]);

      await page.evaluate(() => window.Docent?.('destroy'));
      await expect.poll(() => page.locator('docent-widget').count()).toBe(0);
      expect(await page.evaluate(() => 'Docent' in window)).toBe(false);
      await close();
    });

    test('back to pages that the browser has kept as they were', async () => {
      const browser = await openBrowser({ keepsPages: true });
      const page = await browser.newPage();
      const faults = collectFaults(page);
      const reader = readerOf(page);
      const at = Object.keys(kinds).indexOf('full page loads');
      const isOn = (name: string) => page.locator(`nav#${name}`).waitFor();
      const go = async (name: string) => {
        await page.locator('nav').getByText(name, { exact: true }).click();
        await isOn(name);
        await page.evaluate(() => {
          addEventListener('pageshow', ({ persisted }) => Object.assign(window, { persisted }));
        });
      };
      const travel = async (by: -1 | 1, name: string) => {
        await page.evaluate((steps) => void setTimeout(() => history.go(steps)), by);
        await isOn(name);
        await expect
          .poll(() => page.evaluate(() => 'persisted' in window && window.persisted))
          .toBe(true);
      };
      const isOpen = (is: boolean) => expect.poll(() => reader.panel().isVisible()).toBe(is);
      await page.goto(`${host.origin}/${at}/three`);
      await go('one');
      await reader.launcher().waitFor();
      await go('two');
      await reader.open();
      await reader.ask('What does Kestrel do?');
      await reader.isDone();

      // Never opened there, but it is open by now; and what is closed there is closed here.
      await travel(-1, 'one');
      await isOpen(true);
      await reader.isDone();
      await reader.ask('And the rain?');
      await reader.isDone(2);
      await reader.get('close').click();
      await travel(1, 'two');
      await isOpen(false);
      await page.keyboard.press('Control+i');
      await isOpen(true);
      await reader.isDone(2);
      await travel(-1, 'one');
      await isOpen(true);
      await oneWidget(page);
      expect(faults).toEqual([]);
      await browser.close();
    });
  });
