/**
 * Makes all requests of the indexer to the web. Checks every address before connecting, also after
 * redirects, limits sizes and times, and retries if a server is busy.
 */
import type { lookup as systemLookup } from 'node:dns';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, gunzipSync } from 'node:zlib';
import { DocentError } from '../../platform/errors.ts';
import { checkedLookup, refusalOf } from '../../platform/network/addresses.ts';
import { retry, retryAfterMs, type RetryPolicy } from '../../platform/network/retry.ts';

export interface WebOptions {
  /** Hosts that may be requested although they are not public: `wiki.corp`, `10.0.0.5:8080`. */
  privateHosts?: readonly string[] | undefined;
  limits?: Partial<WebLimits> | undefined;
  /** Resolves host names. By default, the resolver of the system. */
  lookup?: typeof systemLookup | undefined;
}

/** Tests shorten them. */
export interface WebLimits {
  /** Timeout for a request, including its body. */
  timeoutMs: number;
  /** If a server asks for a longer delay, the request fails. */
  retry: RetryPolicy;
}

const defaultLimits: WebLimits = {
  timeoutMs: 30_000,
  retry: { attempts: 3, baseMs: 1_000, capMs: 60_000 },
};
const maxRedirects = 5;

/** Our name, and where to read about us. */
export const userAgent = 'Docent/0.1 (documentation indexer; respects robots.txt as "docent")';
export const robotName = 'docent';

export interface WebRequest {
  headers?: Record<string, string> | undefined;
  /** Maximum size of the body after decompression. */
  maxBytes?: number | undefined;
  /** A redirect that is not allowed is returned instead of followed. */
  mayFollow?: ((url: URL) => boolean | Promise<boolean>) | undefined;
  signal?: AbortSignal | undefined;
}

export interface WebResponse {
  /** The address after redirects. */
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

  /** Makes one request, and does not follow redirects. */
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

  /** Retries if the server is busy or the connection breaks. Returns the last answer of a server that stays busy. */
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
    /** Allows the port of an address from the configuration. */
    addStart(url: URL): void {
      if (url.port !== '') ports.add(url.port);
    },

    async get(address: URL, request: WebRequest = {}): Promise<WebResponse> {
      let url = withoutHash(address);
      for (let hops = 0; ; hops += 1) {
        const response = await askAgain(url, request);
        const target = redirectOf(response);
        if (!target) return response;
        if (hops === maxRedirects) throw refused(address, 'it redirects too often');
        if (request.mayFollow && !(await request.mayFollow(target)))
          return { ...response, url: target };
        url = target;
      }
    },

    close(): void {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** Rejects any status but 200. `bad_request`: a later attempt does not help. */
export function assertRead(name: string, status: number): void {
  if (status === 200) return;
  const code = status === 429 || status >= 500 ? 'unavailable' : 'bad_request';
  throw new DocentError(code, `${name} could not be read: it answered ${status}.`);
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
  return new DocentError('bad_request', `${shown.href} can't be read: ${reason}.`);
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

/** Reads and decompresses a body up to a limit, because a small download may expand to any size. */
export async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const unpack = decompressor(response.headers['content-encoding']);
  const stream = unpack ? response.pipe(unpack) : response;
  // A connection error must also end reading from the decompressor.
  if (unpack) response.on('error', (error) => unpack.destroy(error));
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) throw tooLarge(maxBytes);
      chunks.push(chunk);
    }
  } finally {
    if (!response.complete || length > maxBytes) response.destroy();
    unpack?.destroy();
  }
  return Buffer.concat(chunks);
}

function decompressor(encoding: string | undefined): Transform | undefined {
  switch ((encoding ?? '').trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      return undefined;
  }
}

export function gunzipFile(body: Buffer, maxBytes: number): Buffer {
  const isGzip = body[0] === 0x1f && body[1] === 0x8b;
  if (!isGzip) return body;
  try {
    return gunzipSync(body, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
    throw new DocentError('bad_request', 'A compressed file could not be unpacked.', {
      cause: error,
    });
  }
}

function tooLarge(maxBytes: number): DocentError {
  return new DocentError('too_large', `It is larger than ${Math.round(maxBytes / 1e6)} MB.`);
}
