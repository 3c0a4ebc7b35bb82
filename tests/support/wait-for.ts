import { setTimeout as pause } from 'node:timers/promises';

/**
 * Waits until `check` gives something; fails with what it waited for. It looks less and less often:
 * a request every 10 ms takes its time from what it waits for.
 */
export async function waitFor<Found>(
  what: string,
  check: () => Found | undefined | false | Promise<Found | undefined | false>,
  timeoutMs = 30_000,
  maxPauseMs = 100,
): Promise<Found> {
  const giveUp = Date.now() + timeoutMs;
  for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 1.25, maxPauseMs)) {
    const found = await check();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > giveUp) throw new Error(`Waited ${timeoutMs} ms for ${what}`);
    await pause(pauseMs);
  }
}
