/**
 * What is to be said to the endpoints of projects: rows that are written in the transaction of what
 * happened, and read by whoever sends. So nothing is said of what was rolled back, and nothing is lost.
 */
import { type WebhookBody, type WebhookEvent, webhookVersion } from '@docent/shared/webhooks';
import type { NewId } from '../ids.ts';
import type { WebhookDeliveryTable } from '../store/audit-tables.ts';
import type { Database } from '../store/database.ts';
import type { Endpoint } from './endpoints.ts';

/** Says that something is due, to all processes. */
export const dueChannel = 'webhooks';

export interface WebhookMessage {
  type: WebhookEvent;
  project: string;
  time: Date;
  data: Omit<WebhookBody['data'], 'version' | 'project'>;
}

export type Deliveries = ReturnType<typeof createDeliveries>;

export function createDeliveries(parts: { newId: NewId; endpoints: readonly Endpoint[] }) {
  const { newId, endpoints } = parts;

  return {
    /** Whether anybody wants to hear it, for whoever would have to make the message first. */
    isWanted: (project: string, type: WebhookEvent) => wanting(project, type).length > 0,

    /** Writes down what is to be sent; part of the transaction of what happened. Wake the sender after it. */
    async enqueue(transaction: Database, message: WebhookMessage): Promise<void> {
      const { type, project, time, data } = message;
      const timestamp = time.toISOString();
      const body: WebhookBody = {
        type,
        timestamp,
        data: { version: webhookVersion, project, ...data },
      };
      const wanted = wanting(project, type);
      if (wanted.length === 0) return;
      const off = await transaction
        .selectFrom('webhook_endpoints')
        .select('endpoint')
        .where('project', '=', project)
        .where('disabled_at', 'is not', null)
        .execute();
      const isOff = new Set(off.map(({ endpoint }) => endpoint));
      const rows = wanted.map((endpoint): WebhookDeliveryTable => ({
        id: newId(),
        project,
        endpoint: endpoint.id,
        type,
        job_id: data.job.id,
        body: JSON.stringify(body),
        // It waits until the endpoint takes messages again.
        status: isOff.has(endpoint.id) ? 'held' : 'pending',
        attempts: 0,
        due_at: isOff.has(endpoint.id) ? null : timestamp,
        last_attempt_at: null,
        last_status: null,
        last_fault: null,
        last_response: null,
        created_at: timestamp,
        delivered_at: null,
      }));
      await transaction.insertInto('webhook_deliveries').values(rows).execute();
    },
  };

  function wanting(project: string, type: WebhookEvent): Endpoint[] {
    return endpoints.filter(
      (endpoint) => endpoint.project === project && endpoint.events.has(type),
    );
  }
}
