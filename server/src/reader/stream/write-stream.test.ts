/** Connections that read nothing are closed. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import type { StreamReader } from './answer-stream.ts';
import { type ReadableAnswer, writeStream } from './write-stream.ts';

/** An answer of so many pieces, each as long as one write. */
function longAnswer(pieces: number) {
  const detached: boolean[] = [];
  const stream: ReadableAnswer = {
    messageId: 'm',
    threadId: 't',
    forSdk: false,
    next: pieces,
    isEnded: true,
    part: () => ({ type: 'text-delta', id: '0', delta: 'x'.repeat(65_536) }),
    attach: (reader: StreamReader) => reader.wake(),
    detach: (_reader, hasAll) => void detached.push(hasAll),
  };
  return { stream, detached };
}

const protocol = {
  headers: {},
  heartbeat: ':\n',
  encode: (part: { type: string; delta?: string }) => part.delta ?? '',
};

async function serve(stream: ReadableAnswer, timeoutMs: number) {
  const written = Promise.withResolvers<void>();
  const server = createServer((_request, response) => {
    void writeStream(stream, response, protocol, 0, timeoutMs).then(written.resolve);
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

test('a connection that takes no byte is closed, and its reader is detached', async () => {
  const { stream, detached } = longAnswer(2_000);
  await using stalled = await serve(stream, 100);
  stalled.socket.pause();
  await stalled.written;
  expect(detached).toEqual([false]);
});

test('a connection that reads gets the whole answer', async () => {
  const { stream, detached } = longAnswer(100);
  await using reading = await serve(stream, 30_000);
  let bytes = 0;
  reading.socket.on('data', (chunk: Buffer) => (bytes += chunk.length));
  await reading.written;
  expect(detached).toEqual([true]);
  expect(bytes).toBeGreaterThan(0);
});
