/** Requests to GitHub: at its pace, with retries and timeouts, and with errors that a job's owner understands. */
import type { Octokit } from '@octokit/rest';
import { untilAborted } from '../../../platform/abort.ts';
import { JobError } from '../../../platform/errors.ts';
import type { Logger } from '../../../platform/log.ts';
import type { RemoteAccess } from '../remote/access.ts';
import type { FailureContext } from '../remote/failures.ts';
import { fetchWithin } from '../remote/fetch-within.ts';
import { defaultTimeouts, type RemoteTimeouts } from '../remote/timeouts.ts';
import { explain } from './failures.ts';

export interface ClientOptions {
  apiUrl: string;
  /** The repository's address, and whose rights are used: for sentences. */
  repository: string;
  holder: string;
  log: Pick<Logger, 'debug' | 'warn'>;
  timeouts?: Partial<RemoteTimeouts> | undefined;
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

interface Endpoint {
  headers: Record<string, string | number | undefined>;
}

interface Request {
  (endpoint: Endpoint): Promise<unknown>;
  endpoint: { merge(route: unknown, parameters: unknown): Endpoint };
}

/** Gives Octokit the token at each attempt of a request: it may have been renewed while the request waited. */
export function createTokenStrategy({ access }: { access: RemoteAccess }) {
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
