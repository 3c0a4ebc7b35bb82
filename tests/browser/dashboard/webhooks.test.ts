/** The page of webhooks. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startReceiver } from '../../support/receiver.ts';
import { startDocent, type TestDocent } from '../../support/start-docent.ts';
import { findAxeViolations } from '../axe.ts';
import { chromiumPath, openBrowser, whySkipped } from '../browser.ts';
import { overflow, phone, signedIn } from './signed-in.ts';

if (chromiumPath !== undefined)
  describe('the page of webhooks', () => {
    let docent: TestDocent;
    let receiver: Awaited<ReturnType<typeof startReceiver>>;
    let browser: Browser;

    beforeAll(async () => {
      receiver = await startReceiver();
      const toReceiver = {
        url: receiver.url,
        secretEnv: 'HOOK_SECRET',
        allowPrivateHosts: ['127.0.0.1'],
      };
      const failing = {
        url: 'https://hooks.example.com/services/geheim',
        secretEnv: 'HOOK_SECRET',
      };
      docent = await startDocent({
        projects: [
          { id: 'kestrel-docs', organization: 'kestrel', webhooks: [toReceiver] },
          { id: 'kestrel-handbook', organization: 'kestrel', webhooks: [failing] },
        ],
        variables: { HOOK_SECRET: 'a secret of the receiver' },
      });
      browser = await openBrowser();
      const { database, webhooks } = docent.docent.services;
      const say = (project: string, id: string) =>
        database.transaction().execute((transaction) =>
          webhooks.enqueue(transaction, {
            type: 'job.completed',
            project,
            time: new Date(),
            data: { job: { id, status: 'completed', prLink: null } },
          }),
        );
      for (let number = 1; number <= 30; number++) await say('kestrel-docs', `job-${number}`);
      await webhooks.sender.work();
      await say('kestrel-handbook', 'job-of-the-handbook');
      await database
        .updateTable('webhook_deliveries')
        .set({ status: 'failed', attempts: 9, last_status: 503, last_fault: 'status 503' })
        .set({ last_response: 'The receiver is being repaired.', due_at: null })
        .where('job_id', '=', 'job-30')
        .execute();
      await database
        .updateTable('webhook_deliveries')
        .set({ status: 'failed', attempts: 9, last_fault: 'no answer in time', due_at: null })
        .where('job_id', '=', 'job-of-the-handbook')
        .execute();
    });
    afterAll(async () => {
      await browser?.close();
      await docent?.[Symbol.asyncDispose]();
      await receiver?.[Symbol.asyncDispose]();
    });

    test('a failed delivery is found, read, and resent', async () => {
      const { page, faults } = await signedIn(browser, docent, '/webhooks');
      const table = page.getByRole('table', { name: 'Deliveries' });
      const endpoints = page.getByRole('table', { name: 'Endpoints' });
      await table.getByText('no answer in time').waitFor();
      await endpoints.getByText('9 attempts failed').waitFor();
      await endpoints.getByText('OK', { exact: true }).waitFor();
      expect(await page.content()).not.toContain('geheim');
      expect(await table.getByRole('row').count()).toBe(21);
      await page.getByRole('button', { name: 'Load more' }).click();
      await expect.poll(() => table.getByRole('row').count()).toBe(32);

      await page.getByLabel('Project').selectOption('kestrel-docs');
      await page.getByLabel('Status').selectOption('Failed');
      await expect.poll(() => table.getByRole('row').count()).toBe(2);
      expect(new URL(page.url()).search).toBe('?project=kestrel-docs&status=failed');
      await page.reload();
      await table.getByText('status 503').waitFor();
      await table.getByText('Body', { exact: true }).click();
      await table.getByText('The receiver is being repaired.').waitFor();
      await table.getByText('JSON', { exact: true }).click();
      await table.getByText('"id": "job-30"').waitFor();
      expect(await findAxeViolations(page)).toEqual([]);

      await page.getByLabel('Status').selectOption('Any status');
      await expect.poll(() => table.getByRole('row').count()).toBe(21);
      const before = receiver.received.length;
      await table.getByRole('button', { name: 'Resend' }).first().click();
      await expect.poll(() => receiver.received.length).toBe(before + 1);
      expect(receiver.received.at(-1)?.body).toContain('job-30');
      await expect.poll(() => table.getByText('Failed').count()).toBe(0);
      await expect
        .poll(() => table.getByText('Delivered').first().isVisible(), { timeout: 30_000 })
        .toBe(true);
      expect(faults).toEqual([]);
    });

    test('a viewer resends nothing, and an organization without webhooks reads how to set one up', async () => {
      const { page } = await signedIn(browser, docent, '/webhooks', { role: 'viewer' });
      await page.getByText('job.completed').first().waitFor();
      expect(await page.getByRole('button', { name: 'Resend' }).count()).toBe(0);
      const other = await signedIn(browser, docent, '/webhooks', { organization: 'osprey' });
      await other.page.getByText('No webhooks yet').waitFor();
      await other.page.getByText('DOCS_WEBHOOK_SECRET').first().waitFor();
      expect(await findAxeViolations(other.page)).toEqual([]);
    });

    test.each(['light', 'dark'] as const)('fits a phone, %s', async (colorScheme) => {
      const options = { viewport: phone, colorScheme };
      const { page } = await signedIn(browser, docent, '/webhooks', options);
      await page.getByText('JSON', { exact: true }).first().click();
      await page.getByText('"type": "job.completed"').first().waitFor();
      expect(await overflow(page)).toBe(0);
      expect(await findAxeViolations(page)).toEqual([]);
    });
  });
else test('the page of webhooks', (context) => context.skip(whySkipped));
