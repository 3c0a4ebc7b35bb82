/** What `git fetch` and `git push` ask over HTTP, answered by git's own programs. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';

export interface SmartRequest {
  /** As in the address, without `.git`. */
  name: string;
  service: 'upload-pack' | 'receive-pack';
  /** It asks what there is, before it fetches or pushes. */
  isFirst: boolean;
}

/** `undefined`: the address is none of git's. */
export function readSmartPath(path: string, query: URLSearchParams): SmartRequest | undefined {
  const [, name, what] =
    /^\/(.+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/.exec(path) ?? [];
  if (name === undefined || what === undefined) return undefined;
  const asked = what === 'info/refs' ? query.get('service') : what;
  return {
    name,
    service: asked === 'git-receive-pack' ? 'receive-pack' : 'upload-pack',
    isFirst: what === 'info/refs',
  };
}

/** By the settings of a repository: what it says first of itself in version 2, where nothing depends on its content. */
const abilities = new Map<string, Buffer>();

export async function answerSmart(
  folder: string,
  { service, isFirst }: SmartRequest,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const protocol = request.headers['git-protocol'];
  const isSame = isFirst && service === 'upload-pack' && protocol === 'version=2';
  const settings = isSame ? await readFile(join(folder, 'config'), 'utf8') : '';
  response.writeHead(200, {
    'content-type': `application/x-git-${service}-${isFirst ? 'advertisement' : 'result'}`,
    'cache-control': 'no-cache',
  });
  const known = abilities.get(settings);
  if (isSame && known) return void response.end(known);
  const asks = isFirst ? ['--http-backend-info-refs'] : [];
  const child = spawn('git', [service, '--stateless-rpc', ...asks, folder], {
    env: {
      PATH: process.env['PATH'],
      HOME: '/nonexistent',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      ...(typeof protocol === 'string' && { GIT_PROTOCOL: protocol }),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => undefined);
  response.once('close', () => child.kill('SIGKILL'));
  if (isFirst) {
    child.stdin.end();
    if (protocol !== 'version=2') {
      const line = `# service=git-${service}\n`;
      response.write(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`);
    }
  } else if (request.headers['content-encoding'] === 'gzip') {
    request.pipe(createGunzip()).pipe(child.stdin);
  } else {
    request.pipe(child.stdin);
  }
  if (isSame) {
    const said: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => said.push(chunk));
    child.once('close', (code) => {
      if (code === 0) abilities.set(settings, Buffer.concat(said));
    });
  }
  child.stdout.pipe(response);
}
