/** Calls of a host's REST API, and what it answers. */
import type { z } from 'zod';
import { DocentError, JobError } from '../../../platform/errors.ts';
import type { RemoteAccess } from './access.ts';
import { type Answer, createExchange, type Exchange, type ExchangeOptions } from './exchange.ts';
import { explainRefusal, refusalOf, unreachable } from './failures.ts';

export interface RestOptions extends ExchangeOptions {
  access: RemoteAccess;
  /** The header of its API. */
  authorization: (token: string) => string;
  /** The type of its answers. */
  accept?: string;
  /** How requests are sent, instead of by `fetch`. */
  exchange?: (options: ExchangeOptions) => Exchange;
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

export function createRest(options: RestOptions) {
  const { apiUrl, repository, access, words } = options;
  const exchange = (options.exchange ?? createExchange)(options);

  async function exchanged(request: RestRequest): Promise<Answer> {
    const { method = 'GET', path, query, body, isRedirect = false, isOnce = false } = request;
    const url = new URL(path.startsWith('/') ? `${apiUrl}${path}` : path);
    for (const [name, value] of Object.entries(query ?? {})) {
      url.searchParams.set(name, String(value));
    }
    return exchange({
      method,
      url: url.href,
      headers: {
        accept: options.accept ?? 'application/json',
        authorization: request.authorization ?? options.authorization(await access.token()),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body, withoutNul) }),
      isRedirect,
      isOnce,
      signal: request.signal,
    });
  }

  async function send(request: RestRequest, notFound?: () => JobError): Promise<Answer> {
    const { signal, branch, isRedirect } = request;
    const context = { repository, holder: access.holder, branch, notFound };
    const answer = await exchanged(request).catch((error: unknown) => {
      signal?.throwIfAborted();
      // Of a token that isn't there.
      if (error instanceof JobError || error instanceof DocentError) throw error;
      throw unreachable(context, error);
    });
    const { status } = answer;
    if ((status >= 200 && status < 300) || (isRedirect && status === 302)) return answer;
    throw explainRefusal(refusalOf(answer), context, words);
  }

  /** Sends a request; rejects with a `JobError`, or with the reason of the signal. */
  async function ask<Schema extends z.ZodType>(
    schema: Schema,
    request: RestRequest,
  ): Promise<z.output<Schema>> {
    return read(schema, (await send(request)).data);
  }

  function read<Schema extends z.ZodType>(schema: Schema, data: unknown): z.output<Schema> {
    const read = schema.safeParse(data);
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
      return String(headers['location'] ?? '');
    },

    /** `undefined` if the host answers 404. */
    async find<Schema extends z.ZodType>(
      schema: Schema,
      request: RestRequest,
    ): Promise<z.output<Schema> | undefined> {
      const missing = new JobError('internal', 'The host answers 404.');
      try {
        return read(schema, (await send(request, () => missing)).data);
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
        const { data, headers } = await send({ ...request, query: { ...request.query, page } });
        yield read(schema, data);
        if (!String(headers['link']).includes('rel="next"')) return;
      }
    },
  };
}

/** No host keeps it, and some refuse the request. */
const withoutNul = (_key: string, value: unknown) =>
  typeof value === 'string' ? value.replaceAll('\0', '') : value;
