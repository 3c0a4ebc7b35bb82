/** Requests to GitHub: at its pace, with retries and timeouts, and with errors that a job's owner understands. */
import type { Octokit } from '@octokit/rest';
import { untilAborted } from '../../../platform/abort.ts';
import { JobError } from '../../../platform/errors.ts';
import type { Logger } from '../../../platform/log.ts';
import { explain, type FailureContext } from './failures.ts';
import type { GitHubAccess } from './access.ts';

/** In milliseconds and times; tests shorten them. */
export interface GitHubTimeouts {
  /** For one request. */
  timeoutMs: number;
  /** If the host wants a longer wait, the request fails. */
  maxWaitSeconds: number;
  /** A failed request is repeated after 1, 4, and 9 times this. */
  retryUnitMs: number;
}

const defaultTimeouts: GitHubTimeouts = {
  timeoutMs: 30_000,
  maxWaitSeconds: 60,
  retryUnitMs: 1_000,
};

export interface ClientOptions {
  apiUrl: string;
  /** The repository's address, and whose rights are used: for sentences. */
  repository: string;
  holder: string;
  log: Pick<Logger, 'debug' | 'warn'>;
  timeouts?: Partial<GitHubTimeouts> | undefined;
}

export interface Authentication {
  /** `app`: signs as a GitHub App. Octokit's own type for strategies is `any`. */
  strategy: 'app' | ((options: never) => unknown);
  options: object;
}

type GitHubRequest<T> = (github: Octokit, request: { signal?: AbortSignal }) => Promise<T>;

type AskOptions = Omit<FailureContext, 'repository' | 'holder'> & {
  signal?: AbortSignal | undefined;
};

export type GitHubClient = ReturnType<typeof createClient>;

export function createClient(options: ClientOptions, authentication: Authentication) {
  const { apiUrl, repository, holder, log } = options;
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const wait = (seconds: number, _asked: object, _client: object, retries: number) =>
    seconds <= timeouts.maxWaitSeconds && retries < 2;
  let octokit: Promise<Octokit> | undefined;
  /** Loaded with the first request: most services have no project at GitHub. */
  const connect = async (): Promise<Octokit> => {
    const { Client, createAppAuth, notifications, write } = await import('./octokit.ts');
    return new Client({
      baseUrl: apiUrl,
      userAgent: 'docent',
      authStrategy: authentication.strategy === 'app' ? createAppAuth : authentication.strategy,
      auth: authentication.options,
      request: { fetch: fetchWithin(apiUrl, timeouts.timeoutMs) },
      // Answers may contain secrets, so only the requests are logged.
      log: {
        debug: (message: string) => log.debug({ message }, 'GitHub was asked'),
        info: (message: string) => log.debug({ message }, 'GitHub was asked'),
        warn: (message: string) => log.debug({ message }, 'GitHub warns'),
        error: () => undefined,
      },
      throttle: {
        // Each repository has its own pace. The host counts by account, and says if it is too much.
        id: repository,
        write,
        notifications,
        onRateLimit: wait,
        onSecondaryRateLimit: wait,
        retryAfterBaseValue: timeouts.retryUnitMs,
      },
      retry: {
        retryAfterBaseValue: timeouts.retryUnitMs,
        // The default, and 409: an empty repository stays empty.
        doNotRetry: [400, 401, 403, 404, 409, 410, 422, 429, 451],
      },
    });
  };

  /** Sends a request to GitHub; rejects with a `JobError`, or with the reason of the signal. */
  async function ask<T>(send: GitHubRequest<T>, options: AskOptions = {}): Promise<T> {
    const { signal, ...context } = options;
    try {
      // The plugins wait by timers that don't know the signal: a cancelled job doesn't wait for them.
      return await untilAborted(async () => {
        octokit ??= connect();
        return send(await octokit, signal ? { signal } : {});
      }, signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw explain(error, { ...context, repository, holder });
    }
  }

  return {
    ask,

    /** `undefined` if GitHub answers 404. */
    async find<T>(send: GitHubRequest<T>, options: AskOptions = {}): Promise<T | undefined> {
      const missing = new JobError('internal', 'GitHub answers 404.');
      try {
        return await ask(send, { ...options, notFound: () => missing });
      } catch (error) {
        if (error === missing) return undefined;
        throw error;
      }
    },
  };
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

interface Endpoint {
  headers: Record<string, string | number | undefined>;
}

interface Request {
  (endpoint: Endpoint): Promise<unknown>;
  endpoint: { merge(route: unknown, parameters: unknown): Endpoint };
}

/** Gives Octokit the token at each attempt of a request: it may have been renewed while the request waited. */
export function createTokenStrategy({ access }: { access: GitHubAccess }) {
  async function hook(request: Request, route: unknown, parameters?: unknown): Promise<unknown> {
    const endpoint = request.endpoint.merge(route, parameters);
    const send = async (wasRefused: boolean) => {
      endpoint.headers['authorization'] = `Bearer ${await access.token({ wasRefused })}`;
      return request(endpoint);
    };
    try {
      return await send(false);
    } catch (error) {
      const wasRefused = error instanceof Error && 'status' in error && error.status === 401;
      if (!wasRefused || !access.canRenew) throw error;
      return send(true);
    }
  }
  return Object.assign(() => Promise.resolve({ type: 'token' }), { hook });
}
