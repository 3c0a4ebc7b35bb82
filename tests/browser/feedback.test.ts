/** What readers think of an answer, and "this page is wrong", from the click to the row of the service. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { chromiumPath } from './browser.ts';
import { type ReportingHost, startReportingHost } from './reporting-host.ts';
import { collectFaults, readerOf } from './widget-host.ts';

if (chromiumPath !== undefined)
  describe('feedback', () => {
    let host: ReportingHost;
    let browser: Browser;
    let context: BrowserContext;
    let page: Page;
    let faults: string[];
    let reader: ReturnType<typeof readerOf>;

    beforeAll(async () => {
      host = await startReportingHost(['Run the installer of Kestrel. [1]']);
      host.put('/install');
      browser = await host.browser();
    });
    afterAll(() => host?.[Symbol.asyncDispose]());
    beforeEach(async () => {
      context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
      page = await context.newPage();
      faults = collectFaults(page);
      reader = readerOf(page);
      await page.goto(`${host.origin}/install`);
      await reader.open();
      await reader.ask('How do I install Kestrel?');
      await reader.isDone();
    });
    afterEach(async () => {
      await context.close();
      expect(faults).toEqual([]);
      const { database } = host.docent.docent.services;
      await database.deleteFrom('feedback').execute();
    });

    const rows = () =>
      host.docent.docent.services.database
        .selectFrom('feedback')
        .select(['rating', 'reasons', 'note', 'path', 'turn_id'])
        .execute();
    const isAnnounced = (words: string) =>
      expect.poll(() => reader.get('announcement').textContent()).toBe(words);
    const pressed = (which: 'up' | 'down') =>
      reader.get(`thumb-${which}`).getAttribute('aria-pressed');

    test('a thumb is stored once, whatever is clicked; reasons and a note follow; a reload keeps it', async () => {
      await reader.get('thumb-up').click();
      await expect.poll(rows).toMatchObject([{ rating: 'up', note: null }]);
      await isAnnounced('Thank you for your feedback.');
      // The form that it opens comes into sight, so each press looks for its place anew.
      for (let press = 0; press < 3; press++) await reader.get('thumb-down').click();
      await expect.poll(() => pressed('up')).toBe('false');
      await expect.poll(rows).toMatchObject([{ rating: 'down' }]);

      expect(await reader.get('feedback-send').isDisabled()).toBe(true);
      await reader.get('reason-unclear').check({ force: true });
      await reader.get('reason-irrelevant').check({ force: true });
      await reader.get('feedback-note').fill('I asked for Debian.');
      await reader.get('feedback-send').click();
      await expect.poll(rows).toEqual([
        {
          rating: 'down',
          reasons: '["unclear","irrelevant"]',
          note: 'I asked for Debian.',
          path: null,
          turn_id: expect.any(String),
        },
      ]);
      await expect.poll(() => reader.focused()).toBe('docent-feedback-thanks');

      await page.reload();
      await reader.get('answer').waitFor();
      await expect.poll(() => pressed('down')).toBe('true');
      expect(await reader.get('feedback').count()).toBe(0);
      expect(await rows()).toHaveLength(1);
    });

    test('it can be taken back, by the thumb and by the form', async () => {
      await reader.get('thumb-up').click();
      await expect.poll(rows).toHaveLength(1);
      await reader.get('thumb-up').click();
      await expect.poll(rows).toEqual([]);
      await expect.poll(() => pressed('up')).toBe('false');
      await expect.poll(() => reader.focused()).toBe('docent-thumb-up');

      await reader.get('thumb-down').click();
      await expect.poll(rows).toHaveLength(1);
      await reader.get('feedback-undo').click();
      await expect.poll(rows).toEqual([]);
      await expect.poll(() => reader.get('feedback').count()).toBe(0);
      await expect.poll(() => reader.focused()).toBe('docent-thumb-down');
      await isAnnounced('Your rating was removed.');
    });

    test('offline it is kept, the form says so, and it is sent when the network is back', async () => {
      await reader.get('thumb-up').click();
      await reader.get('feedback').waitFor();
      await expect.poll(rows).toHaveLength(1);
      await context.setOffline(true);
      await reader.get('thumb-down').click();
      await reader.get('reason-outdated').check({ force: true });
      await reader.get('feedback-send').click();
      await expect
        .poll(() => reader.get('feedback-thanks').textContent())
        .toContain('is sent as soon as possible');
      expect(await rows()).toMatchObject([{ rating: 'up' }]);
      await context.setOffline(false);
      await expect.poll(rows).toMatchObject([{ rating: 'down', reasons: '["outdated"]' }]);
      faults.splice(0);
    });

    test('a wrong page is reported with the page that the reader chose, and the result is shown', async () => {
      await reader.get('thumb-down').click();
      expect(await reader.get('feedback-fix').count()).toBe(0);
      await reader.get('reason-incorrect').check({ force: true });
      await reader.get('feedback-fix').check();
      const pages = reader.get('feedback-page');
      expect(await pages.first().getAttribute('value')).toBe('/install');
      expect(await pages.first().isChecked()).toBe(true);
      await reader.get('feedback-note').fill('It is wrong.');
      await reader.get('feedback-send').click();
      await reader.get('feedback').getByText('at least 20 characters').waitFor();
      await expect.poll(() => reader.focused()).toBe('docent-feedback-note');
      await reader.get('feedback-note').fill('The command in the second step is called setup now.');
      await reader.get('feedback-send').click();
      await expect
        .poll(() => reader.get('feedback-thanks').textContent())
        .toContain('The owners of this documentation will review your report.');
      await expect
        .poll(rows)
        .toMatchObject([{ rating: 'down', reasons: '["incorrect"]', path: '/install' }]);
      const { database } = host.docent.docent.services;
      const reports = () => database.selectFrom('reader_jobs').selectAll().execute();
      await expect.poll(reports).toMatchObject([{ job_id: null }]);
    });
  });
