/**
 * Sends the messages that are due, in every process. A lease keeps two processes from sending the same
 * one. Each endpoint has its own lane, so a slow endpoint doesn't delay the others. Delivery is at least
 * once, and not always in order: a message that failed is tried again after later ones.
 */
import type { Tables } from '../../platform/store/tables.ts';
import { sql } from 'kysely';
import { newId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/log.ts';
import { dayMs, hourMs, minuteMs, secondMs } from '../../platform/time.ts';
import { createLoop, type Loop } from '../../platform/loop.ts';
import type { Store } from '../../platform/store/database.ts';
import { createLease, released } from '../../platform/store/lease.ts';
import { hideOwnSecrets } from '../../platform/redaction/own-secrets.ts';
import type { Mailer } from '../email/mailer.ts';
import { dueChannel, type Endpoint } from './deliveries.ts';
import { sendWebhook, type WebhookOutcome, type WebhookReach } from './send-webhook.ts';
import { during } from '../../platform/telemetry/event-loop.ts';

/** Pauses before the next attempts, each up to a fifth longer or shorter: 9 attempts in 32 hours. */
export const retryPausesMs: readonly number[] = [
  5 * secondMs,
  minuteMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
];
/** A receiver may ask for a longer pause, up to this. */
const maxPauseMs = dayMs;

/** After this time, another process tries what a process that died was sending. Longer than any attempt. */
const leaseSeconds = 60;
/** How often to look for due messages without being told. */
const pollMs = 5_000;

/** How long deliveries are kept, for people who look for one or replay it. */
const keptMs = 30 * dayMs;

interface SenderDeps {
  store: Pick<Store, 'database' | 'clock'> & { bus: Pick<Store['bus'], 'subscribe'> };
  now: () => Date;
  log: Logger;
  endpoints: readonly Endpoint[];
  mailer: Mailer;
}

/** For tests. */
export interface SenderOptions {
  reach?: Omit<WebhookReach, 'privateHosts'> | undefined;
  random?: (() => number) | undefined;
}

export function createSender(deps: SenderDeps, options: SenderOptions = {}) {
  const { store, now, log, endpoints, mailer } = deps;
  const { database, bus, clock } = store;
  const lease = createLease(store, leaseSeconds);
  const owner = newId();
  const random = options.random ?? Math.random;
  const onError = (err: unknown) => log.error({ err }, 'webhooks could not be sent');
  const lanes = new Map<string, Loop>(
    endpoints.map((endpoint) => [
      nameOf(endpoint),
      createLoop({ work: () => during('webhooks', () => sendDue(endpoint)), onError }),
    ]),
  );
  const looking = createLoop({
    work: async () => void (await wakeLanes()),
    everyMs: pollMs,
    onError,
  });
  const stop = new AbortController();
  let unsubscribe: (() => void) | undefined;

  /** Each lane whose endpoint has something to send now. */
  async function wakeLanes(): Promise<Promise<void>[]> {
    const due = await database
      .selectFrom('webhook_deliveries')
      .select(['project', 'endpoint as id'])
      .distinct()
      .where('status', '=', 'pending')
      .where('due_at', '<=', clock())
      .where(lease.isFree('webhook_deliveries'))
      .execute();
    return due.flatMap((row) => lanes.get(nameOf(row))?.wake() ?? []);
  }

  async function sendDue(endpoint: Endpoint): Promise<void> {
    const { project, id, url, secrets, allowPrivateHosts: privateHosts } = endpoint;
    for (;;) {
      if (stop.signal.aborted) return;
      const delivery = await claim(project, id);
      if (!delivery) return;
      const body = hideOwnSecrets(delivery.body);
      const message = { id: delivery.id, body, time: now(), secrets };
      const outcome = url.startsWith('mailto:')
        ? await mailer.send(url.slice('mailto:'.length), message)
        : await sendWebhook(url, message, { ...options.reach, privateHosts }, stop.signal);
      // The lease runs out, and another process or the next start sends it.
      if (stop.signal.aborted) return;
      await note(endpoint, delivery, outcome);
    }
  }

  async function note(
    endpoint: Endpoint,
    delivery: Tables['webhook_deliveries'],
    outcome: WebhookOutcome,
  ): Promise<void> {
    const { id, attempts, type } = delivery;
    const { fault } = outcome;
    const time = now().toISOString();
    const pause = pauseAfter(attempts, outcome, random());
    const status = fault === undefined ? 'delivered' : pause === undefined ? 'failed' : 'pending';
    const { numUpdatedRows } = await database
      .updateTable('webhook_deliveries')
      .set({
        status,
        due_at: status === 'pending' ? clock((pause ?? 0) / 1000) : null,
        ...released,
        last_attempt_at: time,
        last_status: outcome.status ?? null,
        last_fault: fault ?? null,
        last_response: outcome.response ?? null,
        ...(status === 'delivered' && { delivered_at: time }),
      })
      .where('id', '=', id)
      // Somebody may have replayed it, or another process may have taken it over.
      .where('owner', '=', owner)
      .where('attempts', '=', attempts)
      .executeTakeFirst();
    if (fault === undefined || numUpdatedRows === 0n) return;
    const fields = { delivery: id, type, project: endpoint.project, attempts, fault };
    if (status === 'failed') log.error(fields, 'gave up on a webhook');
    else log.warn(fields, 'a webhook was not delivered');
  }

  /** Takes one delivery that is due, so that no other process sends it. */
  function claim(
    project: string,
    endpoint: string,
  ): Promise<Tables['webhook_deliveries'] | undefined> {
    return (
      database
        .updateTable('webhook_deliveries')
        .set({ ...lease.claim(owner), attempts: sql<number>`attempts + 1` })
        .where('id', '=', (select) =>
          select
            .selectFrom('webhook_deliveries as due')
            .select('due.id')
            .where('due.project', '=', project)
            .where('due.endpoint', '=', endpoint)
            .where('due.status', '=', 'pending')
            .where('due.due_at', '<=', clock())
            .where(lease.isFree('due'))
            .orderBy('due.due_at')
            .orderBy('due.id')
            .limit(1)
            .forUpdate()
            .skipLocked(),
        )
        // Another process may have been faster.
        .where('status', '=', 'pending')
        .where(lease.isFree('webhook_deliveries'))
        .returningAll()
        .executeTakeFirst()
    );
  }

  return {
    /** Sends everything that is due now. Settles when nothing is left. */
    async work(): Promise<void> {
      await Promise.all(await wakeLanes());
    },

    /** Sends messages until `stop`. */
    start(): void {
      if (endpoints.length === 0) return;
      unsubscribe = bus.subscribe(dueChannel, () => void looking.wake());
      looking.start();
      void looking.wake();
    },

    async stop(): Promise<void> {
      stop.abort();
      unsubscribe?.();
      await looking.stop();
      await Promise.all([...lanes.values()].map((lane) => lane.stop()));
    },

    /** Deletes deliveries that are too old to be replayed. */
    async deleteOld(): Promise<void> {
      await database
        .deleteFrom('webhook_deliveries')
        .where('created_at', '<', new Date(now().getTime() - keptMs).toISOString())
        .execute();
    },
  };
}

/** The pause before the next attempt, in milliseconds; `undefined` if there is none. */
function pauseAfter(
  attempts: number,
  { status, retryAfterMs = 0 }: Pick<WebhookOutcome, 'status' | 'retryAfterMs'>,
  random: number,
): number | undefined {
  // 410 Gone: the receiver wants no more, as the Standard Webhooks specification has it.
  const pause = status === 410 ? undefined : retryPausesMs[attempts - 1];
  if (pause === undefined) return undefined;
  return Math.max(pause * (0.8 + 0.4 * random), Math.min(retryAfterMs, maxPauseMs));
}

const nameOf = ({ project, id }: Pick<Endpoint, 'project' | 'id'>) => `${project} ${id}`;
