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
import { sha256 } from '../../platform/hash.ts';
import type { Environment } from '../../platform/config/environment.ts';
import type { Config } from '../../platform/config/schema.ts';

/** Tells all processes that something is due. */
export const dueChannel = 'webhooks';

export interface WebhookMessage {
  type: WebhookEvent;
  project: string;
  time: Date;
  data: Omit<WebhookBody['data'], 'version' | 'project'>;
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
    async enqueue(
      transaction: Database,
      { type, project, time, data }: WebhookMessage,
    ): Promise<void> {
      const body: WebhookBody = {
        type,
        timestamp: time.toISOString(),
        data: { version: webhookVersion, project, ...data },
      };
      const wanted = wanting(project, type);
      const { organization = '' } = wanted[0] ?? {};
      await insert(transaction, wanted, body, { organization, jobId: data.job.id });
    },

    /** Writes down a message for the endpoint of budget alerts, in the envelope of the Standard Webhooks specification. */
    async enqueueAlert(
      transaction: Database,
      alert: { type: 'budget.alert'; timestamp: string; data: object },
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

/** Stands for the project of the endpoint of budget alerts: it belongs to none. */
export const alertsProject = '';
export const digestEvent = 'digest.weekly';

/** Where events are sent, as the configuration has it. */
export interface Endpoint {
  project: string;
  /** `undefined`: it belongs to the whole service. */
  organization: string | undefined;
  /** The domain of the site whose messages it gets, if it belongs to one. */
  site?: string;
  /** A digest of the address. The address may contain a secret, which belongs in no row and no log. */
  id: string;
  /** `mailto:` with an email address: sent through the owner's mail server. */
  url: string;
  events: ReadonlySet<string>;
  /** The secret, and during a rotation the previous one too. */
  secrets: readonly string[];
  allowPrivateHosts: readonly string[];
}

/** The endpoints of all projects and sites, and that of budget alerts. Another address is another endpoint. */
export function readEndpoints(
  { projects, budgets, sites, email }: Pick<Config, 'projects' | 'budgets' | 'sites' | 'email'>,
  environment: Pick<Environment, 'secret'>,
): Endpoint[] {
  const secretsOf = (...variables: (string | undefined)[]) =>
    variables.flatMap((name) => (name === undefined ? [] : (environment.secret(name) ?? [])));
  const outside = { project: alertsProject, secrets: [], allowPrivateHosts: [] };
  const ofProjects = projects.flatMap(({ id: project, organization, webhooks }) =>
    webhooks.map(({ url, secretEnv, previousSecretEnv, events, allowPrivateHosts }) => ({
      project,
      organization,
      id: digest(url),
      url,
      events: new Set(events),
      secrets: secretsOf(secretEnv, previousSecretEnv),
      allowPrivateHosts,
    })),
  );
  const ofSites = sites.flatMap(({ domain, organization, handOver = {} }): Endpoint[] => {
    const site = { ...outside, organization, site: domain, events: new Set(['handover.created']) };
    const { webhook, email } = handOver;
    const url = `mailto:${email}`;
    return [
      ...(webhook
        ? [{ ...site, ...webhook, id: digest(webhook.url), secrets: secretsOf(webhook.secretEnv) }]
        : []),
      ...(email === undefined ? [] : [{ ...site, url, id: digest(url) }]),
    ];
  });
  const ofPeople: Endpoint = {
    ...outside,
    // Of none: what people get is shown to nobody else.
    organization: '',
    id: 'people',
    url: 'mailto:',
    events: new Set([digestEvent]),
  };
  const { webhook: url = '', secretEnv } = budgets.alerts ?? {};
  const ofAlerts = (): Endpoint => ({
    ...outside,
    organization: undefined,
    id: digest(url),
    url,
    events: new Set(['budget.alert']),
    secrets: secretsOf(secretEnv),
    // A host in the owner's network is fine: no reader, page or model can change the configuration.
    allowPrivateHosts: [new URL(url).hostname.replace(/^\[|\]$/g, '')],
  });
  return [
    ...ofProjects,
    ...ofSites,
    ...(email ? [ofPeople] : []),
    ...(budgets.alerts ? [ofAlerts()] : []),
  ];
}

const digest = (url: string) => sha256(url).slice(0, 16);
