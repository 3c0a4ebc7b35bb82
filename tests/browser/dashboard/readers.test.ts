/** D14, D15, and D16 as an owner uses them: conversations, the feedback inbox, and gaps. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { partOf, toBody } from '../../support/ask.ts';
import { postJson } from '../../support/call.ts';
import { type DocsRepository, makeRepository } from '../../support/docs-repository.ts';
import { startDocent, type TestDocent } from '../../support/start-docent.ts';
import { findAxeViolations, findInBothSchemes } from '../axe.ts';
import { chromiumPath, openBrowser, whySkipped } from '../browser.ts';
import { overflow, phone, signedIn } from './signed-in.ts';

const install = 'How do I install Kestrel?';
const billing = 'Does billing accept bitcoin invoices?';
const invoices = 'bitcoin billing invoices, is that accepted?';
const long = `Why does ${'longwordwithoutspaces'.repeat(30)} fail?`;
const note = 'The command is <b id="injected">wrong</b> since version 4.';

const rowsOf = (page: Page) => page.locator('tbody tr');
const row = (page: Page, text: string) => rowsOf(page).filter({ hasText: text });

/** On a desk and on a phone, in both schemes, nothing is wrong with the page as it's now. */
async function expectFine(page: Page, what: string): Promise<void> {
  const desk = page.viewportSize();
  expect(await findInBothSchemes(page), what).toEqual([]);
  await page.setViewportSize(phone);
  await expect.poll(() => overflow(page), { message: what }).toBe(0);
  expect(await findAxeViolations(page), `${what} on a phone`).toEqual([]);
  if (desk) await page.setViewportSize(desk);
}

if (chromiumPath !== undefined)
  describe('what owners see of readers', () => {
    let docent: TestDocent;
    let docs: DocsRepository;
    let browser: Browser;

    beforeAll(async () => {
      docs = await makeRepository({ 'docs/install.md': '---\ntitle: Install\n---\n\nRun it.\n' });
      docent = await startDocent({
        projects: [
          {
            id: 'kestrel',
            organization: 'kestrel',
            repository: docs.path,
            docsRoot: 'docs',
            site: 'kestrel-docs',
          },
        ],
      });
      browser = await openBrowser();
      for (const [index, question] of [install, billing, invoices, long].entries()) {
        const fp = `reader-${index}`;
        const asked = await docent.ask(toBody(question, { fp, currentPath: `/page-${index}` }));
        const messageId = partOf(asked.parts, 'start')?.['messageId'];
        if (question !== install) continue;
        const rated = { fp, messageId, rating: 'down', reasons: ['outdated'], note };
        await postJson(docent, '/discovery/v1/feedback/kestrel-docs', rated);
      }
    });
    afterAll(async () => {
      await browser?.close();
      await docent?.[Symbol.asyncDispose]();
      await docs?.[Symbol.asyncDispose]();
    });

    test('conversations are filtered by the address, read, exported, and deleted', async () => {
      const { page, faults } = await signedIn(browser, docent, '/conversations');
      await expect.poll(() => rowsOf(page).count()).toBe(4);
      await expectFine(page, 'list');
      await page.getByLabel('Outcome').selectOption('unanswered');
      await expect.poll(() => rowsOf(page).count()).toBe(3);
      await page.getByLabel('Search questions and answers').fill('ACCEPTED');
      await expect.poll(() => rowsOf(page).count()).toBe(1);
      expect(new URL(page.url()).search).toBe('?outcome=unanswered&text=ACCEPTED');
      const href = await page.getByRole('link', { name: 'CSV' }).getAttribute('href');
      const file = await page.request.get(href ?? '');
      expect((await file.text()).trimEnd().split('\r\n')).toHaveLength(2);
      await page.goto(`${docent.url}/dashboard/conversations?text=nobody-wrote-this`);
      await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
      await page.getByRole('button', { name: 'Clear the filters' }).click();
      await expect.poll(() => rowsOf(page).count()).toBe(4);

      await row(page, install).getByRole('link').first().click();
      await page.getByRole('heading', { name: 'Conversation' }).waitFor();
      const turn = page.getByRole('article');
      await turn.locator('.markdown pre', { hasText: 'kestrel-setup' }).waitFor();
      for (const text of ['Answered', 'First word', '/page-0', 'docent/extractive', 'Outdated']) {
        await turn.getByText(text, { exact: true }).first().waitFor();
      }
      // Readers' words are text.
      await turn.getByText(note).waitFor();
      expect(await page.locator('#injected').count()).toBe(0);
      await expectFine(page, 'conversation');

      await page.getByRole('button', { name: 'Delete the reader’s data' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('can’t be undone').waitFor();
      await dialog.getByRole('textbox').fill('kestrel');
      await dialog.getByRole('button', { name: 'Delete data' }).click();
      await dialog.getByText('Type kestrel-docs.').waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      expect(faults).toEqual([]);
    });

    test('feedback gets a state, an assignee, and a note, and two people see each other', async () => {
      const { page, faults, person } = await signedIn(browser, docent, '/feedback');
      await expect.poll(() => rowsOf(page).count()).toBe(1);
      await expectFine(page, 'inbox');
      await row(page, 'The command is').getByRole('link').first().click();
      const state = page.getByLabel('State', { exact: true });
      await state.waitFor();
      const other = await signedIn(browser, docent, '/feedback');
      await other.page.goto(page.url());
      await other.page.getByLabel('State', { exact: true }).waitFor();
      await expectFine(page, 'feedback');

      await state.selectOption('in-progress');
      await expect.poll(() => state.inputValue()).toBe('in-progress');
      await page.getByLabel('Assignee').selectOption(person.id);
      await expect.poll(() => page.getByLabel('Assignee').inputValue()).toBe(person.id);
      await page.getByLabel('New note').fill('Asked the team.');
      await page.getByRole('button', { name: 'Add note' }).click();
      await page.getByRole('listitem').getByText('Asked the team.').waitFor();

      // The other person's page is older.
      const theirs = other.page.getByLabel('State', { exact: true });
      await theirs.selectOption('dismissed');
      const conflict = other.page.getByRole('alert');
      await conflict.getByText('In progress, assigned to A owner').waitFor();
      await conflict.getByText('Dismissed').waitFor();
      expect(await theirs.inputValue()).toBe('in-progress');
      expect(await findAxeViolations(other.page)).toEqual([]);
      await conflict.getByRole('button', { name: 'Save mine' }).click();
      await expect.poll(() => theirs.inputValue()).toBe('dismissed');
      await conflict.waitFor({ state: 'detached' });
      await page.goto(`${docent.url}/dashboard/feedback`);
      await page.getByRole('heading', { name: 'No open feedback' }).waitFor();
      await page.getByRole('radio', { name: 'Dismissed 1' }).check();
      await expect.poll(() => rowsOf(page).count()).toBe(1);
      expect(faults).toEqual([]);
    });

    test('gaps are merged, split, and dismissed, and one becomes a pull request', async () => {
      const { page, faults } = await signedIn(browser, docent, '/gaps');
      await expect.poll(() => rowsOf(page).count()).toBe(2);
      for (const box of await page.getByRole('checkbox').all()) await box.check();
      await expectFine(page, 'gaps');
      await page.getByRole('button', { name: 'Merge' }).click();
      await expect.poll(() => rowsOf(page).count()).toBe(1);

      await rowsOf(page).getByRole('link').first().click();
      await page.getByRole('heading', { name: 'Wordings' }).waitFor();
      await page.getByRole('checkbox', { name: 'longword' }).check();
      await expectFine(page, 'gap');
      await page.getByRole('button', { name: 'Split off' }).click();
      await expect.poll(() => page.locator('.wordings li').count()).toBe(1);
      await page.getByRole('button', { name: 'Dismiss gap' }).click();
      await page.getByRole('button', { name: 'Open again' }).waitFor();

      await page.getByRole('navigation').getByRole('link', { name: 'Gaps' }).click();
      await expect.poll(() => rowsOf(page).count()).toBe(1);
      await rowsOf(page).getByRole('link').first().click();
      await page.getByRole('button', { name: 'Write it' }).click();
      const dialog = page.getByRole('dialog');
      expect(await dialog.getByLabel('Path').inputValue()).toMatch(/bitcoin.*\.md$/);
      await expectFine(page, 'new page');
      await dialog.getByRole('button', { name: 'Create pull request' }).click();
      await expect.poll(() => dialog.locator('.bad').count()).toBe(1);
      // The focus moves to the field with the fault in the next frame.
      await dialog.locator('textarea:focus').waitFor();
      await dialog.getByLabel('Title').fill('Pay with bitcoin');
      await dialog.getByLabel('Text').fill('Billing accepts **bitcoin**.');
      await dialog.getByRole('button', { name: 'Create pull request' }).click();
      await dialog.waitFor({ state: 'detached' });
      // The gap follows its job without a reload. The job may take its time where the machine is busy.
      await page.getByText('In review').waitFor({ timeout: 90_000 });
      await expectFine(page, 'gap in review');
      await page.getByRole('link', { name: 'Job', exact: true }).click();
      await page.getByText('Pay with bitcoin').first().waitFor();
      expect(page.url()).toContain('/projects/kestrel/jobs/');
      expect(faults).toEqual([]);
    });

    test('without questions and without the service, each page says what to do', async () => {
      await using empty = await startDocent();
      const { page } = await signedIn(browser, empty, '/');
      // Without a new page, into which axe would be read again.
      const go = (name: string) =>
        page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
      for (const [name, heading] of [
        ['Conversations', 'No questions in this period'],
        ['Feedback', 'No open feedback'],
        ['Gaps', 'No gaps in this period'],
      ] as const) {
        await go(name);
        await page.getByRole('heading', { name: heading }).waitFor();
        expect(await findAxeViolations(page), name).toEqual([]);
      }
      await page.route('**/v1/analytics/**', (route) =>
        route.fulfill({ status: 500, json: { error: 'It broke.', code: 'internal' } }),
      );
      for (const name of ['Conversations', 'Feedback', 'Gaps']) {
        await go(name);
        await page.getByRole('heading', { name, level: 1 }).waitFor();
        await page.getByRole('alert').getByText('It broke.').waitFor();
        expect(await findAxeViolations(page), name).toEqual([]);
      }
      await page.unroute('**/v1/analytics/**');
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('heading', { name: 'No gaps in this period' }).waitFor();
    });

    test('a viewer reads and changes nothing', async () => {
      const { page } = await signedIn(browser, docent, '/conversations', { role: 'viewer' });
      await row(page, install).getByRole('link').first().click();
      await page.getByRole('link', { name: 'Open the feedback' }).click();
      await page.getByLabel('State', { exact: true }).waitFor();
      expect(await page.getByLabel('State', { exact: true }).isDisabled()).toBe(true);
      expect(await page.getByRole('button', { name: 'Add note' }).count()).toBe(0);
      await page.goto(`${docent.url}/dashboard/gaps?state=dismissed`);
      await rowsOf(page).first().waitFor();
      expect(await page.getByRole('checkbox').count()).toBe(0);
    });
  });
else test('what owners see of readers', (context) => context.skip(whySkipped));
