/**
 * What a page loads for an assistant: `pnpm build && node tests/bench/widget-size.bench.ts [--only ours,…] [--rounds 5]`.
 * Ours and others from npm, on the same page: kilobytes (gzip -9 of each script and style sheet that
 * the browser asked for) before the reader does anything, and until an answer with code is there; and
 * the script time that loading the page costs with the processor slowed four times, less that of the
 * same page without an assistant.
 */
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../browser/browser.ts';
import { answerOf, endMarker, piecesOf } from './widget-stream/answer.ts';
import { cacheFolder, installPeers } from './widget-stream/install-peers.ts';
import { prepare } from './widget-stream/observe.ts';
import { type ReplayServer, startReplayServer } from './widget-stream/replay-server.ts';
import { ours, peers, type Widget } from './widget-stream/widgets.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '5' },
    /** Where the packages of the others stay between runs. */
    cache: { type: 'string', default: cacheFolder },
  },
});
const idleMs = 3_000;

interface Loaded {
  requests: number;
  bytes: number;
}

/** Scripts, styles and fonts by their address; what is asked for twice counts once. */
function countFiles(page: Page): () => Promise<Loaded> {
  const files = new Map<string, Promise<number>>();
  page.on('response', (response) => {
    const type = response.headers()['content-type'] ?? '';
    if (!/javascript|css|font|wasm/.test(type) || files.has(response.url())) return;
    const body = response.body().catch(() => Buffer.alloc(0));
    files.set(
      response.url(),
      body.then((bytes) => (bytes.length ? gzipSync(bytes, { level: 9 }).length : 0)),
    );
  });
  return async () => {
    const sizes = await Promise.all(files.values());
    return { requests: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
  };
}

async function measureSize(browser: Browser, server: ReplayServer, path: string, widget: Widget) {
  const page = await (await browser.newContext()).newPage();
  await page.addInitScript(prepare);
  const count = countFiles(page);
  await page.goto(server.url + path);
  await pause(idleMs);
  const before = await count();
  await widget.open(page);
  const sent = server.load({ pieces: piecesOf(answerOf(1), 20), everyMs: 5 });
  await widget.send(page);
  await sent;
  await page.waitForFunction((words) => Boolean(window.bench.textNode(words)), endMarker);
  // A highlighter may come after the text.
  await pause(1_000);
  const after = await count();
  await page.context().close();
  return { before, after };
}

/** The script time of loading a page, with the processor slowed. */
async function measureScript(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable');
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.goto(url, { waitUntil: 'load' });
  await pause(idleMs);
  const { metrics } = await session.send('Performance.getMetrics');
  await context.close();
  return (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? NaN) * 1000;
}

const sorted = (numbers: readonly number[]) => numbers.toSorted((one, other) => one - other);
const median = (numbers: readonly number[]) => sorted(numbers)[numbers.length >> 1] ?? NaN;
const kilo = (bytes: number) => (bytes / 1000).toFixed(1);
const load = () => loadavg()[0]?.toFixed(1);

interface Measured {
  name: string;
  path: string;
  empty: string;
  size: { before: Loaded; after: Loaded } | string;
  /** With the widget less without it, one for each round. */
  script: number[];
}

async function main() {
  const dist = fileURLToPath(new URL('../../widget/dist/', import.meta.url));
  const wanted = values.only.split(',').filter(Boolean);
  const widgets = [...peers, ours(dist)].filter(
    ({ name }) => !wanted.length || wanted.some((each) => name.startsWith(each)),
  );
  const packages = widgets.flatMap((widget) => widget.packages);
  const folderOf = await installPeers(values.cache, packages);
  await using server = await startReplayServer();
  const browser = await openBrowser();
  console.log(`${packages.join(', ')}; load ${load()} at the start`);
  const all: Measured[] = [];
  for (const [index, widget] of widgets.entries()) {
    const path = `/page-${index}`;
    const empty = `/empty-${index}`;
    const html = widget.page(server, folderOf);
    server.putPage(path, html);
    const bare = html.replaceAll(/<script[^]*?<\/script>|<link rel="stylesheet"[^>]*>/g, '');
    server.putPage(empty, bare);
    const size = await measureSize(browser, server, path, widget).catch(
      (error: unknown) => `failed: ${String(error)} ${server.unknown.join(', ')}`,
    );
    all.push({ name: widget.name, path, empty, size, script: [] });
  }
  // All of them in each round, the page without beside the page with: what else the machine does
  // in the meantime then falls on all alike.
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const { path, empty, script } of all) {
      const without = await measureScript(browser, server.url + empty);
      script.push((await measureScript(browser, server.url + path)) - without);
    }
    console.log(`round ${round + 1}: load ${load()}`);
  }
  await browser.close();

  const own = median(all.find(({ name }) => name === 'ours')?.script ?? []);
  console.log(
    '\n| Widget | before open: requests | before open: kB gzip | first answer with code: kB gzip | script ms of the page load at 4 times slower: median (range) | times ours |\n|---|---|---|---|---|---|',
  );
  for (const { name, size, script } of all) {
    const sizes =
      typeof size === 'string'
        ? `${size} | | `
        : `${size.before.requests} | ${kilo(size.before.bytes)} | ${kilo(size.after.bytes)}`;
    const [middle, ...range] = [median(script), sorted(script)[0], sorted(script).at(-1)];
    console.log(
      `| ${name} | ${sizes} | ${middle?.toFixed(1)} (${range.map((each) => each?.toFixed(0)).join(' to ')}) | ${((middle ?? NaN) / own).toFixed(1)} |`,
    );
  }
}

await main();
