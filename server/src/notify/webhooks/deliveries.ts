/**
 * Messages for webhook endpoints: rows that are written in the transaction of what happened, and sent
 * later (`sender.ts`). A transaction that is rolled back sends nothing, and a crash loses nothing.
 */
import { sql } from 'kysely';
import { type WebhookBody, type WebhookEvent, webhookVersion } from '@docent/shared/webhooks';
import { newId } from '../../platform/ids.ts';
import type { Database, Store } from '../../platform/store/database.ts';
import { released } from '../../platform/store/lease.ts';
import type { Email } from '../email/mailer.ts';
import { alertsProject, digestEvent, type Endpoint } from './endpoints.ts';

/** Tells all processes that something is due. */
export const dueChannel = 'webhooks';

export interface WebhookMessage {
  type: WebhookEvent;
  project: string;
  time: Date;
  data: Omit<WebhookBody['data'], 'version' | 'project'>;
}

/** What the owner hears of a budget, in the envelope of the Standard Webhooks specification. */
export interface BudgetAlert {
  type: 'budget.alert';
  timestamp: string;
  data: {
    budget: { of: 'key' | 'organization' | 'site'; name: string };
    period: 'day' | 'month';
    periodStart: string;
    periodEnd: string;
    unit: 'tokens' | 'dollars';
    percent: number;
    limit: number;
    spent: number;
  };
}

/** What the people of a site get, by webhook and by email. */
export interface SiteMessage {
  type: 'handover.created';
  timestamp: string;
  data: object;
  email: Email;
  /** By which it's forgotten. */
  about: string;
}

export type Deliveries = ReturnType<typeof createDeliveries>;

export function createDeliveries(deps: {
  store: Pick<Store, 'clock'>;
  endpoints: readonly Endpoint[];
}) {
  const { store, endpoints } = deps;

  return {
    /** Whether an endpoint wants this event. Ask before you make an expensive message. */
    isWanted: (project: string, type: WebhookEvent) => wanting(project, type).length > 0,

    /** Writes down a message for each endpoint that wants it; part of the transaction of what happened. Wake the sender after it. */
    async enqueue(transaction: Database, message: WebhookMessage): Promise<void> {
      const { type, project, time, data } = message;
      const timestamp = time.toISOString();
      const body: WebhookBody = {
        type,
        timestamp,
        data: { version: webhookVersion, project, ...data },
      };
      const wanted = wanting(project, type);
      const { organization = '' } = wanted[0] ?? {};
      await insert(transaction, wanted, body, { organization, jobId: data.job.id });
    },

    /** Writes down a message for the endpoint of budget alerts, if there is one. */
    async enqueueAlert(
      transaction: Database,
      alert: BudgetAlert,
      organization: string,
    ): Promise<void> {
      const wanted = wanting(alertsProject, alert.type);
      await insert(transaction, wanted, alert, { organization, jobId: null });
    },

    /** Writes down a message for each endpoint of a site: its data for a webhook, its text for an email. */
    async enqueueForSite(
      transaction: Database,
      { domain, organization }: { domain: string; organization: string },
      { about: jobId, email, data, ...message }: SiteMessage,
    ): Promise<void> {
      for (const one of wanting(alertsProject, message.type)) {
        if (one.site !== domain) continue;
        const body = one.url.startsWith('mailto:') ? { ...message, email } : { ...message, data };
        await insert(transaction, [one], body, { organization, jobId });
      }
    },

    /** Writes down an email to a person. */
    async enqueueEmail(
      transaction: Database,
      email: Email & { to: string },
      time: Date,
    ): Promise<void> {
      const body = { type: digestEvent, timestamp: time.toISOString(), email };
      const wanted = wanting(alertsProject, digestEvent);
      await insert(transaction, wanted, body, { organization: '', jobId: null });
    },
  };

  async function insert(
    transaction: Database,
    wanted: readonly Endpoint[],
    body: { type: string; timestamp: string },
    { organization, jobId }: { organization: string; jobId: string | null },
  ): Promise<void> {
    if (wanted.length === 0) return;
    const rows = wanted.map(({ id, project }) => ({
      id: newId(),
      organization,
      project,
      endpoint: id,
      type: body.type,
      job_id: jobId,
      body: JSON.stringify(body),
      status: 'pending' as const,
      attempts: 0,
      due_at: store.clock(),
      ...released,
      created_at: body.timestamp,
    }));
    await transaction.insertInto('webhook_deliveries').values(rows).execute();
  }

  function wanting(project: string, type: string): Endpoint[] {
    return endpoints.filter(
      (endpoint) => endpoint.project === project && endpoint.events.has(type),
    );
  }
}

/** Replaces words in what was sent about a job. */
export async function forgetInDeliveries(
  tx: Database,
  jobId: string,
  { text, instead }: { text: string; instead: string },
): Promise<void> {
  await tx
    .updateTable('webhook_deliveries')
    .set({ body: sql<string>`replace(body, ${text}, ${instead})` })
    .where('job_id', '=', jobId)
    .execute();
}

/** Deletes what was sent, or is about to be, about these jobs or messages of readers. */
export async function deleteDeliveries(tx: Database, about: readonly string[]): Promise<void> {
  await tx.deleteFrom('webhook_deliveries').where('job_id', 'in', about).execute();
}
