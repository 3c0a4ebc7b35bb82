/** The page of jobs: the list, the job's own page behind the session, and a link for somebody else. */
import { describe, expect, test } from 'vitest';
import { agentOf, kestrelProject } from '../../support/agent.ts';
import { startDocent } from '../../support/start-docent.ts';
import { findAxeViolations, findInBothSchemes } from '../axe.ts';
import { chromiumPath, whySkipped } from '../browser.ts';
import { browser, docent, overflow, phone, signedIn, useDashboard } from './signed-in.ts';

if (chromiumPath !== undefined)
  describe('jobs', () => {
    useDashboard(async () => {
      const docent = await startDocent({ runJobs: false, projects: [kestrelProject] });
      await agentOf(docent).create({ prompt: 'Fix the install page' });
      return docent;
    });

    test('a person opens a job, and somebody without an account reads the shared link until it is revoked', async () => {
      const { page, context, faults } = await signedIn(browser, docent, '/jobs');
      await page.getByRole('button', { name: 'Share' }).click();
      const dialog = page.getByRole('dialog', { name: 'Share “Fix the install page”' });
      await dialog.getByRole('button', { name: 'Create link' }).click();
      const link = (await dialog.locator('.secret code').textContent()) ?? '';
      expect(await findAxeViolations(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Close' }).click();

      const other = await browser.newPage();
      await other.goto(link);
      await other.getByRole('heading', { name: 'Fix the install page' }).waitFor();
      const [job] = (await agentOf(docent).list()).body.jobs;
      await agentOf(docent).message(job?.id ?? '', { prompt: 'And the home page' });
      await other.getByRole('log').getByText('And the home page').waitFor();
      await page.getByRole('button', { name: 'Revoke the link to Fix the install page' }).click();
      await page.getByRole('button', { name: 'Revoke link' }).click();
      await expect.poll(() => page.getByRole('table', { name: 'Shared links' }).count()).toBe(0);
      await other.reload();
      await other.getByRole('heading', { name: 'Sign in to open this page' }).waitFor();
      await other.getByRole('alert').getByText('This link has expired, was revoked').waitFor();
      await other.close();

      await page.getByRole('link', { name: 'Fix the install page' }).click();
      await page.getByRole('heading', { name: 'Fix the install page' }).waitFor();
      expect(new URL(page.url()).search).toBe('');

      // The log is live behind a session, too.
      await page.getByRole('log').waitFor();
      await agentOf(docent).message(job?.id ?? '', { prompt: 'And the upgrade page' });
      await page.getByRole('log').getByText('And the upgrade page').waitFor();

      // From there, the way leads back.
      await page.getByRole('link', { name: 'kestrel', exact: true }).click();
      await page.getByRole('heading', { name: 'kestrel' }).waitFor();
      await page.getByRole('link', { name: 'Jobs', exact: true }).click();
      await page.getByRole('table', { name: 'Jobs' }).waitFor();
      expect(faults).toEqual([]);
      await context.close();
    });

    test('empty and full, on a phone, light and dark, without accessibility faults', async () => {
      for (const organization of ['kestrel', 'osprey']) {
        const options = { viewport: phone, organization };
        const { page, context } = await signedIn(browser, docent, '/jobs', options);
        await expect.poll(() => page.locator('main .skeleton').count()).toBe(0);
        expect(await overflow(page)).toBe(0);
        expect(await findInBothSchemes(page)).toEqual([]);
        await context.close();
      }
    });
  });
else test('the page of jobs', (context) => context.skip(whySkipped));
