import type { Tables } from '../../platform/store/tables.ts';
import {
  WebhookDelivery,
  type WebhookEndpoint,
  WebhooksQuery,
  AllWebhooksQuery,
  WebhooksResponse,
} from '@docent/shared/webhooks';
import { sql } from 'kysely';
import type { Audit } from '../audit/audit.ts';
import type { Environment } from '../../platform/config/environment.ts';
import type { Config } from '../../platform/config/schema.ts';
import { DocentError } from '../../platform/errors.ts';
import {
  toPage,
  editorWrites,
  endpointsOf,
  json,
  viewerReads,
} from '../../platform/http/endpoint.ts';
import type { Logger } from '../../platform/log.ts';
import type { Store } from '../../platform/store/database.ts';
import { released } from '../../platform/store/lease.ts';
import { hasSeveralOrganizations } from '../../platform/tenants/sites.ts';
import type { Project } from '../../platform/tenants/projects.ts';
import { createDeliveries, dueChannel, alertsProject, readEndpoints } from './deliveries.ts';
import { createMailer } from '../email/mailer.ts';
import { createSender, type SenderOptions } from './sender.ts';
import { callerActor } from '../../platform/auth/caller.ts';

export type Webhooks = ReturnType<typeof createWebhooks>;

/** The service's outbox: messages for the webhooks of projects, and budget alerts. */
export function createWebhooks(
  deps: {
    config: Pick<Config, 'sites' | 'projects' | 'budgets' | 'email'>;
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
  const mailer = createMailer(config.email, environment);
  const sender = createSender({ ...deps, endpoints, mailer }, options);

  return {
    ...createDeliveries({ ...deps, endpoints }),
    sender,

    /** Call it after the transaction that enqueued something. */
    wake(): void {
      void bus.publish(dueChannel, '');
    },

    /** The endpoints of a project, or of an organization with that of budget alerts, with their state. */
    async endpointsOf(of: { project: string } | { organization: string }) {
      const found = endpoints.filter(({ project, organization }) =>
        'project' in of
          ? project === of.project
          : (organization === undefined && !hasSeveralOrganizations(config)) ||
            organization === of.organization,
      );
      if (found.length === 0) return [];
      const rows = await readStates([...new Set(found.map(({ project }) => project))]);
      return found.map(({ id, project, url, events }): WebhookEndpoint => {
        const row = rows.find((row) => row.project === project && row.endpoint === id);
        return {
          id,
          project: project === alertsProject ? null : project,
          origin: url.startsWith('mailto:') ? url : new URL(url).origin,
          events: [...events] as WebhookEndpoint['events'],
          failures: row?.failures ?? 0,
          failingSince: row?.failing_since ?? null,
          lastSuccessAt: row?.last_success_at ?? null,
        };
      });
    },

    /** A page of the deliveries of an organization, newest first. */
    async list(organization: string, query: WebhooksQuery) {
      const { cursor, limit } = query;
      let rows = database
        .selectFrom('webhook_deliveries')
        .selectAll()
        .where('organization', '=', organization)
        .orderBy('id', 'desc')
        .limit(limit + 1);
      for (const name of ['project', 'type', 'status'] as const) {
        const value = query[name];
        if (value !== undefined) rows = rows.where(name, '=', value);
      }
      if (cursor !== undefined) rows = rows.where('id', '<', cursor);
      const page = toPage(await rows.execute(), limit, ({ id }) => id);
      return { deliveries: page.rows.map(toDelivery), ...page.next };
    },

    /**
     * Sends a delivery again with the same ID, by which a receiver recognizes it. It's tried as often as a
     * new one.
     */
    async replay(project: Project, id: string, by: string): Promise<WebhookDelivery> {
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
        await audit.record(transaction, {
          organization: project.organization,
          project: project.id,
          job: row.job_id ?? undefined,
          actor: callerActor(by),
          type: 'webhook.replayed',
          data: { delivery: id, endpoint: row.endpoint },
        });
        return row;
      });
      void bus.publish(dueChannel, '');
      return toDelivery(row);
    },
  };

  /** The last success of each endpoint, and the attempts that failed since, as far as deliveries are kept. */
  function readStates(projects: readonly string[]) {
    return database
      .with('successes', (all) =>
        all
          .selectFrom('webhook_deliveries')
          .select(({ fn }) => ['project', 'endpoint', fn.max('delivered_at').as('at')])
          .where('project', 'in', projects)
          .groupBy(['project', 'endpoint']),
      )
      .selectFrom('successes')
      .leftJoin('webhook_deliveries as failed', (join) =>
        join
          .onRef('failed.project', '=', 'successes.project')
          .onRef('failed.endpoint', '=', 'successes.endpoint')
          .on('failed.last_fault', 'is not', null)
          .on((on) =>
            on.or([
              on('successes.at', 'is', null),
              on('failed.last_attempt_at', '>', on.ref('successes.at')),
            ]),
          ),
      )
      .select(({ fn }) => [
        'successes.project',
        'successes.endpoint',
        'successes.at as last_success_at',
        fn.coalesce(fn.sum<number>('failed.attempts'), sql.lit(0)).as('failures'),
        fn.min('failed.created_at').as('failing_since'),
      ])
      .groupBy(['successes.project', 'successes.endpoint', 'successes.at'])
      .execute();
  }
}

function toDelivery(row: Tables['webhook_deliveries']): WebhookDelivery {
  return {
    id: row.id,
    project: row.project === alertsProject ? null : row.project,
    endpoint: row.endpoint,
    type: row.type as WebhookDelivery['type'],
    jobId: row.job_id,
    body: row.body,
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

interface WebhookEndpointDeps {
  webhooks: Pick<Webhooks, 'endpointsOf' | 'list' | 'replay'>;
}

const ofService = endpointsOf<WebhookEndpointDeps>('Operations');
const ofProject = endpointsOf<WebhookEndpointDeps>('Agent jobs');

/** The deliveries to webhooks, for owners. Not in the service document. */
export const webhookEndpoints = [
  ofService('GET /v1/webhooks', {
    id: 'listWebhooks',
    summary: 'The webhooks of the organization, and what was sent to them',
    who: viewerReads,
    query: AllWebhooksQuery,
    reply: json(WebhooksResponse, 'Endpoints, and deliveries, newest first.'),
    async run({ caller: { organization }, query }, { webhooks }) {
      const [endpoints, page] = await Promise.all([
        webhooks.endpointsOf({ organization }),
        webhooks.list(organization, query),
      ]);
      return { endpoints, ...page };
    },
  }),

  ofProject('GET /v2/agent/{projectId}/webhooks', {
    id: 'getWebhooks',
    summary: 'The webhooks of a project, and what was sent to them',
    who: viewerReads,
    query: WebhooksQuery,
    reply: json(WebhooksResponse, 'Endpoints, and deliveries, newest first.'),
    async run({ project: { id: project, organization }, query }, { webhooks }) {
      const [endpoints, page] = await Promise.all([
        webhooks.endpointsOf({ project }),
        webhooks.list(organization, { ...query, project }),
      ]);
      return { endpoints, ...page };
    },
  }),

  ofProject('POST /v2/agent/{projectId}/webhooks/{deliveryId}/replay', {
    id: 'replayWebhook',
    summary: 'Send a webhook again, under the same id',
    who: editorWrites,
    reply: json(WebhookDelivery, 'The delivery, which is due.', { status: 202 }),
    errors: ['conflict'],
    run: ({ project, params, caller }, { webhooks }) =>
      webhooks.replay(project, params.deliveryId, caller.id),
  }),
];
