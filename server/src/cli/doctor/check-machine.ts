/** Checks what the service needs of its machine: folder, disk, and port. */
import { constants } from 'node:fs';
import { access, readdir, stat, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { type Config, serverUrl } from '../../platform/config/schema.ts';
import { type Finding, fine, messageOf, note, problem } from './finding.ts';

const minFreeBytes = 500 * 1024 * 1024;

export async function checkFolder(folder: string): Promise<Finding[]> {
  if (folder === ':memory:')
    return [note('The data is in memory, and the end of the process deletes it.')];
  const existing = await nearest(folder);
  const findings: Finding[] = [];
  const own = await stat(existing);
  const files =
    existing === folder ? (await readdir(folder)).map((name) => join(folder, name)) : [];
  for (const path of [existing, ...files]) {
    // oxlint-disable-next-line no-await-in-loop -- the first problem explains the others
    const isWritable = await access(path, constants.R_OK | constants.W_OK).then(
      () => true,
      () => false,
    );
    // oxlint-disable-next-line no-await-in-loop
    const { uid } = await stat(path);
    if (isWritable && uid === own.uid) continue;
    findings.push(
      problem(
        isWritable
          ? `${path} belongs to user ${uid}, and its folder to user ${own.uid}, who runs the service.`
          : `${path} belongs to user ${uid}, and this user${process.getuid ? ` (${process.getuid()})` : ''} can't write to it.`,
        `Give it to the user of the service: chown -R ${isWritable ? own.uid : (process.getuid?.() ?? '<user>')} ${existing}`,
      ),
    );
    break;
  }
  if (findings.length === 0) findings.push(fine(`The data folder ${folder} is writable.`));
  const { bavail, bsize } = await statfs(existing);
  const free = `${((bavail * bsize) / 1e9).toFixed(1)} GB`;
  findings.push(
    bavail * bsize < minFreeBytes
      ? problem(
          `The disk of ${existing} has only ${free} left.`,
          'Free some space, or move server.dataFolder to another disk.',
        )
      : fine(`The disk has ${free} left.`),
  );
  return findings;
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

function listenError(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? messageOf(error)));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}
