/**
 * The only way the indexer asks the web: every address is checked before it is connected to, and
 * again at every redirect; sizes and times have an end; who is busy is asked again later.
 */
import type { lookup as systemLookup } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { DocentError } from '../../platform/errors.ts';
import { refusalOf } from '../../platform/network/addresses.ts';
import { checkedLookup } from '../../platform/network/checked-lookup.ts';
import { type RetryPolicy, retry } from '../../platform/network/retry.ts';
import { retryAfterMs } from '../../platform/network/retry-after.ts';
import { readBody } from './web-body.ts';

export interface WebOptions {
  /** Hosts that may be asked although they are not on the public Internet: `wiki.corp`, `10.0.0.5:8080`. */
  privateHosts?: readonly string[] | undefined;
  limits?: Partial<WebLimits> | undefined;
  /** Where names are looked up; the system's resolver. */
  lookup?: typeof systemLookup | undefined;
}

/** Tests shorten them. */
export interface WebLimits {
  /** For one request with its whole body, in milliseconds. */
  timeoutMs: number;
  /** A server that asks for a longer pause is left for the next run. */
  retry: RetryPolicy;
}

const defaultLimits: WebLimits = {
  timeoutMs: 30_000,
  retry: { attempts: 3, baseMs: 1_000, capMs: 60_000 },
};
const mostRedirects = 5;

/** Who we are, and where to read what we do. */
export const userAgent = 'Docent/0.1 (documentation indexer; respects robots.txt as "docent")';
/** The name that robots.txt may use for us. */
export const robotName = 'docent';

export interface WebRequest {
  headers?: Record<string, string> | undefined;
  /** Of the body, after decompression. */
  maxBytes?: number | undefined;
  /** A redirect that leads elsewhere is not followed but given back. */
  mayFollow?: ((url: URL) => boolean) | undefined;
  signal?: AbortSignal | undefined;
}

export interface WebResponse {
  /** After redirects. */
  url: URL;
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

export type WebClient = ReturnType<typeof createWebClient>;

export function createWebClient(options: WebOptions = {}) {
  const privateHosts = options.privateHosts ?? [];
  const limits = { ...defaultLimits, ...options.limits };
  const ports = new Set(['80', '443']);
  const agents = {
    'http:': new http.Agent({ keepAlive: true, maxSockets: 8 }),
    'https:': new https.Agent({ keepAlive: true, maxSockets: 8 }),
  };

  /** One request, one answer; no redirect is followed. */
  async function ask(url: URL, request: WebRequest): Promise<WebResponse> {
    const reason = refusalOf(url, { privateHosts, ports });
    if (reason !== undefined) throw refused(url, reason);
    const deadline = AbortSignal.timeout(limits.timeoutMs);
    const signal = request.signal ? AbortSignal.any([request.signal, deadline]) : deadline;
    const isSecure = url.protocol === 'https:';
    try {
      const response = await new Promise<http.IncomingMessage>((answer, reject) => {
        (isSecure ? https : http)
          .get(url, {
            agent: agents[isSecure ? 'https:' : 'http:'],
            lookup: checkedLookup(url, { privateHosts, refuse: refused, lookup: options.lookup }),
            signal,
            headers: {
              'User-Agent': userAgent,
              'Accept-Encoding': 'gzip, deflate, br',
              ...request.headers,
            },
          })
          .on('response', answer)
          .on('error', reject);
      });
      const body = await readBody(response, request.maxBytes ?? 10_000_000);
      return { url, status: response.statusCode ?? 0, headers: response.headers, body };
    } catch (error) {
      request.signal?.throwIfAborted();
      if (error instanceof DocentError) throw error;
      const why = deadline.aborted
        ? `it did not answer within ${limits.timeoutMs / 1000} s`
        : describeFault(error);
      throw new DocentError('unavailable', `${url.href} could not be read: ${why}.`, {
        cause: error,
      });
    }
  }

  /** Asks again when the server is busy or the connection breaks. A server that stays busy has its last answer returned. */
  async function askAgain(url: URL, request: WebRequest): Promise<WebResponse> {
    const answer = async () => {
      const response = await ask(url, request);
      if (response.status === 429 || response.status >= 500) throw new Busy(response);
      return response;
    };
    try {
      return await retry(answer, {
        policy: limits.retry,
        isRetryable: (error) =>
          error instanceof Busy || (error instanceof DocentError && error.code === 'unavailable'),
        retryAfterMs: (error) =>
          error instanceof Busy ? retryAfterMs(error.response.headers) : undefined,
        signal: request.signal,
      });
    } catch (error) {
      if (error instanceof Busy) return error.response;
      throw error;
    }
  }

  return {
    /** An address that the configuration names; its port counts as one of a web site. */
    addStart(url: URL): void {
      if (url.port !== '') ports.add(url.port);
    },

    async get(address: URL, request: WebRequest = {}): Promise<WebResponse> {
      let url = withoutHash(address);
      for (let hops = 0; ; hops += 1) {
        const response = await askAgain(url, request);
        const target = redirectOf(response);
        if (!target) return response;
        if (hops === mostRedirects) throw refused(address, 'it redirects too often');
        if (request.mayFollow && !request.mayFollow(target)) return { ...response, url: target };
        url = target;
      }
    },

    close(): void {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

class Busy extends Error {
  readonly response: WebResponse;
  constructor(response: WebResponse) {
    super(`status ${response.status}`);
    this.response = response;
  }
}

function withoutHash(url: URL): URL {
  const bare = new URL(url);
  bare.hash = '';
  return bare;
}

function refused(url: URL, reason: string): DocentError {
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  return new DocentError('bad_request', `${shown.href} is not read: ${reason}.`);
}

function redirectOf({ status, headers, url }: WebResponse): URL | undefined {
  const { location } = headers;
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined;
  return URL.canParse(location, url.href) ? withoutHash(new URL(location, url)) : undefined;
}

function describeFault(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const known: Record<string, string> = {
    ENOTFOUND: 'there is no host of this name',
    EAI_AGAIN: 'the name could not be looked up',
    ECONNREFUSED: 'the connection was refused',
    ECONNRESET: 'the connection was cut',
    CERT_HAS_EXPIRED: 'its certificate has expired',
    DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  };
  return known[code] ?? (code ? `the connection failed (${code})` : 'the connection failed');
}
