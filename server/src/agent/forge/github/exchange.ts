/** Requests to GitHub are sent by Octokit: at GitHub's pace, and repeated as GitHub asks for it. */
import type { Octokit } from '@octokit/rest';
import { untilAborted } from '../../../platform/abort.ts';
import type { Answer, Exchange, ExchangeOptions } from '../remote/exchange.ts';
import { fetchWithin } from '../remote/exchange.ts';

const quiet = () => undefined;
/** Octokit would write to the console. */
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

export function createOctokitExchange(options: ExchangeOptions): Exchange {
  const { apiUrl, repository, timeouts } = options;
  const wait = (seconds: number, _asked: object, _client: object, retries: number) =>
    seconds <= timeouts.maxWaitSeconds && retries < 2;
  let octokit: Promise<Octokit> | undefined;
  /** Loaded with the first request: most services have no project at GitHub. */
  const connect = async (): Promise<Octokit> => {
    const { Client, notifications, write } = await import('./octokit.ts');
    return new Client({
      userAgent: 'docent',
      request: { fetch: fetchWithin(apiUrl, timeouts.timeoutMs), log },
      log,
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

  return ({ url, body, isRedirect, isOnce, signal, ...sent }) => {
    // The plugins know requests by their paths. GraphQL is beside the REST API of an Enterprise Server.
    const baseUrl = url.startsWith(`${apiUrl}/`) ? apiUrl : apiUrl.replace(/\/v3$/, '');
    const send = async (): Promise<Answer> => {
      octokit ??= connect();
      const { request } = await octokit;
      return request({
        ...sent,
        baseUrl,
        url: url.slice(baseUrl.length),
        ...(body !== undefined && { data: body }),
        request: {
          ...(isRedirect && { fetch, redirect: 'manual' }),
          ...(isOnce && { retries: 0 }),
          ...(signal && { signal }),
        },
      }).catch(answerOf);
    };
    // The plugins wait by timers that don't know the signal: a cancelled job doesn't wait for them.
    return untilAborted(send, signal);
  };
}

/** Octokit's errors have the answer, or why none came; it brings several copies of their class along. */
function answerOf(error: Error & { response?: Answer }): Answer {
  if (error.response) return error.response;
  throw error.cause instanceof Error ? error.cause : error;
}
