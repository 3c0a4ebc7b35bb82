import type { WebhookDelivery, WebhookEndpoint, WebhookEvent } from '@docent/shared/webhooks';
import { type Audit, callerActor } from '../audit/audit.ts';
import type { Environment } from '../config/environment.ts';
import type { Config } from '../config/schema.ts';
import { DocentError } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { DeliveryStatus, WebhookDeliveryTable } from '../store/audit-tables.ts';
import type { Store } from '../store/database.ts';
import { released } from '../store/lease.ts';
import type { Project } from '../tenants/projects.ts';
import { createDeliveries, dueChannel } from './deliveries.ts';
import { readEndpoints } from './endpoints.ts';
import { createSender, type SenderOptions } from './sender.ts';

export type Webhooks = ReturnType<typeof createWebhooks>;

/** The service's outbox: messages for the webhooks of projects, and budget alerts. */
export function createWebhooks(
  deps: {
    config: Pick<Config, 'projects' | 'budgets'>;
    environment: Pick<Environment, 'secret'>;
    store: Pick<Store, 'database' | 'clock' | 'bus'>;
    now: () => Date;
    log: Logger;
    audit: Audit;
  },
  options: SenderOptions = {},
) {
  const { config, environment, store, audit } = deps;
  const { database, bus } = store;
  const endpoints = readEndpoints(config, environment);
  const sender = createSender({ ...deps, endpoints }, options);

  return {
    ...createDeliveries({ ...deps, endpoints }),
    sender,

    /** Call it after the transaction that enqueued something. */
    wake(): void {
      void bus.publish(dueChannel, '');
    },

    /** The endpoints of a project with their state. */
    async endpointsOf(project: string): Promise<WebhookEndpoint[]> {
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
    },

    /** The deliveries of a project, newest first. */
    async list(
      project: string,
      query: { status?: DeliveryStatus | undefined; before?: string | undefined; limit: number },
    ): Promise<WebhookDelivery[]> {
      const { status, before, limit } = query;
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
    },

    /**
     * Sends a delivery again with the same ID, by which a receiver recognizes it. It's tried as often as a
     * new one, even if its endpoint is switched off.
     */
    async replay(project: Project, id: string, keyId: string): Promise<WebhookDelivery> {
      const row = await database.transaction().execute(async (transaction) => {
        const row = await transaction
          .updateTable('webhook_deliveries')
          .set({
            status: 'pending',
            attempts: 0,
            due_at: store.clock(),
            ...released,
            delivered_at: null,
          })
          .where('project', '=', project.id)
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirst();
        if (!row) throw new DocentError('not_found', 'This project has no delivery with this id.');
        if (!endpoints.some((each) => each.project === project.id && each.id === row.endpoint)) {
          throw new DocentError(
            'conflict',
            'The configuration no longer has a webhook at this address, so there is nowhere to send it.',
          );
        }
        await audit.record(transaction, [
          {
            organization: project.organization,
            project: project.id,
            job: row.job_id ?? undefined,
            actor: callerActor(keyId),
            type: 'webhook.replayed',
            data: { delivery: id, endpoint: row.endpoint },
          },
        ]);
        return row;
      });
      void bus.publish(dueChannel, '');
      return toDelivery(row);
    },
  };
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
