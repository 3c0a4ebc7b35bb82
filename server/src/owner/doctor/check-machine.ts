/** Checks what the service needs of its machine: disk and port. */
import { stat, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { type Config, serverUrl } from '../../platform/config/schema.ts';
import { type Finding, fine, messageOf, note, problem } from './finding.ts';

const minFreeBytes = 500 * 1024 * 1024;

export async function checkDisk(folder: string): Promise<Finding> {
  if (folder === ':memory:')
    return note('The data is in memory, and the end of the process deletes it.');
  const { bavail, bsize } = await statfs(await nearest(folder));
  const free = `${((bavail * bsize) / 1e9).toFixed(1)} GB`;
  if (bavail * bsize >= minFreeBytes) return fine(`The disk has ${free} left.`);
  return problem(
    `The disk of ${folder} has only ${free} left.`,
    'Free some space, or move server.dataFolder to another disk.',
  );
}

/** The folder, or the first one above it that exists. */
async function nearest(folder: string): Promise<string> {
  const exists = await stat(folder).then(
    () => true,
    () => false,
  );
  return exists || dirname(folder) === folder ? folder : nearest(dirname(folder));
}

export async function checkPort({ host, port }: Config['server']): Promise<Finding> {
  const url = serverUrl({ host, port });
  const code = await listenError(host, port);
  if (code === undefined)
    return fine(`Port ${port} of ${host} is free. Docent isn't running here.`);
  if (code !== 'EADDRINUSE') {
    return problem(
      `The service can't listen on port ${port} of ${host} (${code}).`,
      code === 'EACCES'
        ? 'Set server.port to a number from 1024, and put a proxy in front.'
        : 'Set server.host to an address of this machine, such as "127.0.0.1".',
    );
  }
  const isDocent = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(3_000) }).then(
    ({ status, headers }) => status === 200 && headers.has('x-request-id'),
    () => false,
  );
  return isDocent
    ? fine(`Docent is running at ${url}.`)
    : problem(
        `Another program uses port ${port} of ${host}.`,
        'Stop it, or set server.port to another number.',
      );
}

/** A service with a public address that isn't its own is behind a proxy, whose address is everybody's. */
export function checkProxy({ publicUrl, trustProxy }: Config['server']): Finding[] {
  if (publicUrl === undefined || trustProxy !== undefined) return [];
  if (!publicUrl.startsWith('https:')) return [];
  return [
    problem(
      'server.publicUrl is https, so a proxy is in front, but server.trustProxy is not set: all readers and people count as one address.',
      'Set server.trustProxy to the number of proxies, or to their networks.',
    ),
  ];
}

function listenError(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? messageOf(error)));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}
