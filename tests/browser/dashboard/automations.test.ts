/** The page of automations: from a template to the history of a run. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { automationsOf } from '../../support/automations.ts';
import { follow } from '../../support/agent-script.ts';
import { type DocsRepository, makeRepository } from '../../support/docs-repository.ts';
import { type ScriptedModel, startScriptedModel } from '../../support/scripted-model.ts';
import { startDocent, toModel } from '../../support/start-docent.ts';
import { findAxeViolations, findInBothSchemes } from '../axe.ts';
import { chromiumPath, whySkipped } from '../browser.ts';
import { browser, docent, look, overflow, phone, signedIn, useDashboard } from './signed-in.ts';

if (chromiumPath !== undefined)
  describe('automations', () => {
    let docs: DocsRepository;
    let code: DocsRepository;
    let model: ScriptedModel;
    let begun: string;
    let raised: string;
    beforeAll(async () => {
      docs = await makeRepository({
        'docs/index.md': '# Kestrel\n\nRead how to [install](instal.md) it.\n',
        'docs/install.md': '# Install\n',
        'docs/options.md': '# Options\n\nSet `maxSize` to a number.\n',
      });
      code = await makeRepository({ 'src/size.ts': 'export const maxSize = 2;\n' });
      begun = (await code.tip()) ?? '';
      model = await startScriptedModel();
      const hourAgo = Math.floor(Date.now() / 1000) - 3600;
      const files = { 'src/size.ts': 'export const maxSize = 3;\n' };
      raised = await code.commit(files, 'Raise the size', { seconds: hourAgo });
    });
    useDashboard(() =>
      startDocent({
        models: { main: toModel(model.url) },
        projects: [
          {
            id: 'kestrel',
            organization: 'kestrel',
            repository: docs.path,
            docsRoot: 'docs',
            site: 'kestrel-docs',
            model: 'main',
            code: [{ name: 'server', repository: code.path }],
          },
          { id: 'osprey', organization: 'osprey', repository: docs.path },
        ],
      }),
    );
    afterAll(async () => {
      await docs[Symbol.asyncDispose]();
      await code[Symbol.asyncDispose]();
      await model.close();
    });

    test('a template becomes an automation, which repairs a link, is edited, paused, and deleted', async () => {
      const { page, context, faults } = await signedIn(browser, docent, '/automations');
      const dialog = page.getByRole('dialog');
      await look(page, 'automations-empty');
      await page.getByRole('button', { name: 'New automation' }).first().click();
      await look(page, 'automations-templates');
      expect(await findAxeViolations(page)).toEqual([]);
      await dialog.getByRole('button', { name: /^Review after a code change/ }).click();
      await dialog.getByText('docs/options.md').waitFor({ timeout: 60_000 });
      await dialog.getByText('names maxSize').waitFor();
      await dialog.getByLabel(/^Start with them: one job of about/).waitFor();
      await look(page, 'automations-proposals');
      expect(await findAxeViolations(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.getByRole('button', { name: /^Broken links/ }).click();
      await look(page, 'automations-new');
      expect(await findAxeViolations(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Create automation' }).click();
      await page.getByRole('heading', { name: 'Broken links', level: 1 }).waitFor();
      const history = page.getByRole('table', { name: 'History' });
      await history.getByText('The documentation has changed').waitFor({ timeout: 60_000 });
      await history.getByRole('link', { name: '#1' }).waitFor({ timeout: 60_000 });
      await history.getByText('1 finding').click();
      await history.getByText('docs/index.md:3').waitFor();
      await look(page, 'automation');

      await page.getByRole('button', { name: 'Run now' }).click();
      await history.getByText('Nothing new: it has dealt with').waitFor({ timeout: 60_000 });
      await page.getByRole('button', { name: 'Edit' }).click();
      await dialog.getByLabel('On a schedule').check();
      await dialog.getByLabel('How often').selectOption('Cron expression');
      await dialog.getByLabel('Cron expression').fill('often');
      await dialog.getByLabel('Time zone').fill('Europe/Berlin');
      await dialog.getByRole('button', { name: 'Save' }).click();
      // The refusal is beside its field, and what was typed stays.
      await dialog.getByText('must be five fields of cron').waitFor();
      await dialog.getByLabel('How often').selectOption('Every Monday');
      await look(page, 'automation-edit');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Every Monday at 07:00, Europe/Berlin').waitFor();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByRole('button', { name: 'Resume' }).waitFor();
      const { automations } = await automationsOf(docent).list();
      expect(automations).toMatchObject([{ name: 'Broken links', isPaused: true, nextAt: null }]);

      await page.getByRole('link', { name: 'Automations' }).first().click();
      const row = page.getByRole('table', { name: 'Automations' }).getByRole('row').nth(1);
      await row.getByText('No action needed').waitFor();
      await look(page, 'automations');
      await page.setViewportSize(phone);
      expect(await overflow(page)).toBe(0);
      expect(await findInBothSchemes(page)).toEqual([]);
      await look(page, 'automations-phone');
      await row.getByRole('link', { name: 'Broken links' }).click();
      await history.waitFor();
      expect(await overflow(page)).toBe(0);
      expect(await findInBothSchemes(page)).toEqual([]);
      await look(page, 'automation-phone');
      await page.getByRole('button', { name: 'Delete' }).click();
      await dialog.getByRole('button', { name: 'Delete automation' }).click();
      await page.getByText('No automations yet').waitFor();
      expect(faults).toEqual([]);
      await context.close();
    });

    test('what code contradicts is a table on the page of the job', async () => {
      const correct = (oldText: string, newText: string, codeLine: number) => ({
        call: 'correct',
        input: {
          path: 'docs/options.md',
          oldText,
          newText,
          repository: 'server',
          codePath: 'src/size.ts',
          codeLine,
        },
      });
      const work = follow({
        for: 'Compare the documentation with the code',
        answers: [
          [
            correct('Set `maxSize` to a number.', 'Set `maxSize` to 3.', 1),
            correct('# Options', '# Settings', 1),
          ],
          [{ call: 'finish', input: { title: 'Correct it', message: 'Done.', summary: 'Done.' } }],
        ],
      });
      model.reply((request) => {
        if (!request.text.includes('You review one')) {
          return typeof work === 'function' ? work(request) : work;
        }
        const agrees = request.text.includes('Set `maxSize` to a number');
        const sentence = agrees ? 'The code fixes the size at 3.' : 'A heading says nothing wrong.';
        return [{ call: 'verdict', input: { agrees, sentence } }];
      });
      const { page, context, faults } = await signedIn(browser, docent, '/automations');
      const dialog = page.getByRole('dialog');
      await page.getByRole('button', { name: 'New automation' }).first().click();
      await dialog.getByRole('button', { name: /^Docs and code disagree/ }).click();
      await look(page, 'drift-new');
      await dialog.getByRole('button', { name: 'Create automation' }).click();
      const history = page.getByRole('table', { name: 'History' });
      await history.getByRole('link', { name: /^#\d/ }).waitFor({ timeout: 60_000 });
      const [one] = (await automationsOf(docent).list()).automations;
      await page.goto(`${docent.url}/dashboard/projects/kestrel/jobs/${one?.lastRun?.job}`);
      const table = page.getByRole('table', { name: 'What code contradicts' });
      await table.getByText('docs/options.md:3').waitFor();
      await table.getByText('The code fixes the size at 3.').waitFor();
      await table.getByText('Taken back').waitFor();
      expect(await findInBothSchemes(page)).toEqual([]);
      await look(page, 'drift-job');
      await page.setViewportSize(phone);
      expect(await overflow(page)).toBe(0);
      await look(page, 'drift-job-phone');
      await automationsOf(docent).send('DELETE', one?.id ?? '');
      expect(faults).toEqual([]);
      await context.close();
    });

    test('a new automation begins with what was merged in the last days', async () => {
      const { page, context } = await signedIn(browser, docent, '/automations');
      const dialog = page.getByRole('dialog');
      model.reply(['The page is still right.']);
      await page.getByRole('button', { name: 'New automation' }).first().click();
      await dialog.getByRole('button', { name: /^Review after a code change/ }).click();
      await dialog.getByLabel(/^Start with them/).check({ timeout: 60_000 });
      await dialog.getByRole('button', { name: 'Create automation' }).click();
      const history = page.getByRole('table', { name: 'History' });
      await history.getByText('The page is still right.').waitFor({ timeout: 60_000 });
      const [one] = (await automationsOf(docent).list()).automations;
      expect(one?.task).toMatchObject({ about: 'code', since: begun });
      expect(one?.lastRun).toMatchObject({
        read: [{ commit: begun }, { commit: raised }],
        findings: [`${raised.slice(0, 10)} Raise the size`],
      });
      await automationsOf(docent).send('DELETE', one?.id ?? '');
      await context.close();
    });

    test('who may only look sees no actions', async () => {
      const { page, context } = await signedIn(browser, docent, '/automations', { role: 'viewer' });
      await page.getByText('No automations yet').waitFor();
      expect(await page.getByRole('button', { name: 'New automation' }).count()).toBe(0);
      await context.close();
    });
  });
else test('automations', (context) => context.skip(whySkipped));
