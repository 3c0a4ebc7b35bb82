/** What a reader does on a docs page, in a real browser, on the demo that `npm start` serves. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Demo, startDemo } from '@docent/demo-site/start';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { chromiumPath, openBrowser, whySkipped } from './browser.ts';
import { collectFaults } from './widget-host.ts';

if (chromiumPath !== undefined)
  describe('the widget on the demo site', () => {
    let folder: string;
    let demo: Demo;
    let browser: Browser;
    let context: BrowserContext;
    let page: Page;
    let asked: Record<string, unknown>[];
    let faults: string[];

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'docent-browser-'));
      demo = await startDemo({
        port: 0,
        sitePort: 0,
        dataFolder: folder,
        log: () => {},
        variables: { LOG_LEVEL: 'silent' },
      });
      browser = await openBrowser();
    });

    afterAll(async () => {
      await browser?.close();
      await demo?.close();
      await rm(folder, { recursive: true, force: true });
    });

    beforeEach(async () => {
      context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
      page = await context.newPage();
      asked = [];
      faults = collectFaults(page);
      page.on('request', (request) => {
        if (request.method() === 'POST')
          asked.push(request.postDataJSON() as Record<string, unknown>);
      });
    });

    afterEach(async () => {
      await context.close();
      expect(faults).toEqual([]);
    });

    const input = () => page.getByTestId('docent-input');
    const answer = () => page.getByTestId('docent-answer').last();
    const isDone = () => expect.poll(() => answer().getAttribute('data-state')).toBe('done');

    async function ask(question: string): Promise<void> {
      await input().fill(question);
      await input().press('Enter');
    }

    async function open(path = '/quick-start'): Promise<void> {
      await page.goto(demo.siteUrl + path);
      await page.getByTestId('docent-launcher').click();
      await input().waitFor();
    }

    test('select, ask, watch it grow, follow the citation, reload, ask on in the same thread', async () => {
      await page.goto(`${demo.siteUrl}/keys-and-limits`);
      await page.getByTestId('docent-launcher').waitFor();
      const paragraph = page.locator('main p', { hasText: 'If a key has leaked' });
      const selected = (await paragraph.innerText()).trim();
      await paragraph.click({ clickCount: 3 });
      await page.getByTestId('docent-ask-selection').click();
      await expect.poll(() => page.getByTestId('docent-chip').count()).toBe(1);

      // Every state that the reader gets to see, not only those that a poll happens to meet.
      await page.getByTestId('docent-panel').evaluate((panel) => {
        const lengths = new Set<number>();
        Object.assign(window, { lengths });
        const note = () =>
          lengths.add(panel.querySelector('[data-testid=docent-answer]')?.textContent?.length ?? 0);
        new MutationObserver(note).observe(panel, {
          subtree: true,
          childList: true,
          characterData: true,
        });
      });
      await ask('How do I revoke a leaked key?');
      await isDone();
      const steps = await page.evaluate(
        () => (window as unknown as { lengths: Set<number> }).lengths.size,
      );
      expect(steps).toBeGreaterThan(3);
      expect(asked).toHaveLength(1);
      expect(asked[0]).toMatchObject({
        currentPath: '/keys-and-limits',
        retrievalPageSize: 5,
        context: [{ type: 'textSelection', value: selected, path: '/keys-and-limits' }],
      });
      await expect.poll(() => answer().textContent()).toContain('docent keys');

      const citation = answer().getByTestId('docent-cite').first();
      const target = new URL((await citation.getAttribute('href')) ?? '');
      expect(target.origin).toBe(demo.siteUrl);
      await citation.click();
      await page.waitForURL(target.href);
      const heading = page.locator(`[id="${decodeURIComponent(target.hash.slice(1))}"]`);
      expect(await heading.evaluate((element) => /^H[1-6]$/.test(element.tagName))).toBe(true);
      await expect
        .poll(() => heading.evaluate((element) => element.getBoundingClientRect().top))
        .toBeLessThan(400);

      await page.reload();
      await input().waitFor();
      await expect.poll(() => page.getByTestId('docent-question').count()).toBe(1);
      await expect.poll(() => answer().textContent()).toContain('docent keys');
      await ask('And when does it expire?');
      await expect.poll(() => page.getByTestId('docent-answer').count()).toBe(2);
      await isDone();
      expect(asked).toHaveLength(2);
      expect(asked[1]?.['threadId']).toMatch(/^[0-9A-Z]{26}$/);
      expect(asked[1]?.['fp']).toBe(asked[0]?.['fp']);
    });

    test('nothing is stored, and nothing but the loader is requested, before the reader opens it', async () => {
      const requested: string[] = [];
      page.on('request', (request) => {
        if (!request.url().startsWith(demo.siteUrl)) requested.push(request.url());
      });
      await page.goto(demo.siteUrl);
      await page.getByTestId('docent-launcher').waitFor();
      await page.waitForLoadState('networkidle');
      expect(requested).toEqual([`${demo.docentUrl}/docent.js`]);
      const stored = await page.evaluate(() => [
        document.cookie,
        localStorage.length,
        sessionStorage.length,
      ]);
      expect(stored).toEqual(['', 0, 0]);
    });

    test('an answer is read from its beginning; a button leads to its end', async () => {
      await page.setViewportSize({ width: 1280, height: 560 });
      await open('/configuration');
      await ask('Which settings does the configuration file have?');
      await isDone();
      const seen = page.getByTestId('docent-conversation');
      const isAtTop = async () => {
        const frame = await seen.boundingBox();
        const question = await page.getByTestId('docent-question').boundingBox();
        const below = (question?.y ?? -1) - (frame?.y ?? 0);
        return below >= 0 && below < 20;
      };
      await expect.poll(isAtTop).toBe(true);
      await page.getByTestId('docent-jump').click();
      const left = () =>
        seen.evaluate((node) => node.scrollHeight - node.scrollTop - node.clientHeight);
      await expect.poll(left).toBeLessThan(2);
      await expect.poll(() => page.getByTestId('docent-jump').count()).toBe(0);
    });

    test('a question about something else gets a plain no, and no sources', async () => {
      await open();
      await ask('Who won the football world cup in 1974?');
      await isDone();
      await expect
        .poll(() => answer().textContent())
        .toContain('I could not find this in the documentation');
      expect(await answer().getByTestId('docent-source').count()).toBe(0);
    });

    test('a new conversation starts a new thread', async () => {
      await open();
      await ask('Which models can I use?');
      await isDone();
      await page.getByTestId('docent-new').click();
      await expect.poll(() => page.getByTestId('docent-question').count()).toBe(0);
      await ask('What is stored?');
      await isDone();
      expect(asked[1]?.['threadId'] ?? null).toBeNull();
    });
  });

if (chromiumPath === undefined) {
  test('the widget in a browser', (context) => context.skip(whySkipped));
}
