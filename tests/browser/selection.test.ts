/** Asking about words of the page: by mouse, by keyboard, by touch, and where nothing is offered. */
import type { BrowserContext, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { chromiumPath, whySkipped } from './browser.ts';
import { collectFaults, readerOf, startWidgetHost, type WidgetHost } from './widget-host.ts';

interface Body {
  currentPath?: string;
  context?: unknown;
}

const page1 = `<h2 id="options"><a href="#options">Options</a></h2>
<p id="words">Kestrel has few options. <a id="next" href="#next">Read on</a></p>
<hr style="margin-top: 8em" title="below, no offer at the words above hangs over what is pressed">
<input id="field" value="typed by the reader"><textarea id="area">also typed</textarea>
<div id="editable" contenteditable="true">edited by the reader</div>
<docs-note></docs-note>
<p id="low" style="margin-top:100vh">Low words.</p>
<script>customElements.define('docs-note', class extends HTMLElement {
  constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = '<p id="inner">A note in a shadow.</p>'; }
});</script>`;

if (chromiumPath !== undefined)
  describe('asking about selected text', () => {
    let host: WidgetHost;
    let context: BrowserContext;
    let page: Page;
    let asked: Body[];
    let faults: string[];

    beforeAll(async () => {
      host = await startWidgetHost();
      host.put('/docs', host.document(page1 + host.tag()));
      host.put('/quiet', host.document(page1 + host.tag({ 'data-shortcut': 'none' })));
      host.put(`/${'a'.repeat(300)}`, host.document(page1 + host.tag()));
    });
    afterAll(() => host?.[Symbol.asyncDispose]());
    const start = async (options: object = {}) => {
      context = await (
        await host.browser()
      ).newContext({ viewport: { width: 1280, height: 800 }, ...options });
      page = await context.newPage();
      faults = collectFaults(page);
      asked = [];
      page.on('request', (request) => {
        if (request.method() === 'POST') asked.push(request.postDataJSON() as Body);
      });
    };
    beforeEach(() => start());
    afterEach(async () => {
      await context.close();
      expect(faults).toEqual([]);
    });

    const offer = () => page.getByTestId('docent-ask-selection');
    const visit = async (path = '/docs') => {
      await page.goto(host.origin + path);
      await page.getByTestId('docent-launcher').waitFor();
      return readerOf(page);
    };
    const select = (selector: string) =>
      page.locator(selector).click({ clickCount: 3, position: { x: 20, y: 5 } });
    const words = 'Kestrel has few options. Read on';
    /** Also once the selection has stood still for long enough, and however slow this machine is. */
    const isOfferedNothing = async () => {
      await page.clock.fastForward(10_000);
      await expect.poll(() => offer().isVisible()).toBe(false);
    };

    test('by mouse: several pieces, and what the service is told of them', async () => {
      const reader = await visit();
      await select('#words');
      await offer().waitFor();
      const paragraph = await page.locator('#words').boundingBox();
      await expect
        .poll(async () => (await offer().boundingBox())?.y)
        .toBeGreaterThanOrEqual((paragraph?.y ?? 0) + (paragraph?.height ?? 0));
      await offer().click();
      await expect.poll(() => reader.get('chip').count()).toBe(1);
      await expect.poll(() => offer().isVisible()).toBe(false);
      await select('#intro');
      await offer().click();
      await expect.poll(() => reader.get('chip').count()).toBe(2);
      const chips = await reader.get('chip').allTextContents();
      expect(chips[0]).toContain('from “Options”');
      expect(chips[1]).toContain('from “Kestrel”');
      await reader.ask('What does this mean?');
      await reader.isDone();
      expect(asked[0]).toMatchObject({
        currentPath: '/docs',
        context: [
          { type: 'textSelection', value: words, path: '/docs', elementId: 'options' },
          {
            type: 'textSelection',
            value: 'Kestrel measures wind.',
            path: '/docs',
            elementId: 'kestrel',
          },
        ],
      });
      expect(await reader.get('question').getByTestId('docent-chip').count()).toBe(2);
      expect(
        await reader.get('input').evaluate((input) => input.getRootNode() instanceof ShadowRoot),
      ).toBe(true);
    });

    test('a long address is cut where the service would refuse it', async () => {
      const reader = await visit(`/${'a'.repeat(300)}`);
      await select('#words');
      await offer().click();
      await reader.ask('What does this mean?');
      await reader.isDone();
      expect(asked[0]?.currentPath).toHaveLength(200);
    });

    test('by keyboard: selected, reached with Tab, asked with Enter', async () => {
      const reader = await visit();
      await page.locator('#intro').dblclick({ position: { x: 2, y: 5 } });
      for (let count = 0; count < 8; count++) await page.keyboard.press('Shift+ArrowRight');
      await offer().waitFor();
      const hint = () =>
        page
          .locator('docent-widget')
          .evaluate((element) => element.shadowRoot?.querySelector('.offer-hint')?.textContent);
      await expect.poll(hint).toBe('Press Tab or Ctrl+I to ask about the selected text.');
      await page.keyboard.press('Tab');
      await expect.poll(() => reader.focused()).toBe('docent-ask-selection');
      // On from there as usual, and back.
      await page.keyboard.press('Tab');
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.textContent))
        .toBe('Options');
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('Control+i');
      await expect.poll(() => reader.get('chip').count()).toBe(1);
      await expect.poll(() => reader.focused()).toBe('docent-input');
      // The field tells what it is about; Backspace goes to it, and takes it away.
      expect(await reader.input().getAttribute('aria-describedby')).toBe('docent-context');
      await page.keyboard.press('Backspace');
      await expect.poll(() => reader.focused()).toBe('docent-chip-remove');
      await page.keyboard.press('Delete');
      await expect.poll(() => reader.get('chip').count()).toBe(0);
      await expect.poll(() => reader.focused()).toBe('docent-input');
    });

    test('by keyboard before the code for it has come', async () => {
      const held: Route[] = [];
      let isHolding = true;
      await page.route('**/offers-*.js', (route) =>
        isHolding ? void held.push(route) : route.continue(),
      );
      const reader = await visit();
      await page.locator('#intro').dblclick({ position: { x: 2, y: 5 } });
      for (let count = 0; count < 8; count++) await page.keyboard.press('Shift+ArrowRight');
      await expect.poll(() => held.length).toBeGreaterThan(0);
      isHolding = false;
      for (const route of held) await route.continue();
      await offer().waitFor();
      await page.keyboard.press('Tab');
      await expect.poll(() => reader.focused()).toBe('docent-ask-selection');
    });

    test('by keyboard without a shortcut, and Escape takes the offer away', async () => {
      const reader = await visit('/quiet');
      await page.locator('#intro').dblclick({ position: { x: 2, y: 5 } });
      for (let count = 0; count < 8; count++) await page.keyboard.press('Shift+ArrowRight');
      await offer().waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => offer().isVisible()).toBe(false);
      await page.keyboard.press('Shift+ArrowRight');
      await offer().waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await expect.poll(() => reader.get('chip').count()).toBe(1);
    });

    test.each(['#words', '#low'])(
      'by touch, away from the menu of the system: %s',
      async (selector) => {
        await context.close();
        await start({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
        const reader = await visit();
        await page.locator(selector).scrollIntoViewIfNeeded();
        const box = await page.locator(selector).boundingBox();
        const at = { x: (box?.x ?? 0) + 30, y: (box?.y ?? 0) + 8 };
        const touch = await context.newCDPSession(page);
        const tell = (type: 'touchStart' | 'touchEnd') =>
          touch.send('Input.dispatchTouchEvent', {
            type,
            touchPoints: type === 'touchStart' ? [at] : [],
          });
        // A long press. Without a system around it the browser selects nothing then; so we do.
        await tell('touchStart');
        await page.evaluate((one) => {
          const node = document.querySelector(one)?.firstChild;
          if (node) getSelection()?.setBaseAndExtent(node, 0, node, 7);
        }, selector);
        await tell('touchEnd');
        await offer().waitFor();
        await expect
          .poll(async () => (await offer().boundingBox())?.height)
          .toBeGreaterThanOrEqual(44);
        const distance = async () => {
          const button = await offer().boundingBox();
          const line = await page.evaluate(() => {
            const { top, bottom } = getSelection()?.getRangeAt(0).getBoundingClientRect() ?? {
              top: 0,
              bottom: 0,
            };
            return { top, bottom };
          });
          return Math.max(
            line.top - ((button?.y ?? 0) + (button?.height ?? 0)),
            (button?.y ?? 0) - line.bottom,
          );
        };
        // The system puts its menu within some 70 px above or below a selection.
        await expect.poll(distance).toBeGreaterThan(70);
        await offer().tap();
        await expect.poll(() => reader.get('chip').count()).toBe(1);
      },
    );

    test('in a shadow tree of the page', async () => {
      const reader = await visit();
      await page.locator('#inner').dblclick({ position: { x: 20, y: 5 } });
      await offer().waitFor();
      await offer().click();
      await expect.poll(() => reader.get('chip').first().textContent()).toContain('note');
    });

    test.each(['#field', '#area', '#editable'])(
      'nothing in what the reader types: %s',
      async (selector) => {
        await page.clock.install();
        await visit();
        // The code is there, so that nothing is missing for its sake.
        await select('#words');
        await offer().waitFor();
        await page.locator(selector).click({ clickCount: 3, position: { x: 20, y: 8 } });
        await isOfferedNothing();
      },
    );

    test('nothing in our own panel', async () => {
      await page.clock.install();
      const reader = await visit();
      await select('#words');
      await offer().click();
      await reader.ask('What does this mean?');
      await reader.isDone();
      await reader
        .answer()
        .locator('p')
        .first()
        .dblclick({ position: { x: 10, y: 10 } });
      expect(await page.evaluate(() => String(getSelection()).trim())).toBe('Kestrel');
      await isOfferedNothing();
    });

    test('more than there is room for is said, and nothing is lost', async () => {
      const reader = await visit();
      await page.evaluate(() => {
        const main = document.querySelector('main');
        for (let index = 0; index < 10; index++)
          main?.append(
            Object.assign(document.createElement('p'), {
              id: `piece-${index}`,
              textContent: `Piece ${index}`,
            }),
          );
        main?.append(
          Object.assign(document.createElement('p'), {
            id: 'long',
            textContent: 'long '.repeat(2_000),
          }),
        );
      });
      const add = async (selector: string) => {
        await page.evaluate((one) => {
          const node = document.querySelector(one);
          if (node) getSelection()?.selectAllChildren(node);
        }, selector);
        await offer().waitFor();
        await offer().click();
        await offer().waitFor({ state: 'hidden' });
      };
      await add('#long');
      await expect
        .poll(() => reader.get('context-note').textContent())
        .toBe('Only the first 8,000 characters of a long piece are sent.');
      for (let index = 0; index < 9; index++) await add(`#piece-${index}`);
      await expect.poll(() => reader.get('chip').count()).toBe(10);
      await add('#piece-9');
      await expect
        .poll(() => reader.get('context-note').textContent())
        .toBe('A question can include at most 10 pieces. To add another, remove one.');
      await reader.get('chip-remove').nth(1).click();
      await expect.poll(() => reader.get('chip').count()).toBe(9);
      await add('#intro');
      await reader.ask('What are these?');
      await reader.isDone();
      const sent = asked[0]?.context as { value: string }[];
      expect(sent.map(({ value }) => value.length)).toEqual([8000, 7, 7, 7, 7, 7, 7, 7, 7, 22]);
      expect(sent.at(-1)?.value).toBe('Kestrel measures wind.');
    });
  });

if (chromiumPath === undefined) {
  test('asking about selected text in a browser', (context) => context.skip(whySkipped));
}
