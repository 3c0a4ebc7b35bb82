import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { AgentLogEntry } from '@docent/shared/agent-events';
import { expect, onTestFinished, test } from 'vitest';
import { writeEntries } from './routes.ts';

const entryOf = (seq: number, text = ''): AgentLogEntry => ({
  type: 'text',
  text,
  seq,
  at: '2026-11-21T10:00:00.000Z',
});

/** A server that writes these entries, and a connection whose owner decides when it reads. */
async function open(entries: AsyncIterable<AgentLogEntry>, heartbeatMs?: number) {
  const opened = Promise.withResolvers<ServerResponse>();
  const written = Promise.withResolvers<void>();
  const server = createServer((_request, response) => {
    opened.resolve(response);
    writeEntries(response, entries, {
      headers: { 'Content-Type': 'text/event-stream' },
      heartbeat: ': keep-alive\n\n',
      encode: ({ seq, ...rest }) => `id: ${seq}\ndata: ${JSON.stringify(rest)}\n\n`,
      ...(heartbeatMs !== undefined && { heartbeatMs }),
    }).then(() => {
      response.end();
      written.resolve();
    }, written.reject);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  return { client, response: await opened.promise, written: written.promise };
}

test('a stream without events shows that it is alive, until there is one', async () => {
  const go = Promise.withResolvers<void>();
  async function* late() {
    await go.promise;
    yield entryOf(1, 'at last');
  }
  const { client, written } = await open(late(), 5);
  let text = '';
  for await (const data of client) {
    text += String(data);
    if (text.split(': keep-alive').length > 3) go.resolve();
  }
  await written;
  expect(text).toMatch(/: keep-alive[^]*at last/);
  expect(text.slice(text.indexOf('at last'))).not.toContain('keep-alive');
});

test('who does not read is waited for: little is kept for them, and nothing is lost', async () => {
  const count = 5_000;
  let taken = 0;
  async function* many() {
    for (let seq = 1; seq <= count; seq += 1) {
      taken = seq;
      yield entryOf(seq, 'x'.repeat(10_000));
    }
  }
  const { client, response, written } = await open(many(), 1);
  // Until the buffers on the way are full and nothing moves any more.
  for (let before = -1; before !== taken || !response.writableNeedDrain;) {
    before = taken;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  expect(taken).toBeLessThan(count);
  // Less than two entries, and no pile of heartbeats.
  expect(response.writableLength).toBeLessThan(1_000_000);
  let text = '';
  for await (const data of client) text += String(data);
  await written;
  expect(text.match(/^id: \d+$/gm)).toHaveLength(count);
});

test('who leaves while they are waited for is let go', async () => {
  let isOver = false;
  async function* endless() {
    try {
      for (let seq = 1; ; seq += 1) yield entryOf(seq, 'x'.repeat(100_000));
    } finally {
      isOver = true;
    }
  }
  const { client, response, written } = await open(endless());
  while (!response.writableNeedDrain) await new Promise((resolve) => setImmediate(resolve));
  client.destroy();
  await written;
  expect(isOver).toBe(true);
});
