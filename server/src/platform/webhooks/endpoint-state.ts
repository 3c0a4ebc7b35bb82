import { type Audit, system } from '../audit/audit.ts';
import type { Logger } from '../log.ts';
import type { Database, Store } from '../store/database.ts';
import type { Endpoint } from './endpoints.ts';
import type { WebhookOutcome } from './send-webhook.ts';

/** An endpoint that failed for this long, and this often, is switched off. */
const maxFailingMs = 72 * 3_600_000;
const minFailures = 20;

interface StateDeps {
  store: Pick<Store, 'clock'>;
  now: () => Date;
  log: Pick<Logger, 'info' | 'error'>;
  audit: Pick<Audit, 'record'>;
}

const working = { failures: 0, failing_since: null, disabled_at: null, reason: null };

/**
 * Notes the outcome of an attempt, and returns whether the endpoint is switched off. An endpoint that
 * fails for days is switched off, and its messages are held. The first success switches it on again.
 */
export async function noteEndpoint(
  transaction: Database,
  endpoint: Endpoint,
  outcome: WebhookOutcome,
  { store, now, log, audit }: StateDeps,
): Promise<{ isOff: boolean }> {
  const { project, organization, id } = endpoint;
  const time = now().toISOString();
  const known = { project, endpoint: id };
  await transaction
    .insertInto('webhook_endpoints')
    .values({ ...known, failures: 0 })
    .onConflict((conflict) => conflict.columns(['project', 'endpoint']).doNothing())
    .execute();
  const row = await transaction
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where((and) => and.and(known))
    .forUpdate()
    .executeTakeFirstOrThrow();
  const set = (change: Partial<typeof row>) =>
    transaction
      .updateTable('webhook_endpoints')
      .set(change)
      .where((and) => and.and(known))
      .execute();
  const record = (organization: string, type: string, reason?: string) =>
    audit.record(transaction, [
      { organization, project, actor: system, type, data: { endpoint: id, reason } },
    ]);

  if (outcome.fault === undefined) {
    await set({ ...working, last_success_at: time });
    if (organization === undefined || row.disabled_at === null) return { isOff: false };
    await transaction
      .updateTable('webhook_deliveries')
      .set({ status: 'pending', due_at: store.clock(), attempts: 0 })
      .where((and) => and.and({ ...known, status: 'held' as const }))
      .execute();
    await record(organization, 'webhook.enabled');
    log.info(known, 'a webhook endpoint works again');
    return { isOff: false };
  }

  const failures = row.failures + 1;
  const since = row.failing_since ?? time;
  const isOn = organization !== undefined && row.disabled_at === null;
  const reason = isOn ? reasonToStop(outcome, { failures, since }, now()) : undefined;
  await set({
    failures,
    failing_since: since,
    ...(reason !== undefined && { disabled_at: time, reason }),
  });
  if (!isOn || reason === undefined) return { isOff: row.disabled_at !== null };
  await transaction
    .updateTable('webhook_deliveries')
    .set({ status: 'held', due_at: null })
    .where((and) => and.and({ ...known, status: 'pending' as const }))
    .execute();
  await record(organization, 'webhook.disabled', reason);
  log.error({ ...known, reason }, 'a webhook endpoint is switched off');
  return { isOff: true };
}

/** Why to switch an endpoint off after a failed attempt; `undefined` to keep it. */
function reasonToStop(
  { status }: Pick<WebhookOutcome, 'status'>,
  { failures, since }: { failures: number; since: string },
  now: Date,
): string | undefined {
  // The Standard Webhooks specification gives this status that meaning.
  if (status === 410) return 'it answered 410 Gone';
  const isHopeless = failures >= minFailures && Date.parse(since) <= now.getTime() - maxFailingMs;
  return isHopeless ? `${failures} attempts failed since ${since}` : undefined;
}
