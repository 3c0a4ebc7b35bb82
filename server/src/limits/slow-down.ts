import { setTimeout as pause } from 'node:timers/promises';
import { DocentError } from '../errors.ts';

export interface SlowDownOptions {
  /** From this share of a limit on, of 1. */
  fromShare: number;
  /** Shortly before the limit. */
  longestSeconds: number;
  /** Requests that wait at the same moment; further ones are refused at once. */
  mostWaiting: number;
}

/** Settles after a while, or when the signal fires. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

const sleep: Sleep = async (ms, signal) => {
  await pause(ms, undefined, { signal }).catch(() => {});
};

/**
 * Makes whoever asks too fast wait before they are refused: a script slows down by it, a reader hardly
 * notices. (express-slow-down counts by itself, in middleware, before the body is read; our windows
 * are counted after it, several in one statement.)
 */
export function createSlowDown(options: SlowDownOptions | false, sleepFor: Sleep = sleep) {
  let waiting = 0;

  return {
    get waiting() {
      return waiting;
    },

    /** Waits as long as the fullest of the windows asks for. */
    async wait(
      windows: readonly { used: number; limit: number }[],
      gone: AbortSignal,
    ): Promise<void> {
      const ms = options ? Math.max(0, ...windows.map((each) => delayOf(each, options))) : 0;
      if (!options || ms === 0) return;
      if (waiting >= options.mostWaiting) {
        throw new DocentError(
          'rate_limited',
          'Too many questions came in a short time. Please try again in a moment.',
          { retryAfter: Math.max(1, Math.ceil(options.longestSeconds)) },
        );
      }
      waiting += 1;
      try {
        await sleepFor(ms, gone);
      } finally {
        waiting -= 1;
      }
    },
  };
}

/** Grows evenly from nothing, at the share, to the longest, at the limit. */
export function delayOf(
  { used, limit }: { used: number; limit: number },
  { fromShare, longestSeconds }: SlowDownOptions,
): number {
  const from = limit * fromShare;
  if (used <= from) return 0;
  return Math.round(Math.min(1, (used - from) / (limit - from)) * longestSeconds * 1000);
}
