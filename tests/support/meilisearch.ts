/** A real Meilisearch for tests and benches: the server at MEILI_URL, or `meilisearch` from the PATH. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface RunningMeilisearch {
  url: string;
  apiKey: string | undefined;
  stop(): Promise<void>;
}

export const whyNoMeilisearch =
  'no Meilisearch: set MEILI_URL and MEILI_MASTER_KEY, or put `meilisearch` on the PATH';

/** `undefined` if there is none. */
export async function startMeilisearch(): Promise<RunningMeilisearch | undefined> {
  const { MEILI_URL: url, MEILI_MASTER_KEY: apiKey, PATH = '' } = process.env;
  if (url) return { url: url.replace(/\/+$/, ''), apiKey, stop: async () => undefined };
  const binary = PATH.split(delimiter)
    .map((folder) => join(folder, 'meilisearch'))
    .find((file) => existsSync(file));
  return binary ? startBinary(binary) : undefined;
}

async function startBinary(binary: string): Promise<RunningMeilisearch> {
  const folder = await mkdtemp(join(tmpdir(), 'docent-meilisearch-'));
  const apiKey = 'a-master-key-for-tests-only';
  const url = `http://127.0.0.1:${await freePort()}`;
  const child = spawn(
    binary,
    flags({
      'http-addr': url.slice('http://'.length),
      'master-key': apiKey,
      'db-path': join(folder, 'data.ms'),
      'dump-dir': join(folder, 'dumps'),
      'snapshot-dir': join(folder, 'snapshots'),
      'log-level': 'ERROR',
      // Its buffers grow with this limit. With the default, three pages take seconds.
      'max-indexing-memory': '200MiB',
      'max-indexing-threads': '1',
    }),
    { cwd: folder, stdio: 'ignore' },
  );
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const end = Date.now() + 60_000;
  while (!(await isHealthy(url))) {
    if (child.exitCode !== null || Date.now() > end)
      throw new Error(`${binary} did not start (exit code ${child.exitCode})`);
    await sleep(50);
  }
  return {
    url,
    apiKey,
    async stop() {
      child.kill();
      await ended;
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function flags(values: Record<string, string>): string[] {
  return [
    '--no-analytics',
    ...Object.entries(values).flatMap(([name, value]) => [`--${name}`, value]),
  ];
}

async function isHealthy(url: string): Promise<boolean> {
  return fetch(`${url}/health`).then(
    (response) => response.ok,
    () => false,
  );
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}
