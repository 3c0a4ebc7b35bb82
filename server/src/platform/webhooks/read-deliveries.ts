import type { WebhookDelivery, WebhookEndpoint, WebhookEvent } from '@docent/shared/webhooks';
import type { RawBuilder } from 'kysely';
import { DocentError } from '../errors.ts';
import type { DeliveryStatus, WebhookDeliveryTable } from '../store/audit-tables.ts';
import type { Database } from '../store/database.ts';
import { released } from '../store/lease.ts';
import type { Endpoint } from './endpoints.ts';

/** Newest first. */
export async function listDeliveries(
  database: Database,
  project: string,
  {
    status,
    before,
    limit,
  }: { status?: DeliveryStatus | undefined; before?: string | undefined; limit: number },
): Promise<WebhookDelivery[]> {
  const rows = await database
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('project', '=', project)
    .$if(status !== undefined, (rows) => rows.where('status', '=', status ?? 'pending'))
    .$if(before !== undefined, (rows) => rows.where('id', '<', before ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(toDelivery);
}

/** The endpoints of a project with their state. */
export async function listEndpoints(
  database: Database,
  project: string,
  endpoints: readonly Endpoint[],
): Promise<WebhookEndpoint[]> {
  const rows = await database
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('project', '=', project)
    .execute();
  return endpoints
    .filter((endpoint) => endpoint.project === project)
    .map(({ id, url, events }) => {
      const row = rows.find(({ endpoint }) => endpoint === id);
      return {
        id,
        origin: new URL(url).origin,
        events: [...events] as WebhookEvent[],
        failures: row?.failures ?? 0,
        lastSuccessAt: row?.last_success_at ?? null,
        disabledAt: row?.disabled_at ?? null,
        reason: row?.reason ?? null,
      };
    });
}

/**
 * Makes a delivery due again with the same id, by which a receiver recognizes it. It's tried as often as
 * a new one, even if its endpoint is switched off.
 */
export async function replayDelivery(
  transaction: Database,
  { project, id, dueAt }: { project: string; id: string; dueAt: RawBuilder<string> },
  endpoints: readonly Endpoint[],
): Promise<WebhookDelivery> {
  const row = await transaction
    .updateTable('webhook_deliveries')
    .set({ status: 'pending', attempts: 0, due_at: dueAt, ...released, delivered_at: null })
    .where('project', '=', project)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (!row) throw new DocentError('not_found', 'This project has no delivery with this id.');
  if (!endpoints.some((each) => each.project === project && each.id === row.endpoint)) {
    throw new DocentError(
      'conflict',
      'The configuration no longer has a webhook at this address, so there is nowhere to send it.',
    );
  }
  return toDelivery(row);
}

function toDelivery(row: WebhookDeliveryTable): WebhookDelivery {
  return {
    id: row.id,
    endpoint: row.endpoint,
    type: row.type as WebhookEvent,
    jobId: row.job_id,
    status: row.status,
    attempts: row.attempts,
    dueAt: row.due_at,
    lastAttemptAt: row.last_attempt_at,
    lastStatus: row.last_status,
    lastFault: row.last_fault,
    lastResponse: row.last_response,
    createdAt: row.created_at,
    deliveredAt: row.delivered_at,
  };
}
