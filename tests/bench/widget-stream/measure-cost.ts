/** What an answer costs the page's main thread. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { endMarker } from './answer.ts';
import { isShown, openPage } from './own-browser.ts';
import type { Replay, ReplayServer } from './replay-server.ts';
import type { Widget } from './widgets.ts';

export interface Cost {
  /** As browsers count it: without what runs when a promise of `fetch` settles. */
  scriptMs: number;
  layoutMs: number;
  /** Everything on the main thread: all script, style, layout, painting, collecting garbage. */
  busyMs: number;
  /** By the clock, as browsers report it: on a busy machine it says little. */
  longestMs: number;
}

export interface CostRun {
  browser: Browser;
  server: ReplayServer;
  url: string;
  widget: Widget;
  replay: Replay;
  slow: number;
  /** Receives a CPU profile, where one is wanted. */
  onProfile?: (profile: unknown) => Promise<void>;
  onPicture?: (page: Page) => Promise<unknown>;
}

async function readMetrics(session: CDPSession) {
  const { metrics } = await session.send('Performance.getMetrics');
  const of = (name: string) => (metrics.find((one) => one.name === name)?.value ?? NaN) * 1000;
  return {
    at: performance.now(),
    scriptMs: of('ScriptDuration'),
    layoutMs: of('LayoutDuration') + of('RecalcStyleDuration'),
    busyMs: of('TaskDuration'),
  };
}

/** The page has nothing more to do, which is asked from outside and costs it nothing. */
async function isQuiet(session: CDPSession) {
  let last = await readMetrics(session);
  for (let quiet = 0; quiet < 3;) {
    await pause(300);
    const next = await readMetrics(session);
    quiet = (next.busyMs - last.busyMs) / (next.at - last.at) < 0.15 ? quiet + 1 : 0;
    last = next;
  }
  return last;
}

export async function measureCost(run: CostRun): Promise<Cost> {
  const { browser, server, url, widget, replay, slow, onProfile, onPicture } = run;
  const { context, page, session } = await openPage(browser, url, widget, slow);
  const idleFrom = await isQuiet(session);
  await pause(replay.pieces.length * replay.everyMs);
  const from = await readMetrics(session);
  await page.evaluate(() => void (window.bench.longTasks.length = 0));
  if (onProfile) {
    await session.send('Profiler.enable');
    await session.send('Profiler.setSamplingInterval', { interval: 200 });
    await session.send('Profiler.start');
  }
  const sent = server.load(replay);
  await widget.send(page);
  await sent;
  const to = await isQuiet(session);
  if (onProfile) await onProfile((await session.send('Profiler.stop')).profile);
  const tasks = await page.evaluate(() => [...window.bench.longTasks]);
  if (!(await isShown(page, endMarker))) throw new Error('the end of the answer is not shown');
  await onPicture?.(page);
  await context.close();
  // Blinking and polling that a page without an answer has too.
  const ratio = (to.at - from.at) / (from.at - idleFrom.at);
  const net = (key: 'scriptMs' | 'layoutMs' | 'busyMs') =>
    Math.max(0, to[key] - from[key] - (from[key] - idleFrom[key]) * ratio);
  return {
    scriptMs: net('scriptMs'),
    layoutMs: net('layoutMs'),
    busyMs: net('busyMs'),
    longestMs: Math.max(0, ...tasks),
  };
}
