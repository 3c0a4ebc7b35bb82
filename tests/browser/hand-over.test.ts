/** A reader reaches people from the panel: by the form, up to the owner's mailbox, or by the owner's link. */
import { describe, expect, test } from 'vitest';
import { startMailServer } from '../support/mail-server.ts';
import { findAxeViolations } from './axe.ts';
import { chromiumPath } from './browser.ts';
import { startWidgetHost } from './widget-host.ts';

const unknown = 'Who won the football championship of 1998?';

if (chromiumPath !== undefined)
  describe('handing over', () => {
    test('the form is offered where there is no answer, says what is missing, and arrives', async () => {
      await using mail = await startMailServer();
      await using host = await startWidgetHost({
        answer: null,
        email: mail.email,
        variables: { MAIL_PASSWORD: 'geheim' },
        site: { handOver: { email: 'support@kestrel.example' } },
      });
      const { page, reader, faults, close } = await host.visit(host.put('/'));
      await reader.open();
      await reader.ask('How do I install Kestrel?');
      await reader.isDone();
      expect(await reader.get('ask-person').count()).toBe(0);
      await reader.ask(unknown);
      await reader.isDone(2);
      // By the keyboard alone.
      await reader.get('ask-person').focus();
      await page.keyboard.press('Enter');
      await reader.get('person').waitFor();
      expect(await findAxeViolations(page)).toEqual([]);
      await reader.get('person-name').fill('Ada');
      await reader.get('person-email').fill('ada@reader.example');
      await reader.get('person-message').fill('Who did?');
      await reader.get('person-send').click();
      await reader.get('person').getByRole('alert').waitFor();
      await expect.poll(() => reader.focused()).toBe('docent-person-consent');
      // What was written stays while the reader looks at the conversation.
      await reader.get('person-back').click();
      await reader.get('menu').click();
      await reader.get('menu-person').click();
      expect(await reader.get('person-message').inputValue()).toBe('Who did?');
      await reader.get('person-consent').check();
      await reader.get('person-send').click();
      await expect.poll(() => reader.focused()).toBe('docent-person-sent');
      await expect.poll(() => mail.mails.length).toBe(1);
      expect(mail.mails[0]?.raw).toContain(unknown);
      expect(mail.mails[0]?.raw).toMatch(/^Reply-To: .*ada@reader\.example/im);
      expect(faults).toEqual([]);
      await close();
    });

    test('the owner’s link gets the conversation’s ID, and a site without either offers nothing', async () => {
      await using host = await startWidgetHost({
        answer: null,
        sites: { 'kestrel-docs': { handOver: { link: 'https://tickets.invalid/?c={threadId}' } } },
      });
      const { page, reader, close } = await host.visit(host.put('/'));
      await reader.open();
      await reader.ask(unknown);
      await reader.isDone();
      const opened = page.context().waitForEvent('request', {
        predicate: (request) => request.url().startsWith('https://tickets.invalid/'),
      });
      await reader.get('ask-person').click();
      expect((await opened).url()).toMatch(/^https:\/\/tickets\.invalid\/\?c=[0-9A-Z]{26}$/);
      await close();
    });
  });
