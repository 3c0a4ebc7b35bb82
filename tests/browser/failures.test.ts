/** What a reader sees when an answer cannot be had, and how it comes after all. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { chromiumPath } from './browser.ts';
import { type Fault, type FaultServer, refusal, startFaultServer } from './fault-server.ts';
import { readerOf, startWidgetHost, type WidgetHost } from './widget-host.ts';

const question = 'How do I install Kestrel on Windows?';
const page502 = '<html><body><h1>502 Bad Gateway</h1><hr>nginx</body></html>';

if (chromiumPath !== undefined)
  describe('when an answer cannot be had', () => {
    let host: WidgetHost;
    let faults: FaultServer;
    let context: BrowserContext;
    let page: Page;
    let reader: ReturnType<typeof readerOf>;
    let warnings: string[];
    let asked: number;

    beforeAll(async () => {
      host = await startWidgetHost({ streamTimeouts: { graceMs: 60_000 } });
      faults = await startFaultServer(host.docent.url);
      host.put('/', host.document(host.tag({ src: `${faults.url}/docent.js` })));
      host.put('/strict', {
        html: host.document(host.tag({ src: `${faults.url}/docent.js` })),
        // Its files may be checked, and nothing may be asked.
        headers: {
          'content-security-policy': `script-src ${faults.url}; connect-src ${faults.url}/widget/`,
        },
      });
    });
    afterAll(async () => {
      await faults?.[Symbol.asyncDispose]();
      await host?.[Symbol.asyncDispose]();
    });
    beforeEach(async () => {
      context = await (await host.browser()).newContext();
      page = await context.newPage();
      reader = readerOf(page);
      warnings = [];
      page.on('console', (message) => warnings.push(message.text()));
      asked = host.model?.requests.length ?? 0;
    });
    afterEach(() => context.close());

    const start = async (path = '/') => {
      await page.goto(host.origin + path);
      await reader.open();
    };
    const notice = () => reader.get('notice');
    const isNotice = (kind: string) =>
      expect.poll(() => notice().getAttribute('data-kind')).toBe(kind);
    const modelRequests = () => (host.model?.requests.length ?? 0) - asked;
    const isAnswered = async () => {
      await reader.isDone();
      await expect.poll(() => notice().count()).toBe(0);
      await expect.poll(() => reader.get('question').count()).toBe(1);
      expect(modelRequests()).toBe(1);
    };

    const kinds: [
      what: string,
      fault: Fault,
      kind: string,
      action: 'retry' | 'change',
      hits: boolean,
    ][] = [
      ['a key that is unknown', refusal(401, 'unauthorized'), 'setup', 'retry', false],
      ['a page that may not ask', refusal(403, 'forbidden'), 'forbidden', 'retry', false],
      ['a site that is unknown', refusal(404, 'not_found'), 'notFound', 'retry', false],
      ['too much text', refusal(413, 'too_large'), 'tooLarge', 'change', false],
      ['a question that cannot be read', refusal(400, 'bad_request'), 'bad', 'change', false],
      ['a used-up budget', refusal(429, 'budget_exceeded'), 'budget', 'retry', true],
      ['a fault of ours', refusal(500, 'internal'), 'server', 'retry', true],
      ['a model that is down', refusal(502, 'upstream_failed'), 'upstream', 'retry', true],
      ['a service that restarts', refusal(503, 'unavailable'), 'server', 'retry', true],
      [
        'a page of a gateway',
        { status: 502, body: page502, headers: { 'content-type': 'text/html' } },
        'server',
        'retry',
        true,
      ],
      ['a gateway that waited too long', { status: 504, body: page502 }, 'timeout', 'retry', true],
    ];
    test('each failure has its words, something to do, and says so once', async () => {
      await start();
      const words = new Map<string, string>();
      let searches = 0;
      page.on('request', (request) => {
        if (request.url().includes('/search/') && request.method() === 'POST') searches += 1;
      });
      for (const [what, fault, kind, action, hits] of kinds) {
        faults.failNext(fault);
        await reader.ask(question);
        await isNotice(kind);
        const text = (await notice().locator('p').allTextContents()).join(' ');
        expect([what, text]).toEqual([what, expect.stringMatching(/^[A-Z].{40,}/)]);
        expect(text).not.toMatch(/For programs|nginx|50\d/);
        words.set(kind, text);
        await expect.poll(() => reader.panel().locator('[role=alert]').count()).toBe(1);
        await expect.poll(() => reader.get(action).isEnabled()).toBe(true);
        expect(await reader.get('question').last().textContent()).toContain(question);
        if (hits) {
          await expect.poll(() => reader.get('hit').count()).toBeGreaterThan(0);
          expect(await reader.get('hit').first().textContent()).toContain('Install');
          expect(await reader.get('hit').first().locator('mark').count()).toBeGreaterThan(0);
        }
        if (action === 'change') {
          await reader.get('change').click();
          await expect.poll(() => reader.input().inputValue()).toBe(question);
        }
        await reader.get('new').click();
        await expect.poll(() => notice().count()).toBe(0);
      }
      expect(new Set(words.values()).size).toBe(words.size);
      // Where pages are of no help, none are looked for.
      expect(searches).toBe(kinds.filter(([, , , , hits]) => hits).length);
      expect(modelRequests()).toBe(0);
    });

    test('a limit counts down; then the button comes alive and the answer comes', async () => {
      await page.clock.install();
      await start();
      faults.failNext({ status: 429, body: page502, headers: { 'retry-after': '90' } });
      await reader.ask(question);
      await isNotice('limit');
      expect(await notice().textContent()).toMatch(/in (90|8\d) s/);
      expect(await reader.get('retry').isDisabled()).toBe(true);
      await reader.get('hits').waitFor();
      await reader.input().fill('a draft');
      await page.clock.fastForward(91_000);
      await expect.poll(() => reader.get('retry').isEnabled()).toBe(true);
      await reader.get('retry').click();
      await isAnswered();
      expect(await reader.input().inputValue()).toBe('a draft');
      await expect.poll(() => reader.get('hits').count()).toBe(0);
    });

    test('missing headers: given up, and tried again with the same ID', async () => {
      await page.clock.install();
      await start();
      faults.failNext('mute');
      const before = faults.asked();
      await reader.ask(question);
      await expect.poll(faults.asked).toBeGreaterThan(before);
      await page.clock.fastForward(41_000);
      await isNotice('timeout');
      await reader.get('retry').click();
      await isAnswered();
    });

    test('offline: the question waits, and is sent once when the network is back', async () => {
      await start();
      await context.setOffline(true);
      await reader.ask(question);
      await isNotice('offline');
      await reader.input().fill('a draft');
      const before = faults.asked();
      await context.setOffline(false);
      await isAnswered();
      expect(faults.asked() - before).toBe(1);
      expect(await reader.input().inputValue()).toBe('a draft');
    });

    test('offline over a reload: the question is still there, and is sent once', async () => {
      await start();
      await context.setOffline(true);
      await reader.ask(question);
      await isNotice('offline');
      await context.setOffline(false);
      await page.reload();
      await isAnswered();
    });

    test('blocked by an extension: names the possible cause, and works once it is allowed', async () => {
      await start();
      await context.route('**/message', (route) => route.abort('blockedbyclient'));
      await reader.ask(question);
      await isNotice('blocked');
      expect(await notice().textContent()).toContain('ad blocker');
      await context.unroute('**/message');
      await reader.get('retry').click();
      await isAnswered();
    });

    test('a page of an origin that is not allowed: the owner is told the setting', async () => {
      const other = host.origin.replace('127.0.0.1', 'localhost');
      host.put('/other', host.document(host.tag()));
      await page.goto(`${other}/other`);
      await reader.open();
      await reader.ask(question);
      await isNotice('forbidden');
      await expect.poll(() => warnings.join('\n')).toContain(other);
      expect(warnings.join('\n')).toContain('allowedOrigins');
      expect(modelRequests()).toBe(0);
    });

    test('blocked by the page’s policy: the owner is told the directive', async () => {
      await start('/strict');
      await reader.ask(question);
      await isNotice('blocked');
      await expect.poll(() => warnings.join('\n')).toContain('connect-src');
      expect(await reader.get('question').textContent()).toContain(question);
    });

    test('a connection that breaks before an answer is made again, unseen', async () => {
      await start();
      faults.failNext('reset');
      await reader.ask(question);
      await isAnswered();
    });

    test('real limits: whoever has no question left is shown pages of the real search', async () => {
      await using limited = await startWidgetHost({ limits: { perKeyAndMonth: 1 } });
      await page.goto(limited.put('/'));
      await reader.open();
      await reader.ask(question);
      await reader.isDone();
      await reader.ask('How do I uninstall Kestrel?');
      await isNotice('limit');
      await reader.get('hits').waitFor();
      expect(await reader.get('hit').first().textContent()).toContain('Uninstall');
      expect(await reader.get('hit').first().getAttribute('href')).toBe(
        'https://docs.kestrel.example/install#uninstall',
      );
    });

    test('a real model that is down: pages meanwhile, and the answer once it is up', async () => {
      await start();
      host.model?.reply({ status: 500 });
      await reader.ask(question);
      await isNotice('upstream');
      await reader.get('hits').waitFor();
      host.model?.reply(['Run the installer. [1]']);
      asked = host.model?.requests.length ?? 0;
      await reader.get('retry').click();
      await isAnswered();
    });
  });
