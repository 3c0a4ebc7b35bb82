import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

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

/** `keepsPages`: as readers' browsers do, it shows a page it has left as it was, on the way back. */
export function openBrowser({ keepsPages = false } = {}): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath ?? '',
    // Without windows, it has to be told.
    args: keepsPages ? [...browserFlags, '--enable-bfcache'] : browserFlags,
    ...(keepsPages && { ignoreDefaultArgs: ['--disable-back-forward-cache'] }),
  });
}
