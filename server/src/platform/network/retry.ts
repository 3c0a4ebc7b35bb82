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
  /** The pause that the server asked for (`retry-after.ts`). */
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
