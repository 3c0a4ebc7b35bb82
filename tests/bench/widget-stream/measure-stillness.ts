/** Whether an answer stays still: what leaves the page, a selection, the reader's place. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { beginning, endMarker, firstWords } from './answer.ts';
import type { CostRun } from './measure-cost.ts';
import * as observe from './observe.ts';
import { isShown, openPage } from './own-browser.ts';

export interface Stillness {
  removed: number;
  /** With all that the removed nodes held. */
  removedInAll: number;
  isSelectionKept: boolean;
  isPlaceKept: boolean;
  /** Of code blocks: how many there were at half time, and how many of them are there at the end. */
  copyButtons: string;
}

const readPlace = (page: Page) =>
  page.evaluate((words) => {
    const { node } = window.bench.textNode(words) ?? {};
    return node ? window.bench.scrollerOf(node).scrollTop : NaN;
  }, firstWords);

/** Three notches up while the answer grows: a widget that only looks now and then pulls back. */
async function scrollUp(page: Page): Promise<void> {
  await page.evaluate((words) => {
    const { node } = window.bench.textNode(words) ?? {};
    const scroller = node ? window.bench.scrollerOf(node) : document.documentElement;
    window.bench.wheels = 0;
    const count = (event: WheelEvent) => {
      if (event.composedPath().includes(scroller)) window.bench.wheels += 1;
    };
    addEventListener('wheel', count, { capture: true, passive: true });
  }, firstWords);
  for (let notch = 0; notch < 3; notch++) {
    await page.mouse.wheel(0, -120);
    await pause(60);
  }
}

/** The pointer over the conversation, and the conversation at its end, where others keep it themselves. */
async function goToEnd(page: Page, toEnd?: (page: Page) => Promise<void>): Promise<number> {
  const middle = await page.evaluate((words) => {
    const { node } = window.bench.textNode(words) ?? {};
    const scroller = node ? window.bench.scrollerOf(node) : document.body;
    const { x, y, width, height } = scroller.getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2 };
  }, firstWords);
  await toEnd?.(page);
  await page.mouse.move(middle.x, middle.y);
  await page.mouse.wheel(0, 5_000);
  await pause(700);
  return readPlace(page);
}

/**
 * The answer waits at half time until words are selected, then until its end is in view, and once
 * more after the reader has scrolled up: so a busy machine changes nothing in what is seen.
 */
export async function measureStillness(run: CostRun): Promise<Stillness> {
  const { browser, server, url, widget, replay, slow, onPicture } = run;
  const { context, page } = await openPage(browser, url, widget, slow);
  await page.evaluate(observe.watchRemovals, { log: widget.log, begin: beginning });
  const count = replay.pieces.length;
  const stops = [Math.round(count * 0.5), Math.round(count * 0.6), Math.round(count * 0.9)];
  const sent = server.load({ ...replay, stops });
  await widget.send(page);

  await server.isHeld();
  await page.waitForFunction((words) => Boolean(window.bench.textNode(words)), firstWords);
  await pause(700);
  if (await isShown(page, endMarker)) throw new Error('the answer came at once, not as a stream');
  const isSelected = await page.evaluate(observe.selectWords, {
    words: firstWords,
    copy: widget.copy,
  });
  if (!isSelected) throw new Error('the words of the first paragraph could not be selected');
  await onPicture?.(page);
  server.goOn();

  await server.isHeld();
  await pause(700);
  const before = await goToEnd(page, widget.toEnd);
  server.goOn();
  await scrollUp(page);

  await server.isHeld();
  await pause(700);
  if (!(await page.evaluate(() => window.bench.wheels)))
    throw new Error('the wheel did not reach the conversation');
  const place = await readPlace(page);
  server.goOn();

  await sent;
  await page.waitForFunction((words) => Boolean(window.bench.textNode(words)), endMarker);
  await pause(1_000);
  const after = await readPlace(page);
  const isSelectionKept = await page.evaluate(observe.isSelectionKept);
  const seen = await page.evaluate(() => ({
    isCounting: window.bench.isCounting,
    removed: window.bench.removed,
    removedInAll: window.bench.removedInAll,
    buttons: window.bench.watched.length,
    kept: window.bench.watched.filter((button) => button.isConnected).length,
  }));
  if (!seen.isCounting) throw new Error('the answer grew somewhere else than was watched');
  await onPicture?.(page);
  await context.close();
  return {
    removed: seen.removed,
    removedInAll: seen.removedInAll,
    isSelectionKept,
    isPlaceKept: place < before - 50 && Math.abs(after - place) < 2,
    copyButtons: seen.buttons ? `${seen.kept} of ${seen.buttons}` : 'none',
  };
}
