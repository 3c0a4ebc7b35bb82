import { setTimeout as pause } from 'node:timers/promises';

/** Waits until `check` gives something; fails with what it waited for. */
export async function waitFor<Found>(
  what: string,
  check: () => Found | undefined | false | Promise<Found | undefined | false>,
  timeoutMs = 30_000,
): Promise<Found> {
  const giveUp = Date.now() + timeoutMs;
  for (;;) {
    const found = await check();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > giveUp) throw new Error(`Waited ${timeoutMs} ms for ${what}`);
    await pause(10);
  }
}
