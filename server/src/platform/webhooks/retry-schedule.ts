/** When to retry a webhook that failed, and when to switch an endpoint off. */
import type { WebhookOutcome } from './send-webhook.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Pauses before the next attempts, each up to a fifth longer or shorter: 9 attempts in 32 hours. */
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
/** A receiver may ask for a longer pause, up to this. */
const maxPauseMs = 24 * hour;

/** An endpoint that failed for this long, and this often, is switched off. */
const maxFailingMs = 72 * hour;
const minFailures = 20;

/** The pause before the next attempt, in milliseconds; `undefined` after the last attempt. */
export function pauseAfter(
  attempts: number,
  { retryAfterMs = 0 }: Pick<WebhookOutcome, 'retryAfterMs'>,
  random: number,
): number | undefined {
  const pause = retryPausesMs[attempts - 1];
  if (pause === undefined) return undefined;
  return Math.max(pause * (0.8 + 0.4 * random), Math.min(retryAfterMs, maxPauseMs));
}

/** Why to switch an endpoint off after a failed attempt; `undefined` to keep it. */
export function reasonToStop(
  { status }: Pick<WebhookOutcome, 'status'>,
  { failures, since }: { failures: number; since: string },
  now: Date,
): string | undefined {
  // The Standard Webhooks specification gives this status that meaning.
  if (status === 410) return 'it answered 410 Gone';
  const isHopeless = failures >= minFailures && Date.parse(since) <= now.getTime() - maxFailingMs;
  return isHopeless ? `${failures} attempts failed since ${since}` : undefined;
}
