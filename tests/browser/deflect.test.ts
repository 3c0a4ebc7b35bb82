/** Beside a page's own support form, answers are offered; the form stays as it is, and is always sent. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findAxeViolations } from './axe.ts';
import { chromiumPath } from './browser.ts';
import { startWidgetHost, type WidgetHost } from './widget-host.ts';

const form = `<section aria-label="Support"><form id="ticket" action="/sent">
<p><label>Subject <input id="subject" name="subject"></label></p>
<p><label>Message <textarea id="message" name="message"></textarea></label></p>
<button id="send">Send</button></form></section>`;

async function openForm(host: WidgetHost, attributes: Record<string, string> = {}) {
  const tag = host.tag({ 'data-deflect': '#subject, #message', ...attributes });
  host.put('/sent', '<h1>Thank you</h1>');
  const visit = await host.visit(host.put('/support', host.document(form + tag)));
  const asked: string[] = [];
  const loaded: string[] = [];
  visit.page.on('request', (request) => {
    if (request.method() === 'POST') asked.push(request.url());
    else loaded.push(request.url());
  });
  await visit.reader.launcher().waitFor();
  return { ...visit, asked, loaded };
}

const write = async (page: Page, subject: string, message = '') => {
  await page.locator('#subject').fill(subject);
  await page.locator('#message').fill(message);
};
const statements = (page: Page) => page.getByTestId('docent-deflect').getByRole('status');

if (chromiumPath !== undefined)
  describe('beside a support form', () => {
    test('an answer is offered by keyboard and counted when the reader says so', async () => {
      await using host = await startWidgetHost({ answer: null });
      const { page, reader, asked, loaded, faults, close } = await openForm(host);
      expect(loaded.filter((url) => url.includes('/deflect-'))).toEqual([]);
      await write(page, 'Installing', 'How do I install Kestrel?');
      await reader.get('deflect-ask').waitFor();
      expect(loaded.some((url) => url.includes('/panel-'))).toBe(false);
      expect(asked).toEqual([]);
      expect(await findAxeViolations(page)).toEqual([]);
      // The box comes after the last field, whose name stays.
      expect(await page.getByLabel('Message', { exact: true }).count()).toBe(1);
      await page.locator('#message').focus();
      await page.keyboard.press('Tab');
      await expect.poll(() => reader.focused()).toBe('docent-deflect-ask');
      await page.keyboard.press('Enter');
      await reader.isDone();
      await reader.get('deflect-yes').waitFor();
      expect(await statements(page).textContent()).toBe('Did that answer your question?');
      await page.keyboard.press('Escape');
      await reader.get('deflect-yes').click();
      expect(await statements(page).textContent()).toContain('You don’t need to send');
      await expect.poll(() => asked.filter((url) => url.includes('/feedback/')).length).toBe(1);
      const { database } = host.docent.docent.services;
      const kept = () => database.selectFrom('feedback').select(['rating', 'reasons']).execute();
      await expect.poll(kept).toEqual([{ rating: 'up', reasons: '["no_ticket"]' }]);
      // What was written stays, and is sent as ever.
      expect(await page.locator('#message').inputValue()).toBe('How do I install Kestrel?');
      await page.locator('#send').click();
      await page.waitForURL(/\/sent\?subject=Installing/);
      expect(faults).toEqual([]);
      await close();
    });

    test('nothing is asked or counted without the reader, and sending never waits', async () => {
      await using host = await startWidgetHost({ answer: null });
      const { page, reader, asked, close } = await openForm(host);
      await write(page, 'Too short');
      await write(page, 'Who won the football championship of 1998?');
      await reader.get('deflect-ask').click();
      await reader.isDone();
      await expect.poll(() => statements(page).textContent()).toContain('Please send your message');
      expect(await reader.get('deflect-yes').count()).toBe(0);
      await page.locator('#send').click({ force: true });
      await page.waitForURL(/\/sent\?/);
      expect(asked.filter((url) => url.includes('/feedback/'))).toEqual([]);
      await close();
    });

    test('“No” hides the offer, and a password is never read', async () => {
      await using host = await startWidgetHost({ answer: null });
      const { page, reader, close } = await openForm(host, {
        'data-deflect': 'form :is(input, textarea)',
      });
      await page.evaluate(() => {
        document
          .querySelector('#subject')
          ?.insertAdjacentHTML('afterend', '<input type="password" id="secret">');
      });
      await page.locator('#secret').fill('correct horse battery staple');
      await page.locator('#subject').fill('Kestrel');
      await page.locator('#message').fill('How do I install it?');
      await reader.get('deflect-ask').click();
      await reader.isDone();
      const { database } = host.docent.docent.services;
      const [turn] = await database.selectFrom('turns').select('question').execute();
      expect(turn?.question).toBe('Kestrel\nHow do I install it?');
      await page.keyboard.press('Escape');
      await reader.get('deflect-no').click();
      expect(await reader.get('deflect').isVisible()).toBe(false);
      await close();
    });
  });
