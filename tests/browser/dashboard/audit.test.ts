/** The page of the audit log. */
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { addPerson } from '../../support/person.ts';
import { startDocent } from '../../support/start-docent.ts';
import { findAxeViolations } from '../axe.ts';
import { chromiumPath, whySkipped } from '../browser.ts';
import { browser, docent, overflow, phone, signedIn, useDashboard } from './signed-in.ts';

if (chromiumPath !== undefined)
  describe('the page of the audit log', () => {
    useDashboard(async () => {
      const docent = await startDocent();
      const person = await addPerson(docent, 'admin');
      for (let number = 1; number <= 120; number++) {
        const body = { kind: 'assistant', name: `Key ${number}` };
        await person.fetch('/v1/keys', { method: 'POST', body });
      }
      await person.fetch('/v1/invitations', { method: 'POST', body: { role: 'viewer' } });
      return docent;
    });

    test('entries are read, narrowed by a click, linked, and downloaded', async () => {
      const { page, faults } = await signedIn(browser, docent, '/audit');
      const rows = page.getByRole('row');
      await page.getByText('Invited somebody as viewer').waitFor();
      await page.getByText('Created the assistant key “Key 120”').waitFor();
      expect(await rows.count()).toBe(101);
      await page.getByRole('button', { name: 'Load more' }).click();
      await page.getByText('Created the assistant key “tests”').waitFor();
      expect(await rows.count()).toBe(124);

      await page.getByText('Data', { exact: true }).first().click();
      await page.getByText('"type": "person.invited"').waitFor();
      expect(await findAxeViolations(page)).toEqual([]);

      await page.getByRole('button', { name: 'Command line' }).first().click();
      await expect.poll(() => rows.count()).toBe(3);
      expect(page.url()).toBe(`${docent.url}/dashboard/audit?actor=command-line`);
      await page.reload();
      await expect.poll(() => rows.count()).toBe(3);

      const saving = page.waitForEvent('download');
      await page.getByRole('link', { name: 'CSV' }).click();
      const download = await saving;
      expect(download.suggestedFilename()).toBe('kestrel-audit.csv');
      const table = await readFile(await download.path(), 'utf8');
      expect(table.trim().split('\n')).toHaveLength(3);

      await page.getByLabel('What').selectOption('People');
      await page.getByText('Nothing matches these filters').waitFor();
      await page.getByRole('button', { name: 'Show everything' }).click();
      await page.getByText('Invited somebody as viewer').waitFor();
      expect(new URL(page.url()).search).toBe('');
      await page.getByLabel('To').fill('2020-01-01');
      await page.getByText('Nothing matches these filters').waitFor();
      expect(faults).toEqual([]);
    });

    test.each(['light', 'dark'] as const)('fits a phone, %s', async (colorScheme) => {
      const options = { viewport: phone, colorScheme };
      const { page } = await signedIn(browser, docent, '/audit?type=person', options);
      await page.getByText('Invited somebody as viewer').waitFor();
      await page.getByText('Data', { exact: true }).first().click();
      expect(await overflow(page)).toBe(0);
      expect(await findAxeViolations(page)).toEqual([]);
    });
  });
else test('the page of the audit log', (context) => context.skip(whySkipped));
