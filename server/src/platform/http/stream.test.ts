import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { beginStream, type BeginStreamOptions } from './stream.ts';

async function open(options: Partial<BeginStreamOptions>) {
  const opened = Promise.withResolvers<ServerResponse>();
  const server = createServer((_request, response) => {
    beginStream(response, { headers: { 'X-Kind': 'test' }, heartbeat: ':\n', ...options });
    response.flushHeaders();
    opened.resolve(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  return { client, response: await opened.promise };
}

test('a quiet stream has its headers and heartbeats', async () => {
  const { client } = await open({ heartbeatMs: 1 });
  let text = '';
  for await (const data of client) {
    text += String(data);
    if (text.split(':\n').length > 3) break;
  }
  expect(text).toContain('X-Kind: test');
});

test('a client that reads nothing gets no pile of heartbeats, and is cut off', async () => {
  const { client, response } = await open({ heartbeatMs: 1, timeoutMs: 100 });
  client.pause();
  // More than the buffers on the way hold.
  response.write('x'.repeat(64_000_000));
  let beats = 0;
  const write = response.write.bind(response) as (text: string) => boolean;
  response.write = (text: string) => {
    beats += 1;
    return write(text);
  };
  await once(response, 'close');
  expect(beats).toBe(0);
  expect(response.writableFinished).toBe(false);
});
