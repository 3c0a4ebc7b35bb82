/** Hostile answers in a real browser: nothing runs, nothing is fetched, no bad address is live. */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { hostile } from '../../widget/testing/hostile.ts';
import { endMarker, piecesOf } from '../bench/widget-stream/answer.ts';
import { startReplayServer } from '../bench/widget-stream/replay-server.ts';
import { ours } from '../bench/widget-stream/widgets.ts';
import { chromiumPath, openBrowser, whySkipped } from './browser.ts';

const dist = fileURLToPath(new URL('../../widget/dist/', import.meta.url));

test(`${hostile.length} attacks in one answer, whole and half written`, async (context) => {
  if (chromiumPath === undefined) return context.skip(whySkipped);
  expect(hostile.length).toBeGreaterThanOrEqual(60);
  await using server = await startReplayServer();
  const widget = ours(dist);
  server.putPage(
    '/page',
    widget.page(server, () => ''),
  );
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    const elsewhere: string[] = [];
    const ran: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(server.url) && !request.url().startsWith('data:,'))
        elsewhere.push(request.url());
    });
    page.on('dialog', (dialog) => {
      ran.push(dialog.message());
      void dialog.dismiss();
    });
    await page.goto(`${server.url}/page`);
    await widget.open(page);
    const text = `${hostile.join('\n\nwords\n\n')}\n\n${endMarker}`;
    const sent = server.load({ pieces: piecesOf(text, 600), everyMs: 4 });
    await widget.send(page);
    await sent;
    const answer = page.getByTestId('docent-answer');
    await expect.poll(() => answer.getAttribute('data-state')).toBe('done');
    expect(await answer.textContent()).toContain(endMarker);
    const live = await answer.evaluate((element) => ({
      links: [...element.querySelectorAll('a')].map(({ protocol }) => protocol),
      handlers: [...element.querySelectorAll('*')].flatMap((each) =>
        each.getAttributeNames().filter((name) => /^on|^style$|^srcdoc$/.test(name)),
      ),
      foreign: element.querySelectorAll(
        'script, iframe, object, embed, form, base, link, style, meta, video, math',
      ).length,
    }));
    expect(live.links.filter((protocol) => !/^(https?|mailto):$/.test(protocol))).toEqual([]);
    expect(live.handlers).toEqual([]);
    expect(live.foreign).toBe(0);
    expect(elsewhere).toEqual([]);
    expect(ran).toEqual([]);

    // A picture of another host comes when its reader asks for it.
    const load = answer.getByTestId('docent-load-picture').first();
    await page.route(/evil\.example/, (route) => route.fulfill({ status: 404 }));
    await load.click();
    await expect.poll(() => elsewhere.length).toBe(1);
    expect(elsewhere[0]).toContain('evil.example');
  } finally {
    await browser.close();
  }
});
