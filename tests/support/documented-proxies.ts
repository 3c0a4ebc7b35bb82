/**
 * The proxies that the documentation describes: the real programs, with the text of the page. And nginx as other
 * sites have it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from './wait-for.ts';

const page = readFileSync(
  new URL('../../demo-site/docs/reverse-proxy.md', import.meta.url),
  'utf8',
);

/** The text of the code block with this file name, for these ports instead of those of the page. */
function blockOf(fileName: string, upstream: string): string {
  const [, rest = ''] = page.split(`filename="${fileName}"\n`);
  const [block = ''] = rest.split('\n```');
  if (!block.includes('127.0.0.1:4320')) throw new Error(`No block ${fileName}`);
  return block.replaceAll('127.0.0.1:4320', new URL(upstream).host);
}

/** Where packages put a program; `undefined` where the machine has none. */
const programOf = (name: string): string | undefined =>
  ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin', '/opt/homebrew/bin']
    .map((folder) => `${folder}/${name}`)
    .find((path) => existsSync(path));
const whyNot = (name: string, program: string, debian = program) =>
  programOf(program) ? undefined : `${name} is not installed; on Debian: apt-get install ${debian}`;

/** The path below which the page describes Docent. */
export const documentedPath = '/docent';

interface Proxy {
  name: string;
  /** Empty where Docent has the domain for itself. */
  path: string;
  /** `undefined`: it can run here. */
  whyNot?: string | undefined;
  /** It notices that a reader has left only when it passes on the next words, or keep-alive lines. */
  noticesLate?: boolean;
  start: (upstream: string) => Promise<RunningProxy>;
}

export interface RunningProxy extends AsyncDisposable {
  /** Without a slash at the end. */
  url: string;
}

const withoutTls = (block: string, port: number) =>
  block.replace(/listen 443 .*;/, `listen 127.0.0.1:${port};`).replaceAll(/ssl_\w+ .*;/g, '');

function nginx(path: string, toServer: (upstream: string, port: number) => string): Proxy {
  return {
    name: 'nginx',
    path,
    whyNot: whyNot('nginx', 'nginx', 'nginx-light'),
    async start(upstream) {
      const port = await freePort();
      return run(programOf('nginx') ?? '', port, path, async (folder) => {
        const file = join(folder, 'nginx.conf');
        await writeFile(file, nginxSettings(folder, toServer(upstream, port)));
        return ['-p', folder, '-c', file];
      });
    },
  };
}

function caddy(path: string, fileName: string): Proxy {
  return {
    name: 'Caddy',
    path,
    whyNot: whyNot('Caddy', 'caddy'),
    async start(upstream) {
      const port = await freePort();
      return run(programOf('caddy') ?? '', port, path, async (folder) => {
        const file = join(folder, 'Caddyfile');
        const block = blockOf(fileName, upstream).replace(/^\S+ \{/, `http://127.0.0.1:${port} {`);
        await writeFile(file, `{\n  admin off\n  auto_https off\n}\n${block}\n`);
        return ['run', '--adapter', 'caddyfile', '--config', file];
      });
    },
  };
}

/** Of Debian, whose name for the program is the one that's looked for. */
const apacheModules = '/usr/lib/apache2/modules';

function apache(path: string, fileName: string): Proxy {
  return {
    name: 'Apache',
    path,
    whyNot: whyNot('Apache', 'apache2', 'apache2-bin'),
    noticesLate: true,
    async start(upstream) {
      const port = await freePort();
      return run(programOf('apache2') ?? '', port, path, async (folder) => {
        const file = join(folder, 'apache.conf');
        const block = blockOf(fileName, upstream);
        const host = block.includes('<VirtualHost')
          ? block.replaceAll(/^ *SSL.*$/gm, '').replace('*:443', '*')
          : `<VirtualHost *>\n${block}\n</VirtualHost>`;
        // As Debian has it: what can be compressed is.
        const modules = [
          'mpm_event',
          'authz_core',
          'proxy',
          'proxy_http',
          'headers',
          'deflate',
          'filter',
        ];
        const lines = [
          ...modules.map((name) => `LoadModule ${name}_module ${apacheModules}/mod_${name}.so`),
          `ServerRoot ${folder}`,
          'ServerName docent.example.com',
          `PidFile ${folder}/pid`,
          'ErrorLog /dev/null',
          `Listen 127.0.0.1:${port}`,
          'AddOutputFilterByType DEFLATE text/html text/plain text/css application/javascript',
          host,
        ];
        await writeFile(file, `${lines.join('\n')}\n`);
        return ['-D', 'FOREGROUND', '-f', file];
      });
    },
  };
}

function haproxy(path: string, toFrontend: (upstream: string, port: number) => string): Proxy {
  return {
    name: 'HAProxy',
    path,
    whyNot: whyNot('HAProxy', 'haproxy'),
    noticesLate: true,
    async start(upstream) {
      const port = await freePort();
      return run(programOf('haproxy') ?? '', port, path, async (folder) => {
        const file = join(folder, 'haproxy.cfg');
        await writeFile(file, `${toFrontend(upstream, port)}\n`);
        return ['-db', '-f', file];
      });
    },
  };
}

export const documentedProxies: readonly Proxy[] = [
  nginx('', (upstream, port) =>
    withoutTls(blockOf('/etc/nginx/conf.d/docent.conf', upstream), port),
  ),
  nginx(documentedPath, (upstream, port) => {
    const name = '/etc/nginx/conf.d/example.com.conf, in the server block';
    return `server {\nlisten 127.0.0.1:${port};\n${blockOf(name, upstream)}\n}`;
  }),
  caddy('', '/etc/caddy/Caddyfile'),
  caddy(documentedPath, '/etc/caddy/Caddyfile, for example.com'),
  apache('', '/etc/apache2/sites-available/docent.conf'),
  apache(documentedPath, '/etc/apache2/sites-available/example.com.conf, in the virtual host'),
  haproxy('', (upstream, port) =>
    blockOf('/etc/haproxy/haproxy.cfg', upstream).replace(/bind :443 .*/, `bind 127.0.0.1:${port}`),
  ),
  haproxy(documentedPath, (upstream, port) => {
    const name = '/etc/haproxy/haproxy.cfg, in the frontend and below it';
    const frontend = `frontend https\nmode http\nbind 127.0.0.1:${port}\ntimeout client 120s\n`;
    return frontend + blockOf(name, upstream);
  }),
  { name: 'a small proxy', path: documentedPath, start: startStrippingProxy },
];

/** It compresses, and it buffers. */
export const bufferingNginx = nginx(
  '',
  (upstream, port) => `gzip on;
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
);

async function run(
  program: string,
  port: number,
  path: string,
  prepare: (folder: string) => Promise<string[]>,
): Promise<RunningProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'docent-proxy-'));
  const child = spawn(program, await prepare(folder), {
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], HOME: folder },
  });
  const ended = once(child, 'exit');
  const url = `http://127.0.0.1:${port}${path}`;
  const isUp = () =>
    fetch(`${url}/healthz`).then(
      (response) => response.ok,
      () => false,
    );
  await waitFor(`${program} to listen`, isUp);
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What any proxy below a path does, for machines without the programs. Everything else is another site. */
async function startStrippingProxy(upstream: string): Promise<RunningProxy> {
  const server = createServer((request, response) => {
    const { url: path = '', method, headers } = request;
    if (!path.startsWith(`${documentedPath}/`)) return void response.writeHead(404).end();
    const onward = send(
      upstream + path.slice(documentedPath.length),
      { ...(method && { method }), headers },
      (reply) => {
        response.writeHead(reply.statusCode ?? 502, reply.headers).flushHeaders();
        reply.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${documentedPath}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A file for an nginx of its own, which keeps everything in this folder. */
function nginxSettings(folder: string, http: string): string {
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
