/**
 * What a growing answer costs a reader's browser, and whether it stays still:
 * `pnpm build && node tests/bench/widget-stream.bench.ts [--rounds 3] [--only ours,deep-chat,…] [--times 10]`.
 * One answer of 3 kB in 388 pieces, 12 ms apart, into our widget and into others from npm, each in its
 * own protocol, with the processor slowed four times. First run: times, nothing else in the page.
 * Second run: what is removed, whether a selection and a reader's place survive.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { openBrowser } from '../browser/browser.ts';
import { temporaryFolder } from '../support/fixture.ts';
import { answerOf, endMarker, firstWords, piecesOf } from './widget-stream/answer.ts';
import { installPeers } from './widget-stream/install-peers.ts';
import * as observe from './widget-stream/observe.ts';
import { type ReplayServer, startReplayServer } from './widget-stream/replay-server.ts';
import { ours, peers, type Widget } from './widget-stream/widgets.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
    /** So many copies of the answer one after the other: 10 make 30 kB. */
    times: { type: 'string', default: '1' },
    slow: { type: 'string', default: '4' },
    /** Where to write a CPU profile of ours, and a picture of each widget. */
    profile: { type: 'string', default: '' },
    pictures: { type: 'string', default: '' },
  },
});
const times = Number(values.times);
const pieces = piecesOf(answerOf(times), 388 * times);
const everyMs = 12;

interface Cost {
  scriptMs: number;
  layoutMs: number;
  longestMs: number;
}
interface Stillness {
  removed: number;
  isSelectionKept: boolean;
  isPlaceKept: boolean;
  copyButtons: string;
}

async function readMetrics(session: CDPSession) {
  const { metrics } = await session.send('Performance.getMetrics');
  const of = (name: string) => (metrics.find((one) => one.name === name)?.value ?? NaN) * 1000;
  return {
    scriptMs: of('ScriptDuration'),
    layoutMs: of('LayoutDuration') + of('RecalcStyleDuration'),
  };
}

/** The page with the widget open, the question written, and the browser slowed. */
async function openPage(browser: Browser, server: ReplayServer, path: string, widget: Widget) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  await page.addInitScript(observe.prepare);
  await page.goto(server.url + path);
  await widget.open(page);
  await pause(1500);
  const session = await context.newCDPSession(page);
  // The page's own time on the processor, not the clock's: what else runs here hardly counts.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await session.send('Emulation.setCPUThrottlingRate', { rate: Number(values.slow) });
  return { context, page, session };
}

/** The end of an answer stands on the screen. Asked rarely, as asking costs the page something too. */
async function isShown(page: Page): Promise<void> {
  for (let tries = 0; tries < 60; tries++) {
    await pause(500);
    const isThere = await page.evaluate(
      (words) => Boolean(window.bench.textNode(words)),
      endMarker,
    );
    if (isThere) return;
  }
  throw new Error('The end of the answer never came on the screen');
}

async function measureCost(...given: Parameters<typeof openPage>): Promise<Cost> {
  const [, server, , widget] = given;
  const { context, page, session } = await openPage(...given);
  const sent = server.load({ pieces, everyMs });
  const idleFrom = await readMetrics(session);
  await pause(pieces.length * everyMs);
  const from = await readMetrics(session);
  await page.evaluate(() => void (window.bench.longTasks.length = 0));
  if (values.profile && widget.name === 'ours') {
    await session.send('Profiler.enable');
    await session.send('Profiler.setSamplingInterval', { interval: 200 });
    await session.send('Profiler.start');
  }
  await widget.send(page);
  await sent;
  await pause(1000);
  const to = await readMetrics(session);
  if (values.profile && widget.name === 'ours') {
    const { profile } = await session.send('Profiler.stop');
    await writeFile(values.profile, JSON.stringify(profile));
  }
  await isShown(page);
  const tasks = await page.evaluate(() => window.bench.longTasks);
  if (values.pictures) {
    await mkdir(values.pictures, { recursive: true });
    await page.screenshot({ path: join(values.pictures, `${widget.name}.png`) });
  }
  await context.close();
  return {
    scriptMs: to.scriptMs - from.scriptMs - (from.scriptMs - idleFrom.scriptMs),
    layoutMs: to.layoutMs - from.layoutMs - (from.layoutMs - idleFrom.layoutMs),
    longestMs: Math.max(0, ...tasks),
  };
}

/** Turns the wheel over the conversation; returns where it then stands. */
async function scrollUp(page: Page): Promise<() => Promise<number>> {
  const where = async () =>
    page.evaluate((words) => {
      const { node } = window.bench.textNode(words) ?? {};
      return node ? window.bench.scrollerOf(node).scrollTop : NaN;
    }, firstWords);
  const box = await page.evaluate((words) => {
    const { node } = window.bench.textNode(words) ?? {};
    const { x, y, width, height } = (
      node ? window.bench.scrollerOf(node) : document.body
    ).getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2 };
  }, firstWords);
  await page.mouse.move(box.x, box.y);
  const before = await where();
  await page.mouse.wheel(0, -Math.min(300, Math.max(120, before / 2)));
  await pause(700);
  return where;
}

async function measureStillness(...given: Parameters<typeof openPage>): Promise<Stillness> {
  const [, server, , widget] = given;
  const { context, page } = await openPage(...given);
  const sent = server.load({ pieces, everyMs });
  await widget.send(page);
  await server.reaches(10);
  await page.waitForFunction((words) => Boolean(window.bench.textNode(words)), firstWords);
  await page.evaluate(observe.watchRemovals, widget.log);
  await server.reaches(Math.round(pieces.length * 0.5));
  const isSelected = await page.evaluate(observe.selectWords, {
    words: firstWords,
    copy: widget.copy,
  });
  await widget.toEnd?.(page);
  await server.reaches(Math.round(pieces.length * 0.6));
  const where = await scrollUp(page);
  const place = await where();
  await sent;
  await isShown(page);
  const after = await where();
  const seen = await page.evaluate(() => ({
    removed: window.bench.removed,
    before: window.bench.watched.length,
    kept: window.bench.watched.filter((button) => button.isConnected).length,
  }));
  const isKept = isSelected && (await page.evaluate(observe.isSelectionKept));
  await context.close();
  return {
    removed: seen.removed,
    isSelectionKept: isKept,
    isPlaceKept: Math.abs(after - place) < 2,
    copyButtons: seen.before ? `${seen.kept} of ${seen.before}` : 'none',
  };
}

const show = (numbers: number[]) => numbers.map((each) => Math.round(each)).join(' / ');

async function main() {
  const dist = fileURLToPath(new URL('../../widget/dist/', import.meta.url));
  const wanted = values.only.split(',').filter(Boolean);
  const widgets = [...peers, ours(dist)].filter(
    ({ name }) => !wanted.length || wanted.some((each) => name.startsWith(each)),
  );
  await using folder = await temporaryFolder();
  await installPeers(
    folder.path,
    widgets.flatMap(({ packages }) => packages),
  );
  await using server = await startReplayServer();
  const browser = await openBrowser();
  console.log(
    `${pieces.join('').length} characters, ${pieces.length} pieces ${everyMs} ms apart, processor slowed ${values.slow} times, load ${loadavg()[0]?.toFixed(1)}\n`,
  );
  console.log(
    '| Widget | nodes removed | selection kept | scroll-up kept | copy buttons kept | script ms | style+layout ms | worst long task ms |\n|---|---|---|---|---|---|---|---|',
  );
  for (const [index, widget] of widgets.entries()) {
    const path = `/page-${index}`;
    server.putPage(
      path,
      widget.page(server, (name) => join(folder.path, name)),
    );
    try {
      const costs: Cost[] = [];
      for (let round = 0; round < Number(values.rounds); round++)
        costs.push(await measureCost(browser, server, path, widget));
      const still = await measureStillness(browser, server, path, widget);
      const of = (key: keyof Cost) => show(costs.map((each) => each[key]));
      console.log(
        `| ${widget.name} | ${still.removed} | ${still.isSelectionKept ? 'yes' : 'no'} | ${still.isPlaceKept ? 'yes' : 'no'} | ${still.copyButtons} | ${of('scriptMs')} | ${of('layoutMs')} | ${of('longestMs')} |`,
      );
    } catch (error) {
      console.log(`| ${widget.name} | failed: ${String(error)} ${server.unknown.join(', ')} |`);
    }
  }
  await browser.close();
}

await main();
