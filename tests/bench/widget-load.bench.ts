/**
 * How long a reader waits for the panel: `pnpm build && node tests/bench/widget-load.bench.ts [--rounds 7]`.
 * From the click to a field that takes letters, with the real service: on this machine as it is, and
 * on a telephone (processor slowed four times, 9 Mbit/s, 165 ms away); with an empty and with a warm
 * cache; with and without the moment in which a pointer rests on the launcher before it clicks.
 */
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { BrowserContext } from 'playwright-core';
import { startWidgetHost } from '../browser/widget-host.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '7' } } });
const rounds = Number(values.rounds);

/** What Chromium's developer tools call Fast 4G. */
const fast4G = {
  offline: false,
  latency: 165,
  downloadThroughput: 1_012_500,
  uploadThroughput: 168_750,
};
/** People rest about so long on what they are about to click. */
const hoverMs = 200;

interface Case {
  isSlow: boolean;
  isHovered: boolean;
}

async function measureOpen(context: BrowserContext, url: string, { isSlow, isHovered }: Case) {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  if (isSlow) {
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', fast4G);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  }
  await page.goto(url);
  const launcher = page.getByTestId('docent-launcher');
  await launcher.waitFor();
  await page.waitForLoadState('networkidle');
  if (isHovered) {
    await launcher.dispatchEvent('pointerenter');
    await pause(hoverMs);
  }
  const waited = await launcher.evaluate(
    (button) =>
      new Promise<number>((resolve) => {
        const began = performance.now();
        const look = () => {
          let element = document.activeElement;
          while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
          if (element?.getAttribute('data-testid') === 'docent-input') {
            resolve(performance.now() - began);
          } else requestAnimationFrame(look);
        };
        (button as HTMLElement).click();
        look();
      }),
  );
  await page.close();
  return waited;
}

const show = (numbers: number[]) => {
  const sorted = numbers.toSorted((one, other) => one - other);
  return `${Math.round(sorted[sorted.length >> 1] ?? NaN)} (${Math.round(sorted[0] ?? NaN)} to ${Math.round(sorted.at(-1) ?? NaN)})`;
};

const load = () => loadavg()[0]?.toFixed(1);

await using host = await startWidgetHost();
host.put('/page');
console.log(`${rounds} rounds, median (range) in ms; load ${load()} at the start`);
const cases = [false, true].flatMap((isSlow) =>
  [false, true].map((isHovered) => ({
    isSlow,
    isHovered,
    cold: [] as number[],
    warm: [] as number[],
  })),
);
// All cases in each round: what else the machine does in the meantime then falls on all alike.
for (let round = 0; round < rounds; round++) {
  for (const one of cases) {
    const context = await (await host.browser()).newContext();
    one.cold.push(await measureOpen(context, `${host.origin}/page`, one));
    one.warm.push(await measureOpen(context, `${host.origin}/page`, one));
    await context.close();
  }
  console.log(`round ${round + 1}: load ${load()}`);
}
console.log('\n| Machine | Pointer rested before | empty cache | warm cache |\n|---|---|---|---|');
for (const { isSlow, isHovered, cold, warm } of cases) {
  console.log(
    `| ${isSlow ? 'Fast 4G, processor slowed 4 times' : 'this one'} | ${isHovered ? `${hoverMs} ms` : 'no'} | ${show(cold)} | ${show(warm)} |`,
  );
}
