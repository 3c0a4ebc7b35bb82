/** Pages of a customer, on an origin of their own, with a real service behind their script tag. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { fixtureDocs } from '../support/fixture.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import { startDocent, type StartOptions } from '../support/start-docent.ts';
import { openBrowser } from './browser.ts';

export interface HostPage {
  html: string;
  headers?: Record<string, string>;
  status?: number;
}

export interface HostOptions extends StartOptions {
  /** `null`: the built-in model answers; else what the scripted one says when a test says nothing. */
  answer?: Parameters<typeof startScriptedModel>[0] | null;
  /** The documentation that answers cite is on the pages of this host. */
  isDocs?: boolean;
  /** Another site whose documentation is behind the `#` of this page. */
  routed?: { domain: string; path: string };
}

export type WidgetHost = Awaited<ReturnType<typeof startWidgetHost>>;

/**
 * A service with the fixture's documentation and a scripted model, a web server for pages, a browser.
 * `await using host = await startWidgetHost()` ends all of it.
 */
export async function startWidgetHost({
  answer,
  isDocs = false,
  routed,
  ...options
}: HostOptions = {}) {
  const pages = new Map<string, HostPage>();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://host');
    const page = pages.get(pathname);
    // Browsers ask for it by themselves, now and then.
    if (pathname === '/favicon.ico') return void response.writeHead(204).end();
    response.writeHead(page ? (page.status ?? 200) : 404, {
      'content-type': 'text/html; charset=utf-8',
      ...page?.headers,
    });
    response.end(page?.html ?? 'no such page');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const model = answer === null ? undefined : await startScriptedModel(answer);
  const docent = await startDocent({
    ...(model && { model }),
    ...options,
    site: {
      allowedOrigins: [origin],
      ...(isDocs && { docs: { folder: fixtureDocs, baseUrl: origin } }),
      ...options.site,
    },
    sites: {
      ...options.sites,
      ...(routed && {
        [routed.domain]: {
          docs: { folder: fixtureDocs, baseUrl: `${origin}${routed.path}#` },
        },
      }),
    },
  });
  let browser: Browser | undefined;

  /** The script tag as an owner pastes it; `null` takes an attribute away. */
  const tag = (attributes: Record<string, string | null> = {}) => {
    const all: Record<string, string | null> = {
      src: `${docent.url}/docent.js`,
      'data-site': 'kestrel-docs',
      'data-key': docent.key,
      async: '',
      ...attributes,
    };
    const written = Object.entries(all)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => ` ${name}="${(value ?? '').replaceAll('"', '&quot;')}"`);
    return `<script${written.join('')}></script>`;
  };

  return {
    docent,
    model,
    origin,
    tag,
    /** Serves `html` at `path`. Without `html`: a plain page with the tag. */
    put(path: string, page: string | HostPage = document(tag())): string {
      pages.set(path, typeof page === 'string' ? { html: page } : page);
      return origin + path;
    },
    /** A whole page around some body. */
    document,
    browser: async () => (browser ??= await openBrowser()),
    /** A reader with a browser profile of their own comes to a page. */
    async visit(url: string) {
      const context = await (browser ??= await openBrowser()).newContext();
      const page = await context.newPage();
      const faults = collectFaults(page);
      await page.goto(url);
      return { page, faults, reader: readerOf(page), close: () => context.close() };
    },
    async [Symbol.asyncDispose]() {
      await browser?.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await docent[Symbol.asyncDispose]();
      await model?.close();
    },
  };
}

/** `language` and `head` are of the page, not of the widget. */
function document(body: string, { language = 'en', head = '', attributes = '' } = {}): string {
  return `<!doctype html>
<html lang="${language}" ${attributes}>
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Kestrel</title>${head}</head>
<body><main><h1 id="kestrel">Kestrel</h1><p id="intro">Kestrel measures wind.</p>
<h2 id="install">Install</h2><p>Run the installer, then calibrate the vane.</p></main>
${body}</body></html>`;
}

/** What a reader does with the widget of a page. */
export function readerOf(page: Page) {
  const get = (name: string) => page.getByTestId(`docent-${name}`);
  const answer = () => get('answer').last();
  return {
    get,
    launcher: () => get('launcher'),
    panel: () => get('panel'),
    input: () => get('input'),
    answer,
    async open(): Promise<void> {
      await get('launcher').click();
      await get('input').waitFor();
    },
    async ask(question: string): Promise<void> {
      await get('input').fill(question);
      await get('input').press('Enter');
    },
    /** Waits until the last answer is whole; `count`: how many there are then. */
    async isDone(count = 1): Promise<void> {
      await expect
        .poll(async () => [
          await get('answer').count(),
          (await get('answer').count()) && (await answer().getAttribute('data-state')),
        ])
        .toEqual([count, 'done']);
    },
    /** The test id of what has the focus, through shadow roots. */
    focused: () =>
      page.evaluate(() => {
        let element = globalThis.document.activeElement;
        while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
        return element?.getAttribute('data-testid') ?? element?.tagName;
      }),
  };
}

/**
 * Everything that went wrong on a page: exceptions, console errors and warnings, refused by policy.
 * `isExpected`: which messages don't count.
 */
export function collectFaults(page: Page, isExpected = (_message: string) => false): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  // Some errors of a page aren't exceptions, such as a loop of its resize observers. A page that is
  // closed before needs no script.
  page
    .addInitScript(() =>
      addEventListener('error', ({ message }) => message && console.error(message)),
    )
    .catch(() => undefined);
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    if (isExpected(message.text())) return;
    const { url } = message.location();
    faults.push(url.startsWith('http') ? `${message.text()} (${url})` : message.text());
  });
  return faults;
}
