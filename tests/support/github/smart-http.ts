/** What `git fetch` asks over HTTP, answered by git's own upload-pack. */
import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createGunzip } from 'node:zlib';

export type SmartService = 'info' | 'pack';

/** The repository and the service that an address means; `undefined` where it is none of git's. */
export function readSmartPath(url: URL): { name: string; service: SmartService } | undefined {
  const [, name, what] =
    /^\/([^/]+\/[^/]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/.exec(
      url.pathname,
    ) ?? [];
  if (name === undefined || what === undefined) return undefined;
  if (what === 'git-receive-pack' || url.searchParams.get('service') === 'git-receive-pack') {
    throw new Error('A test saw a push by git');
  }
  return { name, service: what === 'info/refs' ? 'info' : 'pack' };
}

export function uploadPack(
  folder: string,
  service: SmartService,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const protocol = request.headers['git-protocol'];
  const child = spawn(
    'git',
    ['upload-pack', '--stateless-rpc', ...(service === 'info' ? ['--advertise-refs'] : []), folder],
    {
      env: {
        PATH: process.env['PATH'],
        HOME: '/nonexistent',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        ...(typeof protocol === 'string' && { GIT_PROTOCOL: protocol }),
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  );
  child.stdin.on('error', () => undefined);
  response.once('close', () => child.kill('SIGKILL'));
  response.writeHead(200, {
    'content-type':
      service === 'info'
        ? 'application/x-git-upload-pack-advertisement'
        : 'application/x-git-upload-pack-result',
    'cache-control': 'no-cache',
  });
  if (service === 'info') {
    child.stdin.end();
    if (protocol !== 'version=2') response.write('001e# service=git-upload-pack\n0000');
  } else if (request.headers['content-encoding'] === 'gzip') {
    request.pipe(createGunzip()).pipe(child.stdin);
  } else {
    request.pipe(child.stdin);
  }
  child.stdout.pipe(response);
}
