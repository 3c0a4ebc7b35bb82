/**
 * The only way the indexer asks the web: every address is checked before it is connected to, and
 * again at every redirect; sizes and times have an end; who is busy is asked again later.
 */
import type { lookup as systemLookup } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { DocentError } from '../../errors.ts';
import { refusalOf } from '../../network/addresses.ts';
import { checkedLookup } from '../../network/checked-lookup.ts';
import { readBody } from './web-body.ts';

export interface WebOptions {
  /** Hosts that may be asked although they are not on the public Internet: `wiki.corp`, `10.0.0.5:8080`. */
  privateHosts?: readonly string[] | undefined;
  patience?: Partial<WebPatience> | undefined;
  /** Where names are looked up; the system's resolver. */
  lookup?: typeof systemLookup | undefined;
}

/** In milliseconds; tests shorten them. */
export interface WebPatience {
  /** For one request, with its whole body. */
  timeoutMs: number;
  /** Before the second try; the third waits twice as long. */
  retryMs: number;
  /** A server that asks for more than this is left for the next run. */
  longestRetryMs: number;
}

const usual: WebPatience = { timeoutMs: 30_000, retryMs: 1_000, longestRetryMs: 60_000 };
const tries = 3;
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
  const patience = { ...usual, ...options.patience };
  const ports = new Set(['80', '443']);
  const agents = {
    'http:': new http.Agent({ keepAlive: true, maxSockets: 8 }),
    'https:': new https.Agent({ keepAlive: true, maxSockets: 8 }),
  };

  /** One request, one answer; no redirect is followed. */
  async function ask(url: URL, request: WebRequest): Promise<WebResponse> {
    const reason = refusalOf(url, { privateHosts, ports });
    if (reason !== undefined) throw refused(url, reason);
    const deadline = AbortSignal.timeout(patience.timeoutMs);
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
        ? `it did not answer within ${patience.timeoutMs / 1000} s`
        : describeFault(error);
      throw new DocentError('unavailable', `${url.href} could not be read: ${why}.`, {
        cause: error,
      });
    }
  }

  /** Asks again where the server is busy or the connection broke. */
  async function askPatiently(url: URL, request: WebRequest): Promise<WebResponse> {
    for (let attempt = 1; ; attempt += 1) {
      const wait = patience.retryMs * 2 ** (attempt - 1);
      try {
        const response = await ask(url, request);
        const asked = retryAfterMs(response);
        const isBusy = response.status === 429 || response.status >= 500;
        if (!isBusy || attempt === tries || (asked ?? 0) > patience.longestRetryMs) return response;
        await sleep(asked ?? wait, undefined, { signal: request.signal });
      } catch (error) {
        const isPassing = error instanceof DocentError && error.code === 'unavailable';
        if (!isPassing || attempt === tries) throw error;
        await sleep(wait, undefined, { signal: request.signal });
      }
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
        const response = await askPatiently(url, request);
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

/** What the server asks for: seconds, or a date. */
function retryAfterMs({ headers }: WebResponse): number | undefined {
  const value = headers['retry-after'];
  if (value === undefined) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
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
