import { afterEach, expect, test } from 'vitest';
import { beginWork, during, type EventLoop, watchEventLoop } from './event-loop.ts';

let watching: EventLoop;
afterEach(() => watching.close());

const hold = () => {
  const until = performance.now() + 450;
  while (performance.now() < until);
};

test('the log names the requests and tasks that may have held the event loop', async () => {
  const lines: { work: string[] }[] = [];
  watching = watchEventLoop({ warn: (line: unknown) => void lines.push(line as never) } as never);
  const end = beginWork(() => 'GET /v1/keys');
  await during('housekeeping', async () => hold());
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  expect(lines[0]?.work).toEqual(expect.arrayContaining(['housekeeping', 'GET /v1/keys']));
  await expect.poll(() => watching.delays().maxMs).toBeGreaterThan(200);
  end();

  lines.length = 0;
  await during('indexing kestrel-docs', async () => hold());
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  expect(lines[0]?.work).toContain('indexing kestrel-docs');
});
