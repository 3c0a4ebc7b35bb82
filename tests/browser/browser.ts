import { existsSync } from 'node:fs';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
} from 'playwright-core';

/** Headless, and asking nothing of any network of its own. */
export const browserFlags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A wheel or a key has scrolled when it has been heard, not some frames later.
  '--disable-smooth-scrolling',
];

/**
 * The machine's Chromium; `npm test` brings one where there is none. The one without windows comes
 * first: it is the same engine for half of the machine's time.
 */
export const chromiumPath = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
].find((path) => path !== undefined && existsSync(path));

export const whySkipped =
  'browser tests: no Chromium on this machine; install one or set CHROMIUM_PATH';

/** By `keepsPages`. The files that a worker runs share its browsers: each has contexts of its own. */
const started = new Map<boolean, Promise<Browser>>();
const isWorker = process.env['VITEST_POOL_ID'] !== undefined;

/**
 * Without motion, unless a test asks for it: what is drawn during an animation depends on the machine.
 * `keepsPages`: as readers' browsers do, it shows a page it has left as it was, on the way back.
 * What is opened in it goes with `close()`; the browser itself goes with the worker of the tests.
 */
export async function openBrowser({ keepsPages = false } = {}): Promise<Browser> {
  if (!isWorker) return launch(keepsPages);
  let shared = await started.get(keepsPages)?.catch(() => undefined);
  if (!shared?.isConnected()) {
    const launched = launch(keepsPages);
    started.set(keepsPages, launched);
    shared = await launched;
  }
  const browser = shared;
  const contexts: BrowserContext[] = [];
  return Object.assign(Object.create(browser) as Browser, {
    async newContext(options?: BrowserContextOptions) {
      const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
      contexts.push(context);
      return context;
    },
    async newPage(options?: BrowserContextOptions) {
      const page = await browser.newPage({ reducedMotion: 'reduce', ...options });
      contexts.push(page.context());
      return page;
    },
    async close() {
      await Promise.all(contexts.map((context) => context.close()));
    },
  });
}

function launch(keepsPages: boolean): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath ?? '',
    // Without windows, it has to be told.
    args: keepsPages ? [...browserFlags, '--enable-bfcache'] : browserFlags,
    ...(keepsPages && { ignoreDefaultArgs: ['--disable-back-forward-cache'] }),
  });
}
