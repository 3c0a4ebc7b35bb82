/** One request to a host, and its answer: with time and size limits, repeated after failures that pass. */
import { retry } from '../../../platform/network/retry.ts';
import { isLimit, pauseAsked, type Refusal, refusalOf, type RefusalWords } from './failures.ts';

export interface ExchangeOptions {
  /** Without a slash at its end. */
  apiUrl: string;
  repository: string;
  words: RefusalWords;
  timeouts: RemoteTimeouts;
}

export interface Sent {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** Its answer may be another address, which isn't followed. */
  isRedirect: boolean;
  /** Not sent again when its answer is lost: the host may have done it. */
  isOnce: boolean;
  signal?: AbortSignal | undefined;
}

export interface Answer {
  status: number;
  /** In lower case. */
  headers: Refusal['headers'];
  /** What it says in JSON, or its text. */
  data: unknown;
}

/** In milliseconds and times; tests shorten them. */
export interface RemoteTimeouts {
  /** For one request. */
  timeoutMs: number;
  /** If the host wants a longer wait, the request fails. */
  maxWaitSeconds: number;
  /** A failed request is repeated after 1, 4, and 9 times this. */
  retryUnitMs: number;
}

export const defaultTimeouts: RemoteTimeouts = {
  timeoutMs: 30_000,
  maxWaitSeconds: 60,
  retryUnitMs: 1_000,
};

/** Resolves with the last answer, whatever its status; rejects where none came. */
export type Exchange = (sent: Sent) => Promise<Answer>;

/** Of an answer in JSON. */
const maxBytes = 16 * 1024 * 1024;
/** Of any other: a log of a pipeline may be as long as its author wants, and its end says what failed. */
const keptText = 64_000;

/** Another attempt may be answered otherwise. */
class Busy extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(`The host answers ${answer.status}.`);
    this.answer = answer;
  }
}

export function createExchange({ apiUrl, words, timeouts }: ExchangeOptions): Exchange {
  const fetchHome = fetchWithin(apiUrl, timeouts.timeoutMs);
  const policy = {
    attempts: 4,
    baseMs: timeouts.retryUnitMs,
    capMs: timeouts.maxWaitSeconds * 1_000,
  };

  async function sendOnce({ url, method, headers: sent, body, isRedirect, signal }: Sent) {
    const response = await (isRedirect ? fetch : fetchHome)(url, {
      method,
      headers: { ...sent, 'user-agent': 'docent' },
      ...(body !== undefined && { body }),
      ...(isRedirect && { redirect: 'manual' }),
      ...(signal && { signal }),
    });
    const { status } = response;
    const headers: Answer['headers'] = Object.fromEntries(response.headers);
    const isJson = String(headers['content-type']).includes('json');
    const text = response.body ? await (isJson ? readJson : endOf)(response.body) : '';
    const answer = { status, headers, data: isJson ? parse(text) : text };
    if (status >= 500 || isLimit(refusalOf(answer), words)) throw new Busy(answer);
    return answer;
  }

  return async (sent) => {
    try {
      return await retry(() => sendOnce(sent), {
        policy,
        isRetryable: (error) => error instanceof Busy || !sent.isOnce,
        retryAfterMs: (error) =>
          error instanceof Busy ? pauseAsked(error.answer.headers) : undefined,
        signal: sent.signal,
      });
    } catch (error) {
      if (error instanceof Busy) return error.answer;
      throw error;
    }
  };
}

async function readJson(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) throw new TypeError('The answer of the host is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** The end of a text that may be large, such as a log. Reads no more than `most` bytes. */
export async function endOf(body: AsyncIterable<Uint8Array>, most = Infinity): Promise<string> {
  const decoder = new TextDecoder();
  let end = '';
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > most) break;
    end = (end + decoder.decode(chunk, { stream: true })).slice(-keptText);
  }
  return end;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const maxRedirects = 3;

/**
 * `fetch` that gives up after a while and never leaves the origin: a repository that was renamed answers
 * with a redirect, and one to another host would take the token with it.
 */
export function fetchWithin(home: string, timeoutMs: number): typeof fetch {
  const { origin } = new URL(home);
  return async (input, init = {}) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
    let url = new URL(input instanceof Request ? input.url : input);
    for (let redirects = 0; ; redirects += 1) {
      const response = await fetch(url, { ...init, signal, redirect: 'manual' });
      const location = response.headers.get('location');
      if (![301, 302, 307, 308].includes(response.status) || location === null) return response;
      await response.body?.cancel();
      url = new URL(location, url);
      if (url.origin !== origin || redirects === maxRedirects) {
        throw new TypeError('The host leads elsewhere');
      }
    }
  };
}
