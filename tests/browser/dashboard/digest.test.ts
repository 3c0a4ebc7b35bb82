/** The weekly email: switched on in the profile, and as its reader sees it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { partOf, startMailServer } from '../../support/mail-server.ts';
import { startDocent } from '../../support/start-docent.ts';
import { findAxeViolations, findInBothSchemes } from '../axe.ts';
import { chromiumPath, whySkipped } from '../browser.ts';
import { browser, docent, look, overflow, phone, signedIn, useDashboard } from './signed-in.ts';

if (chromiumPath !== undefined)
  describe('the weekly email', () => {
    let mail: Awaited<ReturnType<typeof startMailServer>>;
    beforeAll(async () => void (mail = await startMailServer()));
    useDashboard(() =>
      startDocent({
        email: mail.email,
        variables: { MAIL_PASSWORD: 'geheim' },
      }),
    );
    afterAll(() => mail[Symbol.asyncDispose]());

    test('is switched on in the profile, comes, and is switched off', async () => {
      const { page, context, faults } = await signedIn(browser, docent, '/profile', {
        timezoneId: 'Europe/Berlin',
      });
      const heading = page.getByRole('heading', { name: 'Weekly email' });
      const section = page.locator('section').filter({ has: heading });
      await section.getByText('It comes on Mondays at 8:00, Europe/Berlin.').waitFor();
      await look(page, 'digest-off');
      await section.getByRole('button', { name: 'Switch on' }).click();
      await section.getByText('Mondays at 8:00, Europe/Berlin.').waitFor();
      await section.getByText('On', { exact: true }).waitFor();
      expect(await findInBothSchemes(page)).toEqual([]);
      await look(page, 'digest-on');
      await page.setViewportSize(phone);
      expect(await overflow(page)).toBe(0);

      for (const what of ['Mars with oxygen tanks', 'zeppelin colours of invoices']) {
        await docent.ask(`Does Kestrel have ${what}?`);
      }
      await docent.ask('How do I install Kestrel?');
      const { database, digests, webhooks } = docent.docent.services;
      const past = '2026-01-05T07:00:00.000Z';
      await database
        .updateTable('memberships')
        .set({ digest_due_at: past })
        .where('digest_zone', 'is not', null)
        .execute();
      await digests.look();
      await webhooks.sender.work();
      expect(mail.mails).toHaveLength(1);

      const letter = await context.newPage();
      await letter.setContent(partOf(mail.mails[0]?.raw ?? '', 'text/html'));
      await letter.getByRole('heading', { name: '3 questions, 1 answered' }).waitFor();
      await look(letter, 'digest-email');
      await letter.emulateMedia({ colorScheme: 'light' });
      expect(await findAxeViolations(letter)).toEqual([]);
      await letter.setViewportSize(phone);
      expect(await overflow(letter)).toBe(0);
      await look(letter, 'digest-email-phone');
      // Its links lead to where they say.
      const href = await letter
        .getByRole('link', { name: /asked once/ })
        .first()
        .getAttribute('href');
      await page.goto(href ?? '');
      await page
        .getByText(/Mars|zeppelin/)
        .first()
        .waitFor();
      await page.goto(`${docent.url}/dashboard/profile`);
      await section.getByRole('button', { name: 'Switch off' }).click();
      await section.getByText('Off', { exact: true }).waitFor();
      expect(faults).toEqual([]);
      await context.close();
    });
  });
else test('the weekly email', (context) => context.skip(whySkipped));
