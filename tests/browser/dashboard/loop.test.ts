/**
 * Readers' questions repair the documentation, as a newcomer sees it on the demo, without a language model
 * and without reading anything first: two questions without an answer, "Write it", a merge, and both have one.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Demo, startDemo } from '@docent/demo-site/start';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findAxeViolations, findInBothSchemes } from '../axe.ts';
import { chromiumPath, openBrowser, whySkipped } from '../browser.ts';
import { collectFaults } from '../widget-host.ts';
import { overflow, phone, pictures } from './signed-in.ts';

const questions = [
  'Does Kestrel support quantum teleportation?',
  'How far does quantum teleportation of Kestrel reach?',
];
const text = 'Kestrel supports quantum teleportation since 2.0. It reaches as far as nine meters.';

if (chromiumPath !== undefined)
  describe('the loop', () => {
    let folder: string;
    let demo: Demo;
    let browser: Browser;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'docent-loop-'));
      const docs = join(folder, 'docs');
      await mkdir(docs);
      await writeFile(
        join(docs, 'index.md'),
        '---\ntitle: Start\norder: 1\n---\n\nKestrel watches your documentation. Install it with `npm install kestrel`.\n',
      );
      demo = await startDemo({
        docsFolder: docs,
        port: 0,
        sitePort: 0,
        dataFolder: join(folder, 'data'),
        log: () => undefined,
        variables: { LOG_LEVEL: 'silent' },
      });
      browser = await openBrowser();
    });
    afterAll(async () => {
      await browser?.close();
      await demo?.close();
      await rm(folder, { recursive: true, force: true });
    });

    test('two questions are asked, written, merged, and answered', async () => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
      const page = await context.newPage();
      const faults = collectFaults(page, (message) => message.startsWith('Failed to load'));
      const dialog = page.getByRole('dialog');
      const go = (name: string) =>
        page.getByRole('navigation').getByRole('link', { name, exact: true }).click();

      await askOnSite();

      await page.goto(demo.dashboard ?? '');
      await page.getByLabel('Your name').fill('Ada Lovelace');
      await page.getByLabel('Email').fill('ada@kestrel.test');
      await page.getByLabel('Password').fill('a long walk by the sea');
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();

      // The overview leads there.
      await page
        .getByRole('link', { name: /quantum teleportation/ })
        .first()
        .click();
      await page.getByRole('heading', { name: 'What happened' }).waitFor();
      await page.getByText('Asked 2 times').waitFor();
      await look(page, 'gap-open');
      await page.getByRole('button', { name: 'Write it' }).click();
      await dialog.getByLabel('Title').fill('Quantum teleportation');
      await dialog.getByLabel('Text').fill(text);
      await dialog.getByRole('button', { name: 'Create pull request' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText('In review').waitFor({ timeout: 90_000 });
      await look(page, 'gap-in-review');
      const opened = context.waitForEvent('page');
      await page.getByRole('link', { name: 'Pull request 1' }).first().click();
      const pull = await opened;
      await pull.getByText('Now answered').waitFor();
      await look(pull, 'pull');
      await pull.getByRole('button', { name: /Merge/ }).click();
      await pull
        .getByText(/Merged/)
        .first()
        .waitFor();
      await pull.close();

      await page.getByText('2 questions are now answered').waitFor({ timeout: 90_000 });
      await page.getByRole('heading', { name: 'Answers, before and now' }).waitFor();
      expect(
        await page
          .getByRole('region', { name: /^Now/ })
          .getByText(/since 2\.0/)
          .count(),
      ).toBe(2);
      await look(page, 'gap-answered');
      await go('Overview');
      await page.getByText('1 this month').waitFor();
      await page.locator('.chart canvas').waitFor();
      await look(page, 'overview');
      expect(faults).toEqual([]);
      await context.close();
    });

    /** As a reader of the demo's own site. */
    async function askOnSite(): Promise<void> {
      // Chromium doesn't know where a page from here comes from, and so asks before it reaches this machine.
      const context = await browser.newContext({ permissions: ['local-network-access'] });
      const reader = await context.newPage();
      await reader.goto(demo.siteUrl);
      await reader.getByRole('button', { name: /Ask/ }).first().click();
      const box = reader.getByRole('dialog').getByRole('textbox');
      for (const [at, question] of questions.entries()) {
        await box.fill(question);
        await box.press('Enter');
        // What screen readers hear repeats the answer when it has ended.
        const answers = reader.getByTestId('docent-answer').getByText('I could not find');
        await expect.poll(() => answers.count()).toBe(at + 1);
        // Whoever leaves before the end stops the answer.
        const rate = reader.getByRole('button', { name: 'Not helpful' });
        await expect.poll(() => rate.count()).toBe(at + 1);
      }
      await context.close();
    }

    /** On a desk and on a phone, in both schemes, nothing is wrong with the page as it's now. */
    async function look(page: Page, name: string): Promise<void> {
      const desk = page.viewportSize();
      expect(await findInBothSchemes(page), name).toEqual([]);
      const picture = async (kind: string) => {
        if (pictures === undefined) return;
        await page.screenshot({ path: join(pictures, `${name}-${kind}.png`), fullPage: true });
      };
      await picture('light');
      await page.emulateMedia({ colorScheme: 'dark' });
      await picture('dark');
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize(phone);
      await expect.poll(() => overflow(page), { message: name }).toBe(0);
      expect(await findAxeViolations(page), `${name} on a phone`).toEqual([]);
      await picture('phone');
      if (desk) await page.setViewportSize(desk);
    }
  });
else test('the loop', (context) => context.skip(whySkipped));
