/** A browser whose process is ours to end, whatever its page is doing. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Browser, chromium, type Page } from 'playwright-core';
import { browserFlags, chromiumPath } from '../../browser/browser.ts';
import * as observe from './observe.ts';
import type { Widget } from './widgets.ts';

export async function openOwnBrowser() {
  const server = await chromium.launchServer({
    executablePath: chromiumPath ?? '',
    // Some load fonts from elsewhere: the same figures with and without a network.
    args: [...browserFlags, '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
  });
  return {
    browser: await chromium.connect(server.wsEndpoint()),
    async [Symbol.asyncDispose]() {
      await server.kill();
    },
  };
}

/** The page with the widget open, the question written, and the processor slowed. */
export async function openPage(browser: Browser, url: string, widget: Widget, slow: number) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  await page.addInitScript(observe.prepare);
  await page.goto(url);
  await widget.open(page);
  await pause(1500);
  const session = await context.newCDPSession(page);
  // The main thread's own time on the processor, not the clock's: what else runs here hardly counts.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await session.send('Emulation.setCPUThrottlingRate', { rate: slow });
  return { context, page, session };
}

export async function isShown(page: Page, words: string): Promise<boolean> {
  return page.evaluate((asked) => Boolean(window.bench.textNode(asked)), words);
}
