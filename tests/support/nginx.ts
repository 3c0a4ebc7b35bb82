/** The real nginx in front of a server, set up as sites have it: it compresses, and it buffers. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from './wait-for.ts';

/** Where packages put a program; `undefined` where the machine has none. */
export const programOf = (name: string): string | undefined =>
  ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin', '/opt/homebrew/bin']
    .map((folder) => `${folder}/${name}`)
    .find((path) => existsSync(path));
export const nginxProgram = programOf('nginx');
export const whyNoNginx = 'nginx is not installed; on Debian: apt-get install nginx-light';

export async function startNginx(program: string, upstream: string) {
  const folder = await mkdtemp(join(tmpdir(), 'docent-nginx-'));
  const port = await freePort();
  await writeFile(
    join(folder, 'nginx.conf'),
    nginxSettings(
      folder,
      `gzip on;
  gzip_min_length 1;
  gzip_proxied any;
  gzip_types text/event-stream text/plain application/json;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass ${upstream};
      proxy_buffering on;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }`,
    ),
  );
  const nginx = spawn(program, ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: 'ignore',
  });
  const ended = once(nginx, 'exit');
  const url = `http://127.0.0.1:${port}`;
  await waitFor('nginx to listen', () =>
    fetch(`${url}/healthz`).then(
      (response) => response.ok,
      () => false,
    ),
  );
  return {
    url,
    async [Symbol.asyncDispose]() {
      nginx.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A file for an nginx of its own, which keeps everything in this folder. */
export function nginxSettings(folder: string, http: string): string {
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n');
  return `daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 64; }
http {
  access_log off;
  ${temp}
  ${http}
}
`;
}

/** A port that was free a moment ago: a proxy cannot be given one by the kernel. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
