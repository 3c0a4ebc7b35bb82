/** What a growing answer does to what is on the screen already: nothing. Counts, no times. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  answerOf,
  beginning,
  endMarker,
  firstWords,
  piecesOf,
} from '../bench/widget-stream/answer.ts';
import * as observe from '../bench/widget-stream/observe.ts';
import { startReplayServer, type ReplayServer } from '../bench/widget-stream/replay-server.ts';
import { ours } from '../bench/widget-stream/widgets.ts';
import { chromiumPath, openBrowser, whySkipped } from './browser.ts';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { collectFaults } from './widget-host.ts';

declare global {
  interface Window {
    /** How often something was stored. */
    writes?: number;
    /** The classes of the elements whose size is observed. */
    observed?: string[];
  }
}

const dist = fileURLToPath(new URL('../../widget/dist/', import.meta.url));
const pieces = piecesOf(answerOf(), 388);

if (chromiumPath === undefined) test('streaming', (context) => context.skip(whySkipped));
else
  describe('an answer that grows', () => {
    let server: ReplayServer;
    let browser: Browser;
    const widget = ours(dist);

    beforeAll(async () => {
      server = await startReplayServer();
      server.putPage(
        '/page',
        widget.page(server, () => ''),
      );
      browser = await openBrowser();
    });
    afterAll(async () => {
      await browser?.close();
      await server?.[Symbol.asyncDispose]();
    });

    const scrollTop = (page: Page) =>
      page.evaluate(
        () => window.bench.deepQuery('[data-testid=docent-conversation]')?.scrollTop ?? -1,
      );

    test('removes no node, keeps a selection, a place and the copy buttons', async () => {
      const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
      await page.addInitScript(observe.prepare);
      await page.goto(`${server.url}/page`);
      await widget.open(page);
      await page.evaluate(observe.watchRemovals, { log: widget.log, begin: beginning });
      const sent = server.load({ pieces, everyMs: 4, stops: [200] });
      await widget.send(page);
      await page.waitForFunction((words) => Boolean(window.bench.textNode(words)), firstWords);
      await server.isHeld();
      await page.waitForFunction(() => Boolean(window.bench.textNode('kestrel status')));
      const selection = { words: firstWords, copy: widget.copy };
      expect(await page.evaluate(observe.selectWords, selection)).toBe(true);
      server.goOn();
      await page.getByTestId('docent-jump').click();
      const box = await page.getByTestId('docent-conversation').boundingBox();
      await page.mouse.move((box?.x ?? 0) + 100, (box?.y ?? 0) + 200);
      await expect.poll(() => page.getByTestId('docent-jump').count()).toBe(0);
      await page.mouse.wheel(0, -150);
      // The end is out of sight: it is no longer followed.
      await expect.poll(() => page.getByTestId('docent-jump').count()).toBe(1);
      const place = await scrollTop(page);
      await sent;
      await page.waitForFunction((words) => Boolean(window.bench.textNode(words)), endMarker);
      await expect
        .poll(() => page.getByTestId('docent-answer').getAttribute('data-state'))
        .toBe('done');
      expect(await scrollTop(page)).toBe(place);
      expect(await page.evaluate(observe.isSelectionKept)).toBe(true);
      const seen = await page.evaluate(() => ({
        isCounting: window.bench.isCounting,
        removed: window.bench.removed,
        buttons: window.bench.watched.map((button) => button.isConnected),
      }));
      expect(seen.isCounting).toBe(true);
      expect(seen.removed).toBe(0);
      expect(seen.buttons.length).toBeGreaterThan(0);
      expect(seen.buttons).not.toContain(false);
      await page.getByTestId('docent-jump').click();
      await expect.poll(() => page.getByTestId('docent-jump').count()).toBe(0);
      await page.close();
    });

    test('causes no error on a busy page when the rest comes at once', async () => {
      const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
      const faults = collectFaults(page);
      await page.addInitScript(observe.prepare);
      await page.addInitScript(() => {
        // On a busy page, tasks wait while frames are drawn.
        const later = window.setTimeout;
        Object.assign(window, {
          setTimeout: (run: () => void, ms = 0) => later(run, Math.max(100, ms)),
        });
        window.observed = [];
        window.ResizeObserver = class extends ResizeObserver {
          override observe(element: Element): void {
            window.observed?.push(element.className);
            super.observe(element);
          }
        };
      });
      await page.goto(`${server.url}/page`);
      await widget.open(page);
      const text = pieces.join('');
      const cut = text.indexOf(firstWords) + firstWords.length;
      const halves = [text.slice(0, cut), text.slice(cut)];
      const sent = server.load({ pieces: halves, everyMs: 1, stops: [1] });
      await widget.send(page);
      await server.isHeld();
      await page.waitForFunction(() => window.observed?.includes('answer'));
      server.goOn();
      await sent;
      await expect.poll(() => page.getByTestId('docent-jump').count()).toBe(1);
      await expect
        .poll(() => page.getByTestId('docent-answer').getAttribute('data-state'))
        .toBe('done');
      expect(faults).toEqual([]);
      await page.close();
    });

    /** Words of one paragraph, which come in several copies of the answer, and the pieces they come in. */
    const paragraph = 'Readers ask most often about the direction';
    const copies = 6;
    const perWindow = 12;

    test('costs what is new in it, however long it has become', async () => {
      const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
      await page.addInitScript(observe.prepare);
      await page.addInitScript(() => {
        // eslint-disable-next-line typescript/unbound-method -- called with its storage below
        const write = Storage.prototype.setItem;
        Storage.prototype.setItem = function setItem(...given) {
          window.writes = (window.writes ?? 0) + 1;
          return write.apply(this, given);
        };
      });
      await page.goto(`${server.url}/page`);
      await widget.open(page);
      const session = await page.context().newCDPSession(page);
      await session.send('Performance.enable');
      await session.send('Profiler.enable');
      await session.send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
      let layoutsBefore = 0;
      /** Calls of functions of ours, and how often the browser laid out, since the last time. */
      const work = async () => {
        const { result } = await session.send('Profiler.takePreciseCoverage');
        const functions = result
          .filter(({ url }) => url.includes('/docent/'))
          .flatMap((script) => script.functions);
        const calls = functions.reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0);
        const { metrics } = await session.send('Performance.getMetrics');
        const layouts = metrics.find(({ name }) => name === 'LayoutCount')?.value ?? NaN;
        const seen = { calls, layouts: layouts - layoutsBefore };
        layoutsBefore = layouts;
        return seen;
      };
      const length = () =>
        page.evaluate(
          () => window.bench.deepQuery('[data-testid=docent-answer]')?.textContent?.length ?? 0,
        );

      const long = piecesOf(answerOf(copies), 388 * copies);
      // Two pieces into that paragraph, in the first copy and in the last.
      const starts = [1, copies].map((copy) => {
        const at = answerOf(copy).lastIndexOf(paragraph);
        let sum = 0;
        return long.findIndex((piece) => (sum += piece.length) > at + 24);
      });
      const stops = starts.flatMap((start) =>
        Array.from({ length: perWindow + 1 }, (_, index) => start + index),
      );
      const begun = performance.now();
      const sent = server.load({ pieces: long, everyMs: 0, stops });
      await widget.send(page);
      const costs: { calls: number; layouts: number }[] = [];
      for (const copy of [1, copies]) {
        await server.isHeld();
        await expect
          .poll(() =>
            page.evaluate(
              (words) =>
                (window.bench.deepQuery('[data-testid=docent-answer]')?.textContent ?? '').split(
                  words,
                ).length,
              paragraph.slice(0, 10),
            ),
          )
          .toBe(copy + 1);
        await work();
        // One piece at a time, each until it is seen: what else this machine does changes nothing.
        for (let index = 0; index < perWindow; index++) {
          const before = await length();
          server.goOn();
          await server.isHeld();
          await expect.poll(length, { interval: 20 }).toBeGreaterThan(before);
        }
        costs.push(await work());
        server.goOn();
      }
      await sent;
      await expect
        .poll(() => page.getByTestId('docent-answer').getAttribute('data-state'))
        .toBe('done');
      const writes = await page.evaluate(() => window.writes ?? 0);
      const [early, late] = costs;
      if (!early || !late) throw new Error('Both paragraphs were measured');
      // Five more copies above it, a hundred blocks: each of them is passed over, and no more. Compared
      // again with each word, they cost five times as much, near 20,000 calls a word. The conversation
      // may be saved in either of the two.
      expect(late.calls).toBeLessThan(early.calls * 3);
      expect(early.calls / perWindow).toBeLessThan(4_000);
      expect(late.calls / perWindow).toBeLessThan(4_000);
      expect(early.layouts).toBeLessThanOrEqual(2 * perWindow);
      expect(late.layouts).toBeLessThanOrEqual(2 * perWindow);
      // Not with each word: every second and a half, and where it begins and ends.
      expect(writes).toBeGreaterThan(0);
      expect(writes).toBeLessThan(4 * ((performance.now() - begun) / 1_500 + 4));
      await page.close();
    }, 60_000);
  });
