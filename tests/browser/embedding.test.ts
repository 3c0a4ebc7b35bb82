/** The tag on pages of every kind, and the JavaScript API. */
import { readFile } from 'node:fs/promises';
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, whySkipped } from './browser.ts';
import { listenersOf } from './listeners.ts';
import { tryVerbs } from './verbs.ts';
import { startWidgetHost, type WidgetHost } from './widget-host.ts';

declare global {
  interface Window {
    heard: unknown[];
    Docent: (...call: unknown[]) => void;
  }
}

const stub =
  '<script>window.Docent = window.Docent || function () { (Docent.q = Docent.q || []).push(arguments) }; window.heard = [];</script>';

if (chromiumPath === undefined) test('embedding', (context) => context.skip(whySkipped));
else
  describe('the widget of a page', () => {
    let host: WidgetHost;
    beforeAll(async () => {
      host = await startWidgetHost();
    });
    afterAll(() => host[Symbol.asyncDispose]());

    const openPage = (url: string) => host.visit(url);
    const call = (page: Page, ...values: unknown[]) =>
      page.evaluate((all) => window.Docent(...all), values);
    const heard = (page: Page) => page.evaluate(() => window.heard);

    describe('one tag', () => {
      test.each([
        ['in the head', () => host.document('', { head: host.tag() })],
        ['at the end of the body', () => host.document(host.tag())],
        [
          'twice',
          () => host.document(host.tag() + host.tag(), { head: host.tag({ async: null }) }),
        ],
        [
          'put in later',
          () =>
            host.document(
              `<script>addEventListener('load', () => { const tag = document.createElement('script');
              tag.src = '${host.docent.url}/docent.js'; tag.dataset.site = 'kestrel-docs';
              tag.dataset.key = '${host.docent.key}'; document.body.append(tag); });</script>`,
            ),
        ],
      ])('%s: one widget', async (name, html) => {
        const { page, faults, reader, close } = await openPage(
          host.put(`/tag/${name.replaceAll(' ', '-')}`, html()),
        );
        await reader.launcher().waitFor();
        await page.waitForLoadState('networkidle');
        expect(await page.locator('docent-widget').count()).toBe(1);
        expect(faults).toEqual([]);
        await close();
      });
      test('a question is answered, and nothing is reported', async () => {
        const { reader, faults, close } = await openPage(host.put('/plain'));
        await reader.open();
        await reader.ask('How do I install Kestrel?');
        await reader.isDone();
        await reader.answer().getByText('Kestrel answers in words.').waitFor();
        expect(faults).toEqual([]);
        await close();
      });
    });

    describe('Docent()', () => {
      test('calls made before the script has come run in their order', async () => {
        const { page, reader, close } = await openPage(
          host.put(
            '/queue',
            host.document(
              `${stub}<script>
              Docent('on', 'open', (event) => heard.push(['open', event]));
              Docent('on', 'question', (event) => heard.push(['question', event]));
              Docent('on', 'answer', (event) => heard.push(['answer', Object.keys(event)]));
              Docent('on', 'ready', (event) => heard.push(['ready', event]));
              Docent('on', 'question', () => { throw new Error('of a handler'); });
              Docent('update', { title: 'Rain desk' });
              Docent('update', { title: 'Wind desk' });
              Docent('ask', 'How do I install Kestrel?');
              </script>${host.tag()}`,
            ),
          ),
        );
        await reader.isDone();
        await expect
          .poll(() => page.locator('docent-widget h2').first().textContent())
          .toBe('Wind desk');
        await expect
          .poll(() => heard(page))
          .toEqual([
            ['ready', { site: 'kestrel-docs' }],
            ['open', { by: 'api' }],
            ['question', { context: 0 }],
            ['answer', ['threadId', 'messageId', 'sources', 'status', 'durationMs']],
          ]);
        expect(JSON.stringify(await heard(page))).not.toContain('install');
        await close();
      });
      test('open, close and toggle do what they say; off ends what on began', async () => {
        const { page, faults, reader, close } = await openPage(host.put('/plain'));
        await reader.launcher().waitFor();
        await page.evaluate(() => (window.callWidget = window.Docent));
        await tryVerbs(page);
        expect(faults).toEqual([]);
        await close();
      });
      test('update changes what is there, null returns to the default, mistakes are explained', async () => {
        const { page, faults, reader, close } = await openPage(
          host.put('/update', host.document(host.tag({ 'data-title': 'Wind' }))),
        );
        await reader.open();
        const theme = () => page.locator('docent-widget').getAttribute('data-theme');
        await call(page, 'update', {
          theme: 'dark',
          strings: { placeholder: 'Say it', send: 'Go' },
        });
        await expect.poll(theme).toBe('dark');
        await expect.poll(() => reader.input().getAttribute('placeholder')).toBe('Say it');
        await call(page, 'update', { theme: null, title: null, strings: { placeholder: null } });
        await expect.poll(theme).toBe('light');
        await expect.poll(() => reader.input().getAttribute('placeholder')).toBe('Ask a question…');
        await expect.poll(() => reader.get('send').getAttribute('aria-label')).toBe('Go');
        const title = () => page.locator('docent-widget h2').first().textContent();
        await expect.poll(title).toBe('Ask the docs');
        expect(faults).toEqual([]);
        await call(page, 'update', { theme: 'drak', colour: 'red', site: 'other' });
        await expect.poll(() => faults.length).toBe(3);
        expect(faults.join('\n')).toMatch(/theme: "drak".*auto, light, dark/);
        expect(await theme()).toBe('light');
        await close();
      });
      test('ask can leave the sending to the reader; reset begins anew', async () => {
        const { page, reader, close } = await openPage(host.put('/ask', host.document(host.tag())));
        await reader.launcher().waitFor();
        await call(page, 'ask', 'Only a draft', { send: false });
        await expect.poll(() => reader.input().inputValue()).toBe('Only a draft');
        expect(await reader.get('question').count()).toBe(0);
        await reader.input().press('Enter');
        await reader.isDone();
        await call(page, 'reset');
        await reader.get('empty').waitFor();
        await close();
      });
      test('destroy leaves no nodes, listeners or globals; a new tag works', async () => {
        const { page, faults, reader, close } = await openPage(
          host.put('/destroy', host.document('<pre><code>kestrel --init</code></pre>')),
        );
        const cdp = await page.context().newCDPSession(page);
        await listenersOf(cdp);
        const before = await stateOf(page, cdp);
        const add = (tag: string) =>
          page.evaluate((html) => {
            const made = document.createRange().createContextualFragment(html);
            document.body.append(made);
          }, tag);
        await add(host.tag());
        await reader.open();
        await reader.ask('How do I install Kestrel?');
        await reader.isDone();
        await call(page, 'destroy');
        await page.evaluate(() => document.querySelector('body > script')?.remove());
        await expect.poll(() => stateOf(page, cdp)).toEqual(before);
        await add(host.tag());
        await reader.open();
        await expect.poll(() => page.locator('docent-widget').count()).toBe(1);
        expect(faults).toEqual([]);
        await close();
      });
      test('two widgets on one page answer to their names', async () => {
        const { page, close } = await openPage(
          host.put(
            '/two',
            host.document(
              `${stub}<script>Docent('blog:open')</script>${host.tag()}${host.tag({ 'data-name': 'blog', 'data-position': 'left', 'data-title': 'Blog' })}`,
            ),
          ),
        );
        const panels = page.locator('docent-widget [data-testid=docent-panel]:visible');
        await panels.first().waitFor();
        expect(await panels.locator('h2').allTextContents()).toContain('Blog');
        expect(await panels.count()).toBe(1);
        await call(page, 'open');
        await expect.poll(() => panels.count()).toBe(2);
        await call(page, 'blog:destroy');
        await expect.poll(() => page.locator('docent-widget').count()).toBe(1);
        await close();
      });
    });

    describe('consent', () => {
      test('nothing is sent or stored until the reader agrees', async () => {
        const { page, reader, close } = await openPage(
          host.put(
            '/consent',
            host.document(
              host.tag({ 'data-consent': 'required', 'data-consent-link': '/privacy' }),
            ),
          ),
        );
        const asked: string[] = [];
        page.on('request', (request) => {
          if (request.url().includes('/discovery/')) asked.push(request.url());
        });
        await reader.launcher().click();
        await reader.get('consent').waitFor();
        expect(await page.locator('docent-widget a[href="/privacy"]').count()).toBe(1);
        await call(page, 'ask', 'How do I install Kestrel?');
        await page.waitForLoadState('networkidle');
        expect(asked).toEqual([]);
        expect(await stored(page)).toEqual([]);
        await reader.get('consent-accept').click();
        await expect.poll(() => reader.input().inputValue()).toBe('How do I install Kestrel?');
        await reader.input().press('Enter');
        await reader.isDone();
        // It holds on the next page, until it is withdrawn.
        await page.reload();
        await reader.input().waitFor();
        await call(page, 'update', { consent: 'required' });
        await reader.get('consent').waitFor();
        await call(page, 'update', { consent: 'given' });
        await reader.input().waitFor();
        await close();
      });
    });

    describe('where it is not wanted', () => {
      test('a reader hides it on this device, and brings it back', async () => {
        const { page, reader, close } = await openPage(host.put('/hide'));
        await reader.open();
        await reader.get('menu').click();
        await reader.get('menu-hide').click();
        await reader.get('hide-confirm').click();
        await expect.poll(() => page.locator('docent-widget').count()).toBe(0);
        await page.reload();
        await page.waitForLoadState('networkidle');
        expect(await page.locator('docent-widget').count()).toBe(0);
        await page.keyboard.press('Control+i');
        await reader.input().waitFor();
        await page.reload();
        await reader.launcher().waitFor();
        await close();
      });
      test('not on the paths of data-hide-on, also after pushState', async () => {
        const { page, reader, close } = await openPage(
          host.put('/legal/imprint', host.document(host.tag({ 'data-hide-on': '/legal/*' }))),
        );
        await page.waitForFunction(() => 'Docent' in window);
        expect(await page.locator('docent-widget').count()).toBe(0);
        await page.evaluate(() => history.pushState({}, '', '/docs/start'));
        await reader.launcher().waitFor();
        await page.evaluate(() => history.pushState({}, '', '/legal/terms'));
        await expect.poll(() => page.locator('docent-widget').count()).toBe(0);
        await close();
      });
    });

    describe('when there is nothing behind it', () => {
      test('the script is refused: the page is fine, the queue keeps the calls', async () => {
        const { page, faults, close } = await openPage(
          host.put(
            '/refused',
            host.document(
              `${stub}<script>Docent('open')</script>${host.tag({ src: 'http://127.0.0.1:9/docent.js' })}`,
            ),
          ),
        );
        // The browser's own line about the file; nothing of ours has run.
        await expect
          .poll(() => faults.map((fault) => fault.replace(/\(http.*/, '').trim()))
          .toEqual(['Failed to load resource: net::ERR_UNSAFE_PORT']);
        expect(await page.locator('h1').textContent()).toBe('Kestrel');
        await close();
      });
      test('everything but the script fails: nothing in the console until a reader wants it', async () => {
        const { page, faults, reader, close } = await openPage('about:blank');
        await page.route(/\/widget\/|\/discovery\//, (route) => route.fulfill({ status: 503 }));
        await page.goto(host.put('/down'));
        await reader.launcher().waitFor();
        await page.waitForLoadState('networkidle');
        expect(faults).toEqual([]);
        await reader.launcher().click();
        await expect.poll(() => reader.launcher().getAttribute('data-state')).toBe('failed');
        await close();
      });
      test('the fallback of the documentation shows without JavaScript, and only there', async () => {
        const docs = new URL('../../demo-site/docs/script-tag.md', import.meta.url);
        const [, example = ''] =
          /## Without JavaScript\n.*?```html\n(.*?)```/s.exec(await readFile(docs, 'utf8')) ?? [];
        const address = host.put('/noscript', host.document(example + host.tag()));
        const context = await (await host.browser()).newContext({ javaScriptEnabled: false });
        const page = await context.newPage();
        await page.goto(address);
        expect(await page.getByRole('link', { name: 'Search the docs' }).isVisible()).toBe(true);
        expect(await page.locator('docent-widget').count()).toBe(0);
        await context.close();
        const { page: usual, reader, close } = await openPage(address);
        await reader.launcher().waitFor();
        expect(await usual.getByRole('link', { name: 'Search the docs' }).isVisible()).toBe(false);
        await close();
      });
    });
  });

const stored = (page: Page) =>
  page.evaluate(() =>
    [...Object.keys(localStorage), ...Object.keys(sessionStorage), document.cookie].filter(Boolean),
  );

async function stateOf(page: Page, cdp: CDPSession) {
  const rest = await page.evaluate(() => ({
    html: document.documentElement.outerHTML,
    globals: Object.keys(window).filter((name) => name !== 'heard'),
    sheets: document.adoptedStyleSheets.length + document.styleSheets.length,
    highlights: CSS.highlights.size,
  }));
  return { ...rest, listeners: await listenersOf(cdp) };
}
