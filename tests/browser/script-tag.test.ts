/** What is written in the tag holds from the first moment: early calls, the shortcut, names, the filter. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gate } from '../support/scripted-model.ts';
import { findAxeViolations } from './axe.ts';
import { chromiumPath, whySkipped } from './browser.ts';
import { collectFaults, readerOf, startWidgetHost, type WidgetHost } from './widget-host.ts';

const fields = `
  <input id="input"><textarea id="textarea"></textarea><div id="editable" contenteditable>Text</div>
  <select id="select"><option>one</option></select><button id="button">Button</button>`;

if (chromiumPath === undefined) test('the script tag', (context) => context.skip(whySkipped));
else
  describe('the script tag', () => {
    let host: WidgetHost;
    beforeAll(async () => {
      host = await startWidgetHost();
    });
    afterAll(() => host[Symbol.asyncDispose]());

    const openPage = async (html: string, before?: (page: Page) => Promise<unknown>) => {
      const context = await (await host.browser()).newContext();
      const page = await context.newPage();
      const faults = collectFaults(page);
      await before?.(page);
      await page.goto(host.put('/page', host.document(html)), { waitUntil: 'domcontentloaded' });
      return { page, faults, reader: readerOf(page), close: () => context.close() };
    };
    const update = (page: Page, patch: object) =>
      page.evaluate((values) => window.Docent?.('update', values), patch);
    const name = (page: Page) => readerOf(page).launcher().getAttribute('aria-label');

    test('a misspelled attribute is named in the console, with the right one', async () => {
      const warnings: string[] = [];
      const { reader, close } = await openPage(
        host.tag({ 'data-layuot': 'sidebar', 'data-cfasync': 'false' }),
        async (page) => {
          page.on('console', (message) => warnings.push(message.text()));
        },
      );
      await reader.launcher().click();
      await expect
        .poll(() => warnings)
        .toEqual(['[docent] data-layuot is not a setting. Did you mean data-layout?']);
      await close();
    });

    test('calls wait for a script that comes late, and run in their order after it', async () => {
      const late = gate();
      const { page, faults, reader, close } = await openPage(
        `<script>
          window.Docent = window.Docent || function () { (Docent.q = Docent.q || []).push(arguments) };
          window.heard = [];
          for (const name of ['ready', 'open', 'question', 'close', 'answer'])
            Docent('on', name, () => heard.push(name));
          Docent('open');
          Docent('close');
          Docent('ask', 'How do I install Kestrel?');
          addEventListener('DOMContentLoaded', () => Docent('update', { title: 'Wind desk' }));
        </script>${host.tag()}`,
        (each) =>
          each.route('**/docent.js', async (route) => {
            await late.wait;
            await route.continue();
          }),
      );
      // Meanwhile the page is used: the script holds up nothing of it.
      expect(await page.locator('h1').textContent()).toBe('Kestrel');
      expect(await page.evaluate(() => window.heard)).toEqual([]);
      expect(await page.locator('docent-widget').count()).toBe(0);
      late.open();
      await reader.isDone();
      await expect.poll(() => page.evaluate(() => window.heard.at(-1))).toBe('answer');
      const heard = await page.evaluate(() => window.heard);
      expect(heard).toEqual(['ready', 'open', 'question', 'answer']);
      expect(await reader.get('question').textContent()).toContain('How do I install Kestrel?');
      await expect
        .poll(() => page.locator('docent-widget h2').first().textContent())
        .toBe('Wind desk');
      expect(faults).toEqual([]);
      await close();
    });

    test('the shortcut belongs to a field while its reader types there', async () => {
      const { page, reader, close } = await openPage(fields + host.tag());
      await reader.launcher().waitFor();
      const loaded: string[] = [];
      page.on('request', (request) => loaded.push(request.url()));
      for (const field of ['input', 'textarea', 'editable', 'select']) {
        await page.locator(`#${field}`).focus();
        await page.keyboard.press('Control+i');
        expect([field, await reader.launcher().getAttribute('data-state')]).toEqual([
          field,
          'closed',
        ]);
      }
      expect(loaded).toEqual([]);
      await page.locator('#button').focus();
      await page.keyboard.press('Control+i');
      await reader.input().waitFor();
      // In the panel's own field it closes again.
      await page.keyboard.press('Control+i');
      await expect.poll(() => reader.panel().isVisible()).toBe(false);
      await expect.poll(() => reader.focused()).toBe('BUTTON');
      await close();
    });

    test('another shortcut, none, and one that is taken away later', async () => {
      const { page, reader, close } = await openPage(host.tag({ 'data-shortcut': 'alt+k' }));
      await reader.launcher().waitFor();
      const state = () => reader.launcher().getAttribute('data-state');
      expect(await name(page)).toBe('Ask the docs (Alt+K)');
      await page.keyboard.press('Control+i');
      expect(await state()).toBe('closed');
      await page.keyboard.press('Alt+k');
      await reader.input().waitFor();
      await page.keyboard.press('Alt+k');
      await expect.poll(state).toBe('closed');
      await update(page, { shortcut: false });
      await expect.poll(() => name(page)).toBe('Ask the docs');
      await page.keyboard.press('Alt+k');
      expect(await state()).toBe('closed');
      await update(page, { shortcut: null });
      await expect.poll(() => name(page)).toBe('Ask the docs (Ctrl+I)');
      await close();

      const none = await openPage(host.tag({ 'data-shortcut': 'none' }));
      await none.reader.launcher().waitFor();
      expect(await name(none.page)).toBe('Ask the docs');
      await none.page.keyboard.press('Control+i');
      expect(await none.reader.launcher().getAttribute('data-state')).toBe('closed');
      await none.close();
    });

    test("the launcher's name has the word that is to be seen on it, whatever the owner writes", async () => {
      const { page, reader, close } = await openPage(host.tag({ 'data-title': 'Wind desk' }));
      await reader.launcher().waitFor();
      const label = () => reader.launcher().innerText();
      expect(await name(page)).toBe('Ask: Wind desk (Ctrl+I)');
      expect(await label()).toBe('Ask');
      await update(page, { title: null, strings: { button: 'Help me' } });
      await expect.poll(label).toBe('Help me');
      await expect.poll(() => name(page)).toBe('Help me: Ask the docs (Ctrl+I)');
      await update(page, { strings: { buttonName: 'Help me with the wind' } });
      await expect.poll(() => name(page)).toBe('Help me with the wind (Ctrl+I)');
      await update(page, { strings: null });
      await expect.poll(() => name(page)).toBe('Ask the docs (Ctrl+I)');
      await close();
    });

    test('words of the owner are on the launcher from the first moment', async () => {
      const { page, reader, close } = await openPage(
        host.tag({ 'data-strings': '{"button":"Wetter","buttonName":"Wetter fragen"}' }),
      );
      await reader.launcher().waitFor();
      expect(await reader.launcher().innerText()).toBe('Wetter');
      expect(await name(page)).toBe('Wetter fragen (Ctrl+I)');
      await close();
    });

    test('an unknown verb is explained, and does no harm', async () => {
      const { page, faults, reader, close } = await openPage(host.tag());
      await reader.launcher().waitFor();
      await page.evaluate(() => {
        const docent = window.Docent as unknown as (verb?: unknown) => void;
        for (const verb of ['opne', 'constructor', undefined, { verb: 'open' }]) docent(verb);
      });
      await expect.poll(() => faults.length).toBe(4);
      for (const fault of faults) {
        expect(fault).toContain('open, close, toggle, ask, update, reset, destroy, on, off');
      }
      await reader.open();
      await close();
    });

    test('without a launcher: a page opens the panel by a button of its own', async () => {
      const { page, reader, close } = await openPage(
        `<button id="own" onclick="Docent('open')">Ask us</button>${host.tag({ 'data-launcher': 'false' })}`,
      );
      await reader.launcher().waitFor({ state: 'attached' });
      expect(await reader.launcher().isVisible()).toBe(false);
      await page.locator('#own').click();
      await reader.input().waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => reader.panel().isVisible()).toBe(false);
      await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('own');
      expect(await reader.launcher().isVisible()).toBe(false);
      await update(page, { launcher: true });
      await expect.poll(() => reader.launcher().isVisible()).toBe(true);
      await close();
    });

    test('the filter goes along with each question', async () => {
      const { page, reader, close } = await openPage(
        host.tag({ 'data-filter': '{"version":"v2","language":"en"}' }),
      );
      const filters: unknown[] = [];
      page.on('request', (request) => {
        if (request.url().endsWith('/message')) filters.push(request.postDataJSON().filter);
      });
      await reader.open();
      await reader.ask('How do I install Kestrel?');
      await reader.isDone();
      await update(page, { filter: { version: 'v3' } });
      await reader.ask('And the newer one?');
      await reader.isDone(2);
      expect(filters).toEqual([
        { version: 'v2', language: 'en' },
        { version: 'v3', language: 'en' },
      ]);
      expect(await findAxeViolations(page)).toEqual([]);
      await close();
    });

    test('the service is down while the script is wanted: the page is as without it', async () => {
      const { page, faults, close } = await openPage(
        `<script>window.Docent = function () { (Docent.q = Docent.q || []).push(arguments) }; Docent('open')</script>${host.tag()}`,
        (each) => each.route('**/docent.js', (route) => route.fulfill({ status: 503 })),
      );
      await page.waitForLoadState('load');
      await page.locator('h1').click();
      // The browser's own line about the file; there is nothing of ours that could say more.
      await expect.poll(() => faults).toEqual([expect.stringContaining('503')]);
      expect(await page.locator('docent-widget').count()).toBe(0);
      expect(await page.evaluate(() => getComputedStyle(document.body).overflow)).toBe('visible');
      await close();
    });
  });
