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
      let place = -1;
      // Where the wheel comes to rest.
      await expect
        .poll(async () => {
          const last = place;
          place = await scrollTop(page);
          return place === last;
        })
        .toBe(true);
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
  });
