import type { SessionReply } from '@docent/shared/people';
import { cleanup, render, screen } from '@testing-library/preact';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { session } from '../session.ts';
import { connection } from './client.ts';
import { type Listing, useList } from './load.ts';

interface Call {
  url: URL;
  signal: AbortSignal | undefined;
  answer: (status: number, body: object) => void;
  fail: () => void;
}

/** Requests that wait until the test answers them. */
let calls: Call[];

beforeEach(() => {
  calls = [];
  connection.value = 'ok';
  session.value = { state: 'signed-in' } as SessionReply;
  vi.stubGlobal('fetch', (url: string, init: RequestInit = {}) => {
    const headers = { 'content-type': 'application/json' };
    return new Promise<Response>((resolve, reject) => {
      calls.push({
        url: new URL(url),
        signal: init.signal ?? undefined,
        answer: (status, body) => resolve(new Response(JSON.stringify(body), { status, headers })),
        fail: () => reject(new TypeError('fetch failed')),
      });
    });
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

let list: Listing<string>;

function List({ path = '/v1/things', kind = 'a' }) {
  list = useList<string>(path, 'things', { kind });
  return (
    <p>
      {list.rows.value?.join() ?? 'nothing'} {list.error.value?.message}
    </p>
  );
}

const call = async (index: number) => {
  await expect.poll(() => calls[index]).toBeDefined();
  return calls[index]!;
};
const page = (things: string[], nextCursor: string | null = null) => ({
  things,
  nextCursor,
  hasMore: nextCursor !== null,
});

test('a list grows by its pages, and a filter keeps the old rows until the new ones are there', async () => {
  const { rerender } = render(<List />);
  (await call(0)).answer(200, page(['1', '2'], 'next'));
  await screen.findByText('1,2');
  expect(list.hasMore.value).toBe(true);
  const more = list.loadMore();
  const second = await call(1);
  expect(second.url.search).toBe('?kind=a&cursor=next');
  second.answer(200, page(['3']));
  await more;
  await screen.findByText('1,2,3');
  expect(list.hasMore.value).toBe(false);

  rerender(<List kind="b" />);
  const filtered = await call(2);
  expect(screen.getByText('1,2,3')).toBeTruthy();
  filtered.answer(200, page(['4']));
  await screen.findByText('4');

  rerender(<List path="/v1/others" />);
  await screen.findByText('nothing');
});

test('an answer that comes after the page was left or the filter changed is dropped', async () => {
  const { rerender, unmount } = render(<List />);
  const slow = await call(0);
  rerender(<List kind="b" />);
  const current = await call(1);
  await expect.poll(() => slow.signal?.aborted).toBe(true);
  current.answer(200, page(['new']));
  slow.answer(200, page(['old']));
  await screen.findByText('new');
  unmount();
  await expect.poll(() => current.signal?.aborted).toBe(true);
});

test('what the service refuses is shown, and what it never got is loaded once it is back', async () => {
  render(<List />);
  (await call(0)).answer(403, { code: 'forbidden', error: 'This needs the role admin.' });
  await screen.findByText('nothing This needs the role admin.');

  void list.reload();
  (await call(1)).fail();
  await expect.poll(() => connection.value).toBe('lost');
  dispatchEvent(new Event('online'));
  (await call(2)).answer(200, { state: 'signed-in' });
  await expect.poll(() => connection.value).toBe('ok');
  (await call(3)).answer(200, page(['1']));
  await screen.findByText('1');
});

test('a session that ended is noticed, and the data comes after the next sign-in', async () => {
  render(<List />);
  (await call(0)).answer(401, { code: 'unauthorized', error: 'Sign in to the dashboard.' });
  const asked = await call(1);
  expect(asked.url.pathname).toBe('/v1/session');
  asked.answer(200, { state: 'signed-out' });
  await expect.poll(() => session.value?.state).toBe('signed-out');
  session.value = { state: 'signed-in' } as SessionReply;
  (await call(2)).answer(200, page(['1']));
  await screen.findByText('1');
});
