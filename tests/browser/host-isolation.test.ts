/** The page does not change the widget, and the widget does not change the page. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, whySkipped } from './browser.ts';
import { collectFaults, readerOf, startWidgetHost, type WidgetHost } from './widget-host.ts';

/** A page as docs pages are: what a style sheet of ours could reach if it were loose. */
const elements =
  '<nav><a id="link" href="/">Docs</a></nav><button id="button">Search</button><input id="input" placeholder="Search">' +
  '<pre id="pre"><code id="code">npx kestrel</code></pre><table id="table"><tr><td>1</td></tr></table><svg id="svg" viewBox="0 0 1 1"></svg><ul id="list"><li>one</li></ul>';
const watched = [
  'html',
  'body',
  'h1',
  'p',
  '#link',
  '#button',
  '#input',
  '#pre',
  '#code',
  '#table',
  '#svg',
  '#list',
];

/** Rules that docs themes and frameworks really have, made worse. */
const hostile = `
  :root { font-size: 62.5%; color-scheme: light }
  * { letter-spacing: 9px !important; box-sizing: content-box !important; margin: 3px !important; font-family: cursive !important; transition: none !important; line-height: 3 !important }
  *, *::before, *::after { text-transform: uppercase; word-spacing: 20px; text-indent: 40px; text-align: right; white-space: pre; color: red; font: italic 900 30px/2 cursive; cursor: crosshair; visibility: inherit }
  button { background: red !important; border: 9px dotted lime !important; border-radius: 0 !important; width: 300px !important; padding: 30px !important; display: inline !important; position: static !important }
  svg { width: 200px !important; height: 200px !important; fill: red !important; display: block !important }
  div { display: none !important } body > * { max-width: 200px; position: relative; float: left; transform: none }
  textarea, input { all: unset !important; width: 10px !important } p, li, a { font-size: 40px !important; color: lime !important; text-decoration: line-through !important }
  h1, h2 { font-size: 99px !important } pre, code { background: red !important; white-space: normal !important } table, td { border: 9px solid red !important }
  docent-widget { display: none; opacity: .2; filter: blur(3px); zoom: 2; pointer-events: none; all: unset }`;

/** What Prototype.js, MooTools and old polyfills do to what a page has of the language. */
const ofAnotherAge = `
  Array.prototype.toJSON = function () { return '[' + this.join(', ') + ']'; };
  Array.prototype.each = Object.prototype.each = function () {};
  Array.prototype.entries = function () { return [].slice.call(this); };
  Array.from = (some) => (some == null ? [] : some.length ? [].slice.call(some) : [some]);
  Element.prototype.remove = function () { this.parentNode.removeChild(this); return this; };
  window.Event = function Event(event) { this.event = event; };
  const Native = Promise;
  const wrap = (promise) => new Old((resolve, reject) => promise.then(resolve, reject));
  function Old(work) {
    const promise = new Native(work);
    this.then = (one, other) => wrap(promise.then(one, other));
    this.catch = (other) => this.then(undefined, other);
  }
  for (const name of ['resolve', 'reject', 'all', 'race']) Old[name] = (value) => wrap(Native[name](value));
  window.Promise = Old;
  const fetchNow = fetch;
  window.fetch = (...given) => wrap(fetchNow(...given));`;
/** `document.body`, `window.Docent` and their like are these elements then. */
const clobbering =
  '<form id="Docent" name="body"></form><img name="currentScript"><a id="fetch"></a><form name="head"></form>';

if (chromiumPath === undefined) test('host isolation', (context) => context.skip(whySkipped));
else
  describe('page and widget', () => {
    let host: WidgetHost;
    beforeAll(async () => {
      host = await startWidgetHost({
        answer: [
          'Run:\n\n```bash\nnpm install kestrel\n```\n\n| a | b |\n| - | - |\n| 1 | 2 [1] |\n\n- one',
        ],
      });
      host.put('/neutral', host.document(elements + host.tag()));
      host.put('/hostile', {
        html: host.document(elements + host.tag(), { head: `<style>${hostile}</style>` }),
      });
    });
    afterAll(() => host[Symbol.asyncDispose]());

    // With motion: a page could take that, too.
    const newContext = async () =>
      (await host.browser()).newContext({ reducedMotion: 'no-preference' });
    const visit = async (path: string): Promise<Page> => {
      const page = await (await newContext()).newPage();
      await page.goto(host.origin + path);
      await readerOf(page).launcher().waitFor();
      return page;
    };
    const openAndAsk = async (page: Page) => {
      const reader = readerOf(page);
      await reader.open();
      await reader.ask('How do I install Kestrel?');
      await reader.isDone();
      // All files are there, so no element that loads one is left.
      await expect.poll(() => page.evaluate(() => CSS.highlights.size)).toBeGreaterThan(0);
      // The launcher's hover and the panel's motion are over.
      await page.mouse.move(5, 5);
      await page.waitForFunction(
        () => !document.querySelector('docent-widget')?.shadowRoot?.getAnimations().length,
      );
    };

    test('the page is the same before the widget, with it, and after it has gone', async () => {
      const page = await (await newContext()).newPage();
      host.put('/bare', host.document(elements));
      await page.goto(`${host.origin}/bare`);
      const state = () =>
        page.evaluate((names) => {
          const styles = names.map((name) => {
            const element = document.querySelector(name)!;
            const computed = getComputedStyle(element);
            return [
              name,
              ...Array.from(computed, (key) => `${key}: ${computed.getPropertyValue(key)}`),
            ];
          });
          const { documentElement: html, head, body } = document;
          return {
            styles,
            head: head.innerHTML,
            html: Array.from(html.attributes, ({ name, value }) => `${name}=${value}`),
            htmlChildren: Array.from(html.children, ({ tagName }) => tagName).filter(
              (tag) => tag !== 'DOCENT-WIDGET',
            ),
            bodyAttributes: body.attributes.length,
            body: Array.from(body.children, ({ tagName }) => tagName).filter(
              (tag) => tag !== 'SCRIPT' && tag !== 'DOCENT-WIDGET',
            ),
            sheets: [document.styleSheets.length, document.adoptedStyleSheets.length],
            globals: Object.getOwnPropertyNames(globalThis).filter((name) => name !== 'Docent'),
            prototypes: [Array, Object, Promise, Element, Node, Event, Map].map(
              (one) => Object.getOwnPropertyNames(one.prototype).length,
            ),
            title: document.title,
            scroll: [scrollX, scrollY, html.scrollWidth, html.scrollHeight],
            history: history.length,
          };
        }, watched);
      const before = await state();
      await page.evaluate((source) => {
        const holder = document.createElement('div');
        holder.innerHTML = source;
        const script = document.createElement('script');
        for (const { name, value } of holder.querySelector('script')!.attributes)
          script.setAttribute(name, value);
        document.body.append(script);
      }, host.tag());
      await readerOf(page).launcher().waitFor();
      await expect.poll(state).toEqual(before);
      await openAndAsk(page);
      await expect.poll(state).toEqual(before);
      await page.evaluate('Docent("destroy")');
      await expect.poll(() => page.locator('docent-widget').count()).toBe(0);
      await expect.poll(state).toEqual(before);
      await page.context().close();
    });

    test('old libraries, elements that hide globals, and a page that is rewritten', async () => {
      host.put(
        '/old',
        host.document(host.tag(), { head: `<script>${ofAnotherAge}</script>` + clobbering }),
      );
      const page = await visit('/old');
      const faults = collectFaults(page);
      const sent = page.waitForRequest(
        (request) => request.method() === 'POST' && request.url().endsWith('/message'),
      );
      const reader = readerOf(page);
      await reader.open();
      await reader.ask('How do I install Kestrel?');
      await reader.isDone();
      expect((await sent).postDataJSON().messages).toMatchObject([
        { role: 'user', parts: [{ type: 'text', text: 'How do I install Kestrel?' }] },
      ]);
      await page.reload();
      await reader.isDone();
      // Whoever listened to the document is deaf from here on; the tag in the new one begins anew.
      await page.evaluate(
        (html) => {
          document.open();
          document.write(html);
          document.close();
        },
        host.document(`<p id="anew">Another</p>${host.tag()}`),
      );
      await page.locator('#anew').waitFor();
      await reader.isDone();
      await reader.ask('And on Windows?');
      await reader.isDone(2);
      await expect.poll(() => page.locator('docent-widget').count()).toBe(1);
      expect(faults).toEqual([]);
      await page.context().close();
    });

    test('the widget of a hostile page has the very styles of that of a plain one', async () => {
      const look = async (path: string) => {
        const page = await visit(path);
        const styles = () =>
          page.evaluate(() => {
            const root = document.querySelector('docent-widget')!.shadowRoot!;
            return [...root.querySelectorAll(':not(link)')].flatMap((element, index) => {
              const computed = getComputedStyle(element);
              const name = `${index} ${element.tagName}.${element.getAttribute('class')}`;
              // The page's own variables come in, as they must: that is how it sets ours.
              return Array.from(computed)
                .filter((key) => !key.startsWith('--'))
                .map((key) => `${name} ${key}: ${computed.getPropertyValue(key)}`);
            });
          });
        const boxes = () =>
          page.evaluate(() => {
            const root = document.querySelector('docent-widget')!.shadowRoot!;
            return [...root.querySelectorAll('.launcher, .panel, textarea, pre, td')].map(
              (element) => {
                const { x, y, width, height } = element.getBoundingClientRect();
                return [element.className, x, y, width, height].join(' ');
              },
            );
          });
        const closed = await styles();
        await openAndAsk(page);
        const seen = { closed, open: await styles(), boxes: await boxes() };
        await page.context().close();
        return seen;
      };
      const plain = await look('/neutral');
      const attacked = await look('/hostile');
      expect(plain.closed.length).toBeGreaterThan(300);
      expect(plain.open.length).toBeGreaterThan(10_000);
      const differing = (one: string[], other: string[]) => {
        const known = new Set(other);
        const back = new Set(one);
        return [
          ...one.filter((line) => !known.has(line)).map((line) => `plain: ${line}`),
          ...other.filter((line) => !back.has(line)).map((line) => `hostile: ${line}`),
        ];
      };
      expect(differing(plain.closed, attacked.closed)).toEqual([]);
      expect(differing(plain.boxes, attacked.boxes)).toEqual([]);
      expect(differing(plain.open, attacked.open)).toEqual([]);
    });
  });
