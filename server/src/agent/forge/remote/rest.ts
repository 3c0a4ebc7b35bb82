/** Calls of a host's REST API: with time and size limits, repeated after failures that pass, at no other host. */
import type { z } from 'zod';
import { JobError } from '../../../platform/errors.ts';
import { retryAfterMs } from '../../../platform/network/retry-after.ts';
import { retry } from '../../../platform/network/retry.ts';
import type { RemoteAccess } from './access.ts';
import { explainRefusal, type Refusal, type RefusalWords, unreachable } from './failures.ts';
import { fetchWithin } from './fetch-within.ts';
import type { RemoteTimeouts } from './timeouts.ts';

export interface RestOptions {
  /** Without a slash at its end. */
  apiUrl: string;
  repository: string;
  access: RemoteAccess;
  authorization: (token: string) => string;
  words: RefusalWords;
  timeouts: RemoteTimeouts;
}

export interface RestRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** Of the API, or a full address at the same host. */
  path: string;
  query?: Record<string, string | number>;
  body?: object;
  /** Instead of the token of the API. */
  authorization?: string;
  /** The branch that it writes, for sentences. */
  branch?: string;
  /** Not sent again when its answer is lost: the host may have done it. */
  isOnce?: boolean;
  signal?: AbortSignal | undefined;
}

export type Rest = ReturnType<typeof createRest>;

const maxBytes = 16 * 1024 * 1024;

/** Refused, and not yet in words. */
class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(`The host answers ${refusal.status}.`);
    this.refusal = refusal;
  }
}

export function createRest(options: RestOptions) {
  const { apiUrl, repository, access, words, timeouts } = options;
  const fetchHome = fetchWithin(apiUrl, timeouts.timeoutMs);
  const policy = {
    attempts: 4,
    baseMs: timeouts.retryUnitMs,
    capMs: timeouts.maxWaitSeconds * 1_000,
  };

  async function sendOnce(request: RestRequest): Promise<{ text: string; headers: Headers }> {
    const { method = 'GET', path, query, body, signal } = request;
    const url = new URL(path.startsWith('/') ? `${apiUrl}${path}` : path);
    for (const [name, value] of Object.entries(query ?? {})) {
      url.searchParams.set(name, String(value));
    }
    const response = await fetchHome(url, {
      method,
      headers: {
        accept: 'application/json',
        authorization: request.authorization ?? options.authorization(await access.token()),
        'user-agent': 'docent',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body, withoutNul) }),
      ...(signal && { signal }),
    });
    const text = await readText(response);
    if (response.ok) return { text, headers: response.headers };
    throw new Refused({
      status: response.status,
      message: wordsIn(parse(text)).join(' '),
      headers: Object.fromEntries(response.headers),
    });
  }

  async function send(request: RestRequest, notFound?: () => JobError) {
    const { signal, branch } = request;
    try {
      return await retry(() => sendOnce(request), {
        policy,
        isRetryable: (error) =>
          error instanceof Refused
            ? error.refusal.status >= 500 || error.refusal.status === 429
            : !(error instanceof JobError) && request.isOnce !== true,
        retryAfterMs: (error) =>
          error instanceof Refused ? retryAfterMs(error.refusal.headers) : undefined,
        signal,
      });
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof JobError) throw error;
      const context = { repository, holder: access.holder, branch, notFound };
      if (!(error instanceof Refused)) throw unreachable(context, error);
      throw explainRefusal(error.refusal, context, words);
    }
  }

  /** Sends a request; rejects with a `JobError`, or with the reason of the signal. */
  async function ask<Schema extends z.ZodType>(
    schema: Schema,
    request: RestRequest,
  ): Promise<z.output<Schema>> {
    return read(schema, (await send(request)).text);
  }

  function read<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> {
    const read = schema.safeParse(parse(text));
    if (read.success) return read.data;
    // Such as the page of a proxy where people sign in.
    throw new JobError(
      'forge_unavailable',
      `${new URL(apiUrl).host} answers, but not as ${words.host} does; check the address of the repository, and proxies before the host.`,
    );
  }

  return {
    send,
    ask,

    /** `undefined` if the host answers 404. */
    async find<Schema extends z.ZodType>(
      schema: Schema,
      request: RestRequest,
    ): Promise<z.output<Schema> | undefined> {
      const missing = new JobError('internal', 'The host answers 404.');
      try {
        return read(schema, (await send(request, () => missing)).text);
      } catch (error) {
        if (error === missing) return undefined;
        throw error;
      }
    },

    /** The pages of a list, as far as the host says that there is another. */
    async *pages<Schema extends z.ZodType>(
      schema: Schema,
      request: RestRequest,
      maxPages: number,
    ): AsyncGenerator<z.output<Schema>> {
      for (let page = 1; page <= maxPages; page += 1) {
        const { text, headers } = await send({ ...request, query: { ...request.query, page } });
        yield read(schema, text);
        if (!headers.get('link')?.includes('rel="next"')) return;
      }
    },
  };
}

/** No host keeps it, and some refuse the request. */
const withoutNul = (_key: string, value: unknown) =>
  typeof value === 'string' ? value.replaceAll('\0', '') : value;

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw new TypeError('The answer of the host is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** GitLab answers with a sentence, with lists of them by field, or with the words of OAuth; Gitea with a sentence. */
export function wordsIn(answer: unknown): string[] {
  if (typeof answer === 'string') return [answer];
  if (Array.isArray(answer)) return answer.slice(0, 10).flatMap(wordsIn);
  if (typeof answer !== 'object' || answer === null) return [];
  const { message, error, error_description: more } = answer as Record<string, unknown>;
  if (message === undefined && error === undefined) {
    return Object.entries(answer)
      .slice(0, 10)
      .flatMap(([field, value]) => wordsIn(value).map((words) => `${field} ${words}`));
  }
  return [message, error, more].flatMap(wordsIn);
}
