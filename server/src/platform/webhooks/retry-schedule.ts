/** When a webhook that was not taken is tried again, and when an endpoint counts as gone. */
import type { WebhookOutcome } from './send-webhook.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Pauses before the next attempts, each a fifth longer or shorter by chance; after the last one it is given up: 9 attempts in 32 hours. */
export const retryPausesMs: readonly number[] = [
  5 * second,
  minute,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
];
/** A receiver may ask for more patience, but for no more than this. */
const longestPauseMs = 24 * hour;

/** An endpoint that took nothing for so long, in so many attempts, is switched off. */
const hopelessMs = 72 * hour;
const hopelessFailures = 20;

/** After how many milliseconds it is tried again; `undefined`: not any more. */
export function pauseAfter(
  attempts: number,
  { retryAfterMs = 0 }: Pick<WebhookOutcome, 'retryAfterMs'>,
  random: number,
): number | undefined {
  const pause = retryPausesMs[attempts - 1];
  if (pause === undefined) return undefined;
  return Math.max(pause * (0.8 + 0.4 * random), Math.min(retryAfterMs, longestPauseMs));
}

/** Why an endpoint is to be switched off after a failed attempt; `undefined`: it is not. */
export function reasonToStop(
  { status }: Pick<WebhookOutcome, 'status'>,
  { failures, since }: { failures: number; since: string },
  now: Date,
): string | undefined {
  // What the Standard Webhooks specification has this status for.
  if (status === 410) return 'it answered 410 Gone';
  const isHopeless =
    failures >= hopelessFailures && Date.parse(since) <= now.getTime() - hopelessMs;
  return isHopeless ? `${failures} attempts failed since ${since}` : undefined;
}
