/** Calls of a host's REST API: with time and size limits, repeated after failures that pass, at no other host. */
import type { z } from 'zod';
import { JobError } from '../../../platform/errors.ts';
import { retry } from '../../../platform/network/retry.ts';
import type { RemoteAccess } from './access.ts';
import {
  explainRefusal,
  isLimit,
  pauseAsked,
  type Refusal,
  type RefusalWords,
  unreachable,
} from './failures.ts';
import { fetchWithin } from './fetch-within.ts';
import type { RemoteTimeouts } from './timeouts.ts';

export interface RestOptions {
  /** Without a slash at its end. */
  apiUrl: string;
  repository: string;
  access: RemoteAccess;
  authorization: (token: string) => string;
  /** The type of its answers. */
  accept?: string;
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
  /** It's answered with another address, which isn't followed. */
  isRedirect?: boolean;
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

  /** A token that was withdrawn early is replaced where there is another. */
  async function fetchRenewed(request: RestRequest): Promise<Response> {
    const first = await fetchOnce(request, false);
    if (first.status !== 401 || !access.canRenew || request.authorization) return first;
    await first.body?.cancel();
    return fetchOnce(request, true);
  }

  async function fetchOnce(request: RestRequest, wasRefused: boolean): Promise<Response> {
    const { method = 'GET', path, query, body, signal } = request;
    const shown =
      request.authorization ?? options.authorization(await access.token({ wasRefused }));
    const url = new URL(path.startsWith('/') ? `${apiUrl}${path}` : path);
    for (const [name, value] of Object.entries(query ?? {})) {
      url.searchParams.set(name, String(value));
    }
    return (request.isRedirect ? fetch : fetchHome)(url, {
      method,
      headers: {
        accept: options.accept ?? 'application/json',
        authorization: shown,
        'user-agent': 'docent',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body, withoutNul) }),
      ...(request.isRedirect && { redirect: 'manual' }),
      ...(signal && { signal }),
    });
  }

  async function sendOnce(request: RestRequest): Promise<{ text: string; headers: Headers }> {
    const response = await fetchRenewed(request);
    const text = await readText(response);
    const { ok, status, headers } = response;
    if (ok || (request.isRedirect && status === 302)) return { text, headers };
    throw new Refused({
      status,
      message: wordsIn(parse(text)).join(' '),
      headers: Object.fromEntries(headers),
    });
  }

  async function send(request: RestRequest, notFound?: () => JobError) {
    const { signal, branch } = request;
    try {
      return await retry(() => sendOnce(request), {
        policy,
        isRetryable: (error) =>
          error instanceof Refused
            ? error.refusal.status >= 500 || isLimit(error.refusal, words)
            : !(error instanceof JobError) && request.isOnce !== true,
        retryAfterMs: (error) =>
          error instanceof Refused ? pauseAsked(error.refusal.headers) : undefined,
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
    apiUrl,
    holder: access.holder,
    send,
    ask,

    /** Where the host sends somebody who asks for this. */
    async redirect(request: RestRequest): Promise<string> {
      const { headers } = await send({ ...request, isRedirect: true });
      return headers.get('location') ?? '';
    },

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

/**
 * GitLab answers with a sentence, with lists of them by field, or with the words of OAuth; Gitea with a sentence;
 * GitHub with a sentence, and with others, or with fields and what is wrong with them.
 */
export function wordsIn(answer: unknown): string[] {
  if (typeof answer === 'string') return [answer];
  if (Array.isArray(answer)) return answer.slice(0, 10).flatMap(wordsIn);
  if (typeof answer !== 'object' || answer === null) return [];
  const {
    message,
    error,
    error_description: more,
    errors,
    field: at,
    code,
  } = answer as Record<string, unknown>;
  if (message === undefined && error === undefined) {
    if (typeof at === 'string' && typeof code === 'string') return [`${at} ${code}`];
    return Object.entries(answer)
      .slice(0, 10)
      .flatMap(([field, value]) => wordsIn(value).map((words) => `${field} ${words}`));
  }
  return [message, error, more, errors].flatMap(wordsIn);
}
