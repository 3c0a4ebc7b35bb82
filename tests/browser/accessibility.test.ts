/** Every state of the widget, light and dark, in every layout: axe finds nothing, and the focus is never lost. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gate } from '../support/scripted-model.ts';
import { findAxeViolations, rulesOfColors } from './axe.ts';
import { chromiumPath } from './browser.ts';
import { type ReportingHost, startReportingHost } from './reporting-host.ts';
import { readerOf } from './widget-host.ts';

const rich = [
  '## Install\n\nRun it. [1]\n\n```sh\nkestrel-setup install\n```\n\n',
  '| Setting | Default |\n| --- | --- |\n| `a` | 1 |\n\n- one\n- two\n\n> A quotation.\n',
];

if (chromiumPath !== undefined)
  describe('accessibility', () => {
    let host: ReportingHost;
    let browser: Browser;

    beforeAll(async () => {
      host = await startReportingHost(rich);
      browser = await host.browser();
    });
    afterAll(() => host?.[Symbol.asyncDispose]());

    async function open(attributes: Record<string, string>, phone = false) {
      const size = phone ? { width: 390, height: 844 } : { width: 1280, height: 860 };
      const context: BrowserContext = await browser.newContext({ viewport: size });
      const page = await context.newPage();
      const body = `<div id="place"></div>${host.tag(attributes)}`;
      await page.goto(host.put('/install', host.document(body)));
      return { context, page, reader: readerOf(page) };
    }

    const setTheme = async (page: Page, theme: 'light' | 'dark') => {
      await page.evaluate((value) => window.Docent?.('update', { theme: value }), theme);
      const scheme = () =>
        page.locator('docent-widget').evaluate((host) => getComputedStyle(host).colorScheme);
      await expect.poll(scheme).toBe(theme);
    };

    /** In light and dark: axe, and whether the focus is still somewhere that a reader can go on from. */
    const look = async (page: Page, state: string, hasFocus = true) => {
      await setTheme(page, 'dark');
      expect(await findAxeViolations(page, rulesOfColors), `${state}, dark`).toEqual([]);
      await setTheme(page, 'light');
      expect(await findAxeViolations(page), state).toEqual([]);
      if (hasFocus)
        await expect
          .poll(async () => [state, await readerOf(page).focused()])
          .not.toEqual([state, 'BODY']);
    };

    test.each(['light', 'dark'])('closed, %s', async (theme) => {
      const { context, page, reader } = await open({ 'data-theme': theme });
      await reader.launcher().waitFor();
      expect(await findAxeViolations(page)).toEqual([]);
      await context.close();
    });

    test('each state', async () => {
      const { context, page, reader } = await open({});
      await reader.open();
      await reader.get('starter').first().waitFor();
      await look(page, 'open, empty');

      const held = gate();
      host.model.once([...rich, held, 'The end.']);
      await reader.ask('How do I install Kestrel?');
      await reader.answer().locator('table').waitFor();
      await look(page, 'streaming');
      held.open();
      await reader.isDone();
      await reader.get('suggestion').first().waitFor();
      await look(page, 'answered with code, a table and sources');

      await reader.get('thumb-down').click();
      await reader.get('feedback').waitFor();
      await reader.get('reason-incorrect').check({ force: true });
      await reader.get('feedback-fix').check();
      await reader.get('feedback-send').waitFor();
      await look(page, 'feedback');
      await reader.get('feedback-note').fill('Short.');
      await reader.get('feedback-send').click();
      await look(page, 'feedback that is not whole');
      await reader.get('feedback-note').fill('The second step names a command that is gone.');
      await reader.get('feedback-send').click();
      await reader.get('feedback-thanks').waitFor();
      await look(page, 'thanks');

      await reader.get('menu').click();
      await reader.get('menu-report').waitFor();
      await look(page, 'menu');
      await reader.get('menu-report').click();
      await reader.get('report').waitFor();
      await look(page, 'report of a page');
      await reader.get('report-back').click();
      await expect.poll(() => reader.focused()).toBe('docent-input');

      await reader.get('history').click();
      await reader.get('threads-new').waitFor();
      await look(page, 'conversations');
      await reader.get('history').click();

      host.model.once({ status: 401, body: { error: { message: 'no' } } });
      await reader.ask('And on Windows?');
      await reader.get('notice').waitFor();
      await look(page, 'a fault');
      await context.close();
    });

    test.each(['sidebar', 'modal', 'inline'])('%s', async (layout) => {
      const inline = layout === 'inline';
      const { context, page, reader } = await open({
        'data-layout': layout,
        ...(inline && { 'data-target': '#place' }),
      });
      if (inline) await reader.input().waitFor();
      else await reader.open();
      await look(page, `${layout}, empty`, !inline);
      await reader.ask('How do I install Kestrel?');
      await reader.isDone();
      await look(page, `${layout}, answered`);
      await context.close();
    });

    test('a telephone, and a reader who is asked for consent', async () => {
      const { context, page, reader } = await open({ 'data-consent': 'required' }, true);
      await reader.launcher().click();
      await reader.panel().waitFor();
      await look(page, 'consent');
      await context.close();
      const phone = await open({}, true);
      await phone.reader.open();
      await phone.reader.ask('How do I install Kestrel?');
      await phone.reader.isDone();
      await phone.reader.get('thumb-up').click();
      await phone.reader.get('feedback').waitFor();
      await look(phone.page, 'telephone');
      await phone.context.close();
    });

    test('what a screen reader finds: names, regions, headings, and an order of tabs', async () => {
      const { context, page, reader } = await open({});
      await reader.open();
      await reader.ask('How do I install Kestrel?');
      await reader.isDone();
      await reader.get('suggestion').first().waitFor();
      const dialog = page.getByRole('dialog', { name: 'Ask the docs' });
      // Each answer has its sources: as landmarks they could not be told apart.
      for (const [name, role] of [
        ['Conversation', 'region'],
        ['Sources', 'group'],
        ['Ask next', 'region'],
      ] as const)
        await expect
          .poll(async () => [name, await dialog.getByRole(role, { name, exact: true }).count()])
          .toEqual([name, 1]);
      expect(await dialog.getByRole('article', { name: 'You asked' }).count()).toBe(1);
      expect(await dialog.getByRole('article', { name: 'Answer' }).count()).toBe(1);
      expect(await dialog.getByRole('heading', { level: 2 }).allTextContents()).toEqual([
        'Ask the docs',
      ]);
      await reader.get('conversation').focus();
      const order: (string | undefined)[] = [];
      while (order.length < 40 && order.at(-1) !== 'docent-input') {
        await page.keyboard.press('Tab');
        order.push(await reader.focused());
      }
      const wanted = ['docent-copy', 'docent-thumb-up', 'docent-thumb-down', 'docent-suggestion'];
      expect(order.filter((name) => wanted.includes(name ?? '')).slice(-6)).toEqual(
        expect.arrayContaining(wanted),
      );
      expect(order.indexOf('docent-thumb-up')).toBeLessThan(order.indexOf('docent-suggestion'));
      expect(order.at(-1)).toBe('docent-input');
      await context.close();
    });
  });
