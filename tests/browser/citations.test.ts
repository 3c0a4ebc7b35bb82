/** A citation that lands: the page it leads to, the words on it, and the conversation beside it. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { chromiumPath, whySkipped } from './browser.ts';
import { kestrel } from '../support/fixture.ts';
import { hashRouter } from './routers.ts';
import { collectFaults, readerOf, startWidgetHost, type WidgetHost } from './widget-host.ts';

const question = 'uninstall remove readings';
const answer = 'Run `kestrel-setup remove`. What was sent already stays on the server. [1]';
const words = 'The readings that were already sent stay on the server.';

const filler = (name: string) =>
  Array.from(
    { length: 30 },
    (_, index) => `<p>${name} ${index} is not what this is about.</p>`,
  ).join('');

/** The page as a generator makes it: curly quotes, marks of its own, a header that stays in place. */
const install = `<header style="position:sticky;top:0;height:64px;background:#eee">Kestrel</header>
<main><h1 id="install-kestrel">Install Kestrel</h1>${filler('Installing')}
<h2 id="uninstall">Uninstall <a class="headerlink" href="#uninstall">¶</a></h2>
<p>Run <code>kestrel-setup remove</code>. The <em>readings</em> that were already
  sent stay on the&nbsp;server.</p>
${filler('More')}<h2 id="after">Afterwards</h2>${filler('After')}</main>`;

if (chromiumPath !== undefined)
  describe('a citation', () => {
    let host: WidgetHost;
    let context: BrowserContext;
    let page: Page;
    let faults: string[];

    beforeAll(async () => {
      host = await startWidgetHost({
        isDocs: true,
        answer: [answer],
        sites: { 'kestrel-blog': { docs: kestrel.docs } },
        routed: { domain: 'osprey-docs', path: '/book/' },
      });
      host.put('/start');
      host.put('/install', host.document(install + host.tag()));
    });
    afterAll(() => host?.[Symbol.asyncDispose]());
    const start = async (options: object = {}) => {
      context = await (
        await host.browser()
      ).newContext({ viewport: { width: 1280, height: 800 }, ...options });
      page = await context.newPage();
      faults = collectFaults(page);
    };
    beforeEach(() => start());
    afterEach(async () => {
      await context.close();
      expect(faults).toEqual([]);
    });

    const ask = async (path: string) => {
      const reader = readerOf(page);
      await page.goto(host.origin + path);
      await reader.open();
      await reader.ask(question);
      await reader.isDone();
      return reader;
    };
    const cite = () => page.getByTestId('docent-cite').first();
    const marked = () =>
      page.evaluate(() =>
        [...(CSS.highlights.get('docent-cited') ?? [])].map((range) =>
          (range as Range).toString().replace(/\s+/g, ' '),
        ),
      );
    const isMarked = () => expect.poll(marked).toEqual([words]);
    /** Where the heading and the words are, and whether anything covers the words. */
    const seen = () =>
      page.evaluate(() => {
        const [range] = CSS.highlights.get('docent-cited') ?? [];
        const box = (range as Range).getClientRects()[0];
        const heading = document.querySelector('#uninstall')?.getBoundingClientRect();
        const top = box && document.elementFromPoint(box.left + 3, box.top + box.height / 2);
        return {
          areWordsSeen: !!top?.closest('main p') && (box?.bottom ?? 1e9) <= innerHeight,
          isHeadingSeen: !!heading && heading.bottom > 0 && heading.top < innerHeight,
        };
      });

    test('leads to another page: its words are marked, the conversation is still there', async () => {
      const reader = await ask('/start');
      await cite().click();
      await page.waitForURL(`${host.origin}/install#uninstall`);
      await isMarked();
      await expect.poll(seen).toEqual({ areWordsSeen: true, isHeadingSeen: true });
      await expect.poll(() => reader.get('question').count()).toBe(1);
      await reader.answer().getByText('kestrel-setup remove').waitFor();

      // Painted by the browser: no element is changed, and the one style goes with the next press.
      const left = () =>
        page.evaluate(() => ({
          elements: document.querySelectorAll('mark, [style*="background"]:not(header)').length,
          sheets: document.adoptedStyleSheets.length,
          highlights: CSS.highlights.has('docent-cited'),
          kept: sessionStorage.getItem('docent:kestrel-docs:cited'),
        }));
      await expect.poll(left).toMatchObject({ elements: 0, highlights: true, kept: null });
      await page
        .locator('main')
        .last()
        .click({ position: { x: 5, y: 5 } });
      await expect.poll(left).toEqual({ elements: 0, sheets: 0, highlights: false, kept: null });

      await page.reload();
      await expect.poll(() => reader.get('question').count()).toBe(1);
      // What was followed is not kept, so nothing is left to be marked.
      expect(await left()).toMatchObject({ highlights: false, kept: null });
    });

    test('on the same page scrolls there, and the conversation continues', async () => {
      await ask('/install');
      await page.evaluate(() => Object.assign(window, { isSame: true }));
      await cite().click();
      await isMarked();
      await expect.poll(seen).toEqual({ areWordsSeen: true, isHeadingSeen: true });
      // Once more, from somewhere else on the page.
      await page.evaluate(() => scrollTo(0, 0));
      await cite().click();
      await expect
        .poll(() => seen().catch(() => undefined))
        .toEqual({ areWordsSeen: true, isHeadingSeen: true });
      expect(await page.evaluate(() => 'isSame' in window)).toBe(true);
    });

    test('from the list of sources marks the claims with its number', async () => {
      const reader = await ask('/start');
      await reader.get('source').first().click();
      await page.waitForURL(`${host.origin}/install#uninstall`);
      await isMarked();
    });

    test('is waited for where the router of the page brings it', async () => {
      host.put(
        '/router',
        host.document(`<main id="view">${filler('Start')}</main><script>
          document.addEventListener('click', (event) => {
            const link = event.composedPath().find((node) => node.localName === 'a');
            if (!link) return;
            event.preventDefault();
            history.pushState({}, '', link.href);
            document.querySelector('#view').textContent = 'Loading';
            setTimeout(() => { document.querySelector('#view').innerHTML = ${JSON.stringify(install).replaceAll('</', '<\\/')}; }, 400);
          });
        </script>${host.tag()}`),
      );
      await ask('/router');
      await cite().click();
      await isMarked();
      expect(new URL(page.url()).pathname).toBe('/install');
      await expect.poll(seen).toEqual({ areWordsSeen: true, isHeadingSeen: true });
    });

    test('is followed where a router keeps the pages behind #, as are the paths of its pages', async () => {
      const { token } = await host.docent.keys.create({
        kind: 'assistant',
        organization: 'osprey',
        domain: 'osprey-docs',
        name: 'routed',
      });
      const pages = {
        '/start': filler('Start'),
        '/install': install,
        '/legal/terms': '<p>Terms</p>',
      };
      const templates = Object.entries(pages).map(
        ([path, html]) => `<template data-path="${path}">${html}</template>`,
      );
      const attributes = {
        'data-site': 'osprey-docs',
        'data-key': token,
        'data-hide-on': '/legal/*',
      };
      host.put(
        '/book/',
        host.document(
          `<div id="view"></div>${templates.join('')}<script>${hashRouter}</script>${host.tag(attributes)}`,
        ),
      );
      const paths: unknown[] = [];
      page.on('request', (request) => {
        if (request.url().endsWith('/message')) paths.push(request.postDataJSON().currentPath);
      });
      const reader = await ask('/book/#/start');
      expect(paths).toEqual(['/book/#/start']);
      await cite().click();
      await page.waitForURL(`${host.origin}/book/#/install?id=uninstall`);
      await isMarked();
      await expect.poll(seen).toEqual({ areWordsSeen: true, isHeadingSeen: true });
      await reader.ask(question);
      await reader.isDone(2);
      expect(paths[1]).toBe('/book/#/install');
      // It is kept as the page that the documentation knows, not as this router spells it.
      const turns = await host.docent.docent.services.database
        .selectFrom('turns')
        .innerJoin('threads', 'threads.id', 'turns.thread_id')
        .where('threads.domain', '=', 'osprey-docs')
        .select('asked_on')
        .orderBy('turns.id')
        .execute();
      expect(turns.map((turn) => turn.asked_on)).toEqual(['/start', '/install']);

      await page.evaluate(() => (location.hash = '#/legal/terms'));
      await expect.poll(() => page.locator('docent-widget').count()).toBe(0);
      await page.goBack();
      await reader.launcher().waitFor();
    });

    test('on a phone gives way to the page, where its words are marked', async () => {
      await context.close();
      await start({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
      const reader = await ask('/start');
      await cite().tap();
      await page.waitForURL(`${host.origin}/install#uninstall`);
      await isMarked();
      await expect.poll(seen).toMatchObject({ areWordsSeen: true });
      await expect.poll(() => reader.panel().isVisible()).toBe(false);
      await reader.launcher().tap();
      await expect.poll(() => reader.get('question').count()).toBe(1);
    });

    test('says what stands behind it, to a pointer and to the keyboard, and moves nothing', async () => {
      const reader = await ask('/start');
      // Layout, not what is drawn: the panel may still be scaled by its opening animation.
      const height = () => reader.answer().evaluate((node) => (node as HTMLElement).offsetHeight);
      const before = await height();
      await cite().hover();
      const card = reader.get('card');
      await expect.poll(() => card.isVisible()).toBe(true);
      await expect
        .poll(() => card.textContent())
        .toBe(`Install Kestrel › Uninstall/install#uninstall${words}`);
      expect(await height()).toBe(before);
      await reader.input().hover();
      await expect.poll(() => card.isVisible()).toBe(false);

      await reader.input().focus();
      for (let count = 0; count < 12 && (await reader.focused()) !== 'docent-cite'; count++)
        await page.keyboard.press('Shift+Tab');
      await expect.poll(() => card.isVisible()).toBe(true);
      await expect.poll(() => cite().getAttribute('aria-describedby')).toBe('docent-card');
      // The first Escape is the card's, the next one the panel's.
      await page.keyboard.press('Escape');
      await expect.poll(() => card.isVisible()).toBe(false);
      expect(await reader.panel().isVisible()).toBe(true);
      await page.keyboard.press('Escape');
      await expect.poll(() => reader.panel().isVisible()).toBe(false);
    });

    test('fades by itself', async () => {
      await context.close();
      await start({ reducedMotion: 'no-preference' });
      await page.clock.install();
      await ask('/install');
      await cite().click();
      await page.clock.runFor(1_000);
      await isMarked();
      await page.clock.runFor(10_000);
      await expect.poll(marked).toEqual([]);
      await expect.poll(() => page.evaluate(() => document.adoptedStyleSheets.length)).toBe(0);
    });

    test('to documentation on another site opens it in a tab, with words for the browser to mark', async () => {
      const { token } = await host.docent.keys.create({
        kind: 'assistant',
        organization: 'kestrel',
        domain: 'kestrel-blog',
        name: 'elsewhere',
      });
      const tag = host.tag({ 'data-site': 'kestrel-blog', 'data-key': token });
      host.put('/blog', host.document(tag));
      await context.route('https://docs.kestrel.example/**', (route) =>
        route.fulfill({ contentType: 'text/html', body: host.document(install) }),
      );
      await ask('/blog');
      const before = await cite().getAttribute('href');
      expect(before).toBe('https://docs.kestrel.example/install#uninstall');
      const opened = context.waitForEvent('page');
      await cite().click();
      const other = await opened;
      await other.waitForLoadState();
      await expect.poll(() => cite().getAttribute('href')).toBe(before);
      expect(await marked()).toEqual([]);
      // The browser takes the words out of the address; it has gone to them, not to the heading.
      expect(await other.evaluate(() => location.href)).toBe(before);
      const top = () =>
        other.evaluate(
          () => document.querySelector('#uninstall')?.getBoundingClientRect().top ?? -1,
        );
      await expect
        .poll(async () => {
          const at = await top();
          return at > 100 && at < 700;
        })
        .toBe(true);
    });
  });

if (chromiumPath === undefined) {
  test('a citation in a browser', (context) => context.skip(whySkipped));
}
