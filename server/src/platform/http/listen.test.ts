import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect as connectTo } from 'node:net';
import { expect, test } from 'vitest';
import { listen } from './listen.ts';

/** Connects so many times to a port, and succeeds once all are connected. */
const connect = (port: number, count: number) => `
  let connected = 0;
  for (let at = 0; at < ${count}; at += 1) {
    require('node:net').connect(${port}, '127.0.0.1', () => {
      connected += 1;
      if (connected === ${count}) process.exit(0);
    });
  }`;

// Other kernels don't allow so many by default.
test.runIf(process.platform === 'linux')(
  'connections wait while the process is busy, rather than being refused',
  async () => {
    const server = await listen(() => undefined, { port: 0, host: '127.0.0.1' });
    // Nothing is accepted while this process waits for the other one.
    const client = spawnSync(process.execPath, ['-e', connect(server.port, 1_000)], {
      timeout: 20_000,
    });
    await server.close();
    expect(client.status).toBe(0);
  },
);

test.each([
  ['headers that never end', 'GET / HTTP/1.1\r\nhost: a\r\n', 408, 'request_timeout'],
  [
    'a body that never comes',
    'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n',
    408,
    'request_timeout',
  ],
  ['something else than HTTP', 'How do you do?\r\n\r\n', 400, 'bad_request'],
  ['too many headers', `GET / HTTP/1.1\r\na: ${'x'.repeat(20_000)}\r\n\r\n`, 413, 'too_large'],
])('%s: the status and the shape of our errors', async (_what, sent, status, code) => {
  const server = await listen(
    () => undefined,
    { port: 0, host: '127.0.0.1' },
    {
      headersTimeout: 50,
      requestTimeout: 50,
      connectionsCheckingInterval: 20,
    },
  );
  const socket = connectTo(server.port, '127.0.0.1').setEncoding('utf8');
  let answer = '';
  socket.on('data', (text: string) => (answer += text));
  socket.write(sent);
  await once(socket, 'close');
  await server.close();
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} [A-Z]`));
  const body = JSON.parse(answer.split('\r\n\r\n')[1] ?? '') as object;
  expect(body).toEqual({ error: expect.any(String), code, requestId: expect.any(String) });
});
