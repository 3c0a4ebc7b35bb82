import { DocentError } from '../errors.ts';

/** What a reader hears whose answer is ended because the service stops. */
export const stoppingError = () =>
  new DocentError('unavailable', 'The service is restarting. Please ask again in a moment.', {
    retryAfter: 5,
  });

export type RunningAnswers = ReturnType<typeof createRunningAnswers>;

/** The answers that are being written now, so that a stop can wait for them, and end them after a while. */
export function createRunningAnswers() {
  const running = new Set<Promise<void>>();
  const stop = new AbortController();
  let isDraining = false;

  return {
    /** Once the service is stopping, no answer is begun: a connection that is kept open may still ask. */
    refuseWhenStopping(): void {
      if (isDraining) throw stoppingError();
    },

    /** Fires when waiting is over. */
    stopped: stop.signal,

    get count() {
      return running.size;
    },

    async track(answer: Promise<void>): Promise<void> {
      running.add(answer);
      try {
        await answer;
      } finally {
        running.delete(answer);
      }
    },

    /** Settles when every answer has ended: by itself within the grace, with an error event after it. */
    async drain(graceMs: number): Promise<void> {
      isDraining = true;
      const timer = setTimeout(() => stop.abort(), graceMs);
      while (running.size > 0) await Promise.allSettled(running);
      clearTimeout(timer);
    },
  };
}
