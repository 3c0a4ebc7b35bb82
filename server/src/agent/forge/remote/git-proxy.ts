/**
 * A loopback proxy through which our git reads one repository, or pushes to it. This process adds the
 * credentials: git knows neither them nor the host, and nothing else of the host passes. Nobody can guess the
 * proxy's address, and the proxy ends with the work.
 */
import { trimEndOf } from '../../../platform/text.ts';
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { fetchWithin } from './exchange.ts';

export interface GitProxyOptions {
  /** The repository's address for git: `https://github.com/acme/docs.git`. */
  upstream: URL;
  /** Returns the header. */
  authorize: () => Promise<string>;
  /** Whether `receive-pack` passes as well as `upload-pack`. */
  mayPush?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** For the first answer. Later, a host that is silent for five minutes is gone: `fetch` ends it. */
const firstMs = 120_000;

/** The headers of git's request and of the answer that the protocol needs. No others pass. */
const passedOn = ['accept', 'content-type', 'content-encoding', 'git-protocol'] as const;
const passedBack = ['content-type', 'cache-control'] as const;

export async function openGitProxy({ upstream, authorize, mayPush, signal }: GitProxyOptions) {
  const services = mayPush ? ['git-upload-pack', 'git-receive-pack'] : ['git-upload-pack'];
  const secret = randomBytes(24).toString('base64url');
  const stop = new AbortController();
  const ended = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  /** The repository's address; changes when the host redirects because it was renamed. */
  let address = trimEndOf(upstream.href, '/');
  const fetchHome = fetchWithin(upstream.href, firstMs);
  let status: number | undefined;
  let fault: unknown;

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (!stop.signal.aborted) fault ??= error;
      response.destroy();
    });
  });
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const wanted = wantedBy(request, secret, services);
    if (wanted === undefined) {
      request.resume();
      response.writeHead(404).end();
      return;
    }
    const sent = {
      method: request.method ?? 'GET',
      signal: ended,
      headers: {
        ...pick((name) => request.headers[name], passedOn),
        authorization: await authorize(),
        'user-agent': 'git/docent',
      },
    };
    const target = `${address}${wanted.path}`;
    const found = wanted.isPack
      ? await fetch(target, { ...sent, redirect: 'manual', body: request, duplex: 'half' })
      : await fetchHome(target, sent);
    // The first request has no body, so it was sent again to where the host redirects.
    if (!wanted.isPack) address = found.url.replace(/\/info\/refs\?.*$/, '');
    status = found.status;
    response.writeHead(
      status,
      pick((name) => found.headers.get(name), passedBack),
    );
    await pipeline(found.body ?? [], response);
  }

  return {
    /** The repository's address for our git. */
    url: `http://127.0.0.1:${port}/${secret}`,
    /** The host's last status, and the error between here and the host, if any. */
    outcome: () => ({ status, fault }),
    async close(): Promise<void> {
      stop.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The part of a service that a request wants; `undefined`: something else. */
function wantedBy(
  { method, url = '', headers }: IncomingMessage,
  secret: string,
  services: readonly string[],
): { path: string; isPack: boolean } | undefined {
  for (const service of services) {
    const refs = `/info/refs?service=${service}`;
    if (method === 'GET' && url === `/${secret}${refs}`) return { path: refs, isPack: false };
    const isPack = headers['content-type'] === `application/x-${service}-request`;
    if (method === 'POST' && url === `/${secret}/${service}` && isPack) {
      return { path: `/${service}`, isPack };
    }
  }
  return undefined;
}

function pick(
  valueOf: (name: string) => string | string[] | null | undefined,
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = valueOf(name);
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}
