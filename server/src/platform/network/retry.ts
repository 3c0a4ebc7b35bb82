import { setTimeout as sleep } from 'node:timers/promises';

export interface RetryPolicy {
  /** How often the call is made, the first time included. */
  attempts: number;
  /** The pause before the second attempt, in milliseconds. It doubles before each further one. */
  baseMs: number;
  /** The longest pause. A server that asks for a longer one isn't called again. */
  capMs: number;
}

export interface RetryOptions {
  policy: RetryPolicy;
  /** Whether another attempt may succeed: the server is busy or down, or the connection broke. */
  isRetryable: (error: unknown) => boolean;
  /** The pause that the server asked for (`retryAfterMs`). */
  retryAfterMs?: ((error: unknown) => number | undefined) | undefined;
  signal?: AbortSignal | undefined;
}

/** Makes a call to an external service, again after failures that pass. Rejects with the last error. */
export async function retry<Result>(
  call: () => Promise<Result>,
  { policy, isRetryable, retryAfterMs, signal }: RetryOptions,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      signal?.throwIfAborted();
      if (attempt >= policy.attempts || !isRetryable(error)) throw error;
      const pause = pauseBeforeRetry(attempt, policy, retryAfterMs?.(error));
      if (pause === undefined) throw error;
      await sleep(pause, undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
    }
  }
}

/** The pause after this attempt; `undefined` if the server asks for a longer one than the policy allows. */
export function pauseBeforeRetry(
  attempt: number,
  policy: RetryPolicy,
  askedMs: number | undefined,
): number | undefined {
  if (askedMs === undefined) return pauseAfter(attempt, policy);
  return askedMs > policy.capMs ? undefined : askedMs;
}

/** Up to a quarter longer or shorter, so that callers that failed together don't come back together. */
export function pauseAfter(
  attempt: number,
  { baseMs, capMs }: RetryPolicy,
  random = Math.random(),
): number {
  return Math.min(capMs, baseMs * 2 ** (attempt - 1) * (0.75 + random / 2));
}

type HeaderRecord = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/**
 * The pause that a server asks for, in milliseconds; `undefined` when it asks for none. `Retry-After`
 * holds seconds or an HTTP date (RFC 9110, 10.2.3); some model providers also send `retry-after-ms`.
 */
export function retryAfterMs(
  headers: Headers | HeaderRecord | undefined,
  now = Date.now(),
): number | undefined {
  const read = (name: string) => {
    const value = headers instanceof Headers ? headers.get(name) : headers?.[name];
    return (Array.isArray(value) ? value.join() : String(value ?? '')).trim();
  };
  const exact = read('retry-after-ms');
  if (isDecimal.test(exact)) return Number(exact);
  const value = read('retry-after');
  if (isDecimal.test(value)) return Number(value) * 1000;
  if (!isDate.test(value)) return undefined;
  const date = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

const isDecimal = /^\d{1,9}(\.\d{1,9})?$/;
/** `Sun, 06 Nov 1994 08:49:37 GMT`, and the two obsolete forms that begin with a day as well. */
const isDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;
