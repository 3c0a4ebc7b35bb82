/** Readers that take nothing are no readers. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import type { ReadableRun, RunReader } from './run.ts';
import { writeRun } from './write-run.ts';

/** An answer of so many pieces, each as long as one write. */
function longRun(pieces: number) {
  const detached: boolean[] = [];
  const run: ReadableRun = {
    messageId: 'm',
    threadId: 't',
    forSdk: false,
    first: 0,
    next: pieces,
    isEnded: true,
    part: () => ({ type: 'text-delta', id: '0', delta: 'x'.repeat(65_536) }),
    attach: (reader: RunReader) => reader.wake(),
    detach: (_reader, hasAll) => void detached.push(hasAll),
    moved() {},
  };
  return { run, detached };
}

const protocol = {
  headers: {},
  heartbeat: ':\n',
  encode: (part: { type: string; delta?: string }) => part.delta ?? '',
};

async function serve(run: ReadableRun, patienceMs: number) {
  const written = Promise.withResolvers<void>();
  const server = createServer((_request, response) => {
    void writeRun(run, response, protocol, 0, patienceMs).then(written.resolve);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  return {
    socket,
    written: written.promise,
    async [Symbol.asyncDispose]() {
      socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('one that takes no byte is cut, and gives its place back', async () => {
  const { run, detached } = longRun(2_000);
  await using stalled = await serve(run, 100);
  stalled.socket.pause();
  await stalled.written;
  expect(detached).toEqual([false]);
});

test('one that reads gets all of it', async () => {
  const { run, detached } = longRun(100);
  await using reading = await serve(run, 30_000);
  let bytes = 0;
  reading.socket.on('data', (chunk: Buffer) => (bytes += chunk.length));
  await reading.written;
  expect(detached).toEqual([true]);
  expect(bytes).toBeGreaterThan(0);
});
