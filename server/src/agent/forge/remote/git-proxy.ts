/**
 * A loopback proxy through which our git reads one repository, or pushes to it. This process adds the
 * credentials: git knows neither them nor the host, and nothing else of the host passes. Nobody can guess the
 * proxy's address, and the proxy ends with the work.
 */
import { trimEndOf } from '../../../platform/text.ts';
import { randomBytes } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type ServerResponse,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

export interface GitProxyOptions {
  /** The repository's address for git: `https://github.com/acme/docs.git`. */
  upstream: URL;
  /** Returns the header. */
  authorize: () => Promise<string>;
  /** Whether `receive-pack` passes as well as `upload-pack`. */
  mayPush?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** A host that is silent for longer is gone; upload-pack sends something every few seconds. */
const silenceMs = 120_000;
const maxRedirects = 3;

/** The headers of git's request and of the answer that the protocol needs. No others pass. */
const passedOn = ['accept', 'content-type', 'content-encoding', 'git-protocol'] as const;
const passedBack = ['content-type', 'content-encoding', 'cache-control'] as const;

export async function openGitProxy({ upstream, authorize, mayPush, signal }: GitProxyOptions) {
  const services = mayPush ? ['git-upload-pack', 'git-receive-pack'] : ['git-upload-pack'];
  const secret = randomBytes(24).toString('base64url');
  const stop = new AbortController();
  const ended = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  /** The repository's address; changes when the host redirects because it was renamed. */
  let address = trimEndOf(upstream.href, '/');
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
    const found = wanted.isPack
      ? await ask(`${address}${wanted.path}`, request)
      : await askFirst(wanted.path, request);
    status = found.statusCode ?? 502;
    response.writeHead(status, pick(found.headers, passedBack));
    await pipeline(found, response);
  }

  /** The first request has no body, so it can be sent again to where the host redirects. */
  async function askFirst(path: string, request: IncomingMessage): Promise<IncomingMessage> {
    request.resume();
    for (let redirects = 0; ;) {
      const found = await ask(`${address}${path}`, request);
      const { location } = found.headers;
      if (!isRedirect(found.statusCode) || location === undefined) return found;
      found.resume();
      const next = new URL(location, `${address}/`);
      redirects += 1;
      if (next.origin !== upstream.origin || redirects > maxRedirects) {
        throw new Error('The host of the repository leads elsewhere.');
      }
      address = `${next.origin}${next.pathname}`.replace(/\/info\/refs$/, '');
    }
  }

  async function ask(target: string, incoming: IncomingMessage): Promise<IncomingMessage> {
    const authorization = await authorize();
    const url = new URL(target);
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const isPack = incoming.method === 'POST';
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const outgoing = send(url, {
      method: incoming.method,
      signal: ended,
      headers: { ...pick(incoming.headers, passedOn), authorization, 'user-agent': 'git/docent' },
    })
      .on('response', resolve)
      .on('error', reject)
      .setTimeout(silenceMs, () => {
        outgoing.destroy(new Error('The host of the repository fell silent.'));
      });
    if (isPack) pipeline(incoming, outgoing).catch(reject);
    else outgoing.end();
    return promise;
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

function isRedirect(status: number | undefined): boolean {
  return status !== undefined && [301, 302, 307, 308].includes(status);
}

function pick(
  headers: IncomingMessage['headers'],
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}
