/**
 * What a growing answer costs a reader's browser, and whether it stays still:
 * `pnpm build && node tests/bench/widget-stream.bench.ts [--rounds 3] [--only ours,deep-chat,…] [--times 10]`.
 * One answer of 3 kB in 388 pieces, 12 ms apart, into our widget and into others from npm, each in its
 * own protocol, with the processor slowed four times. First rounds: times, nothing else in the page.
 * One more: what is removed, whether a selection and a reader's place survive. Each widget has a
 * browser of its own, which is ended when its time is over. Script and layout are time of the page's
 * main thread on the processor, less that of the same page at rest. Browsers do not count as script
 * what runs when a promise of `fetch` settles; the whole of the main thread has it. Medians, each round
 * behind them. The longest task since the question was sent is by the clock, so it counts only on a
 * machine that does nothing else: the load stands beside it.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { answerOf, piecesOf } from './widget-stream/answer.ts';
import { cacheFolder, installPeers } from './widget-stream/install-peers.ts';
import { type Cost, type CostRun, measureCost } from './widget-stream/measure-cost.ts';
import { measureStillness } from './widget-stream/measure-stillness.ts';
import { openOwnBrowser } from './widget-stream/own-browser.ts';
import { startReplayServer } from './widget-stream/replay-server.ts';
import { ours, peers, type Widget } from './widget-stream/widgets.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    /** So many copies of the answer one after the other: 10 make 30 kB. */
    times: { type: 'string', default: '1' },
    slow: { type: 'string', default: '4' },
    /** Most seconds for one widget, all its rounds together. */
    limit: { type: 'string', default: '150' },
    /** Where the packages of the others stay between runs. */
    cache: { type: 'string', default: cacheFolder },
    /** A file for a CPU profile of ours, and a folder for pictures of each widget. */
    profile: { type: 'string', default: '' },
    pictures: { type: 'string', default: '' },
  },
});
const times = Number(values.times);
const replay = { pieces: piecesOf(answerOf(times), 388 * times), everyMs: 12 };

/** The median, and behind it each round where there are several. */
function show(numbers: number[]): string {
  const rounded = numbers.map((each) => Math.round(each));
  const median = rounded.toSorted((one, other) => one - other)[Math.floor(rounded.length / 2)];
  return rounded.length > 1 ? `${median} (${rounded.join(' ')})` : String(median);
}
const sayYes = (is: boolean) => (is ? 'yes' : 'no');
const load = () => (loadavg()[0] ?? 0).toFixed(1);

/** Pictures get the name of the widget and of what was done. */
const takePictures = (widget: Widget) => {
  let count = 0;
  return (page: Page) =>
    page.screenshot({ path: join(values.pictures, `${widget.name}-${++count}.png`) });
};

async function measure(run: CostRun): Promise<string> {
  const costs: Cost[] = [];
  const before = load();
  for (let round = 0; round < Number(values.rounds); round++) costs.push(await measureCost(run));
  const after = load();
  const still = await measureStillness(run);
  const of = (key: keyof Cost) => show(costs.map((each) => each[key]));
  return [
    `${still.removed} (${still.removedInAll})`,
    sayYes(still.isSelectionKept),
    sayYes(still.isPlaceKept),
    still.copyButtons,
    of('scriptMs'),
    of('layoutMs'),
    of('busyMs'),
    of('longestMs'),
    `${before} to ${after}`,
  ].join(' | ');
}

/** A widget's row; or why it has none, as a row that may be wrong is worse. */
async function rowOf(widget: Widget, folderOf: (name: string) => string): Promise<string> {
  await using server = await startReplayServer();
  await using own = await openOwnBrowser();
  server.putPage('/page', widget.page(server, folderOf));
  const { profile, pictures, limit, slow } = values;
  const timer = new AbortController();
  try {
    return await Promise.race([
      measure({
        browser: own.browser,
        server,
        url: `${server.url}/page`,
        widget,
        replay,
        slow: Number(slow),
        ...(profile && widget.name === 'ours'
          ? { onProfile: (each: unknown) => writeFile(profile, JSON.stringify(each)) }
          : {}),
        ...(pictures ? { onPicture: takePictures(widget) } : {}),
      }),
      pause(Number(limit) * 1_000, undefined, { signal: timer.signal }).then(() => {
        throw new Error(`not done after ${limit} s`);
      }),
    ]);
  } catch (error) {
    const [reason] = String(error).split('\n');
    return `left out: ${reason} ${server.unknown.join(', ')}`;
  } finally {
    timer.abort();
  }
}

async function main() {
  const dist = fileURLToPath(new URL('../../widget/dist/', import.meta.url));
  const wanted = values.only.split(',').filter(Boolean);
  const widgets = [...peers, ours(dist)].filter(
    ({ name }) => !wanted.length || wanted.some((each) => name.startsWith(each)),
  );
  if (values.pictures) await mkdir(values.pictures, { recursive: true });
  const packages = widgets.flatMap((widget) => widget.packages);
  const folderOf = await installPeers(values.cache, packages);
  console.log(
    `${replay.pieces.join('').length} characters, ${replay.pieces.length} pieces ${replay.everyMs} ms apart, processor slowed ${values.slow} times; ${packages.join(', ')}\n`,
  );
  console.log(
    '| Widget | nodes removed (with what they held) | selection kept | scroll-up kept | copy buttons kept | script ms | style+layout ms | all of the main thread ms | worst long task ms | load |\n|---|---|---|---|---|---|---|---|---|---|',
  );
  for (const widget of widgets)
    console.log(`| ${widget.name} | ${await rowOf(widget, folderOf)} |`);
}

await main();
