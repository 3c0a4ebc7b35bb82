import { spawnSync } from 'node:child_process';
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
