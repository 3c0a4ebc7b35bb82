/** A reader of a site that asks for a proof of work: the widget does it, and nobody notices. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { startDocent } from '../support/start-docent.ts';
import { chromiumPath, openBrowser, whySkipped } from './browser.ts';

if (chromiumPath === undefined) test('challenge', (context) => context.skip(whySkipped));
else
  test('the widget proves work for each question, under a strict content security policy', async () => {
    let html = '';
    let policy = '';
    const site = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy });
      response.end(html);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    await using docent = await startDocent({
      site: { challenge: { difficulty: 20_000 }, allowedOrigins: [origin] },
    });
    html = `<!doctype html><html lang="en"><title>Kestrel</title><h1>Kestrel</h1>
      <script src="${docent.url}/docent.js" data-site="kestrel-docs" data-key="${docent.key}" defer></script>`;
    policy = `default-src 'none'; script-src ${docent.url}; connect-src ${docent.url}; style-src 'unsafe-inline' ${docent.url}; font-src ${docent.url}`;
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      const seen: string[] = [];
      page.on('response', (response) => {
        const { pathname } = new URL(response.url());
        if (pathname.startsWith('/discovery/') && response.request().method() !== 'OPTIONS')
          seen.push(`${response.status()} ${pathname.split('/')[3]}`);
      });
      await page.goto(origin);
      await page.getByTestId('docent-launcher').click();
      const ask = async (question: string) => {
        await page.getByTestId('docent-input').fill(question);
        await page.getByTestId('docent-input').press('Enter');
      };
      const answers = page.getByTestId('docent-answer');
      const isDone = (count: number) =>
        expect
          .poll(async () => [
            await answers.count(),
            await answers.last().getAttribute('data-state'),
          ])
          .toEqual([count, 'done']);

      await ask('How do I install Kestrel?');
      await isDone(1);
      await ask('How do I calibrate it?');
      await isDone(2);
      // The first question finds out; from then on the proof comes with the question.
      expect(seen.filter((each) => !each.endsWith('site'))).toEqual([
        '403 assistant',
        '200 challenge',
        '200 assistant',
        '200 challenge',
        '200 assistant',
      ]);
    } finally {
      await browser.close();
      site.closeAllConnections();
      await new Promise((resolve) => site.close(resolve));
    }
  });
