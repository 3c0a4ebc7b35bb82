import type { WebhookDelivery, WebhookEndpoint } from '@docent/shared/webhooks';
import type { Audit } from '../audit/audit.ts';
import type { Environment } from '../config/environment.ts';
import type { Config } from '../config/schema.ts';
import type { Logger } from '../log.ts';
import type { Project } from '../tenants/projects.ts';
import type { Store } from '../store/database.ts';
import { createDeliveries, dueChannel } from './deliveries.ts';
import { readEndpoints } from './endpoints.ts';
import { listDeliveries, listEndpoints, replayDelivery } from './read-deliveries.ts';
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

    endpointsOf: (project: string): Promise<WebhookEndpoint[]> =>
      listEndpoints(database, project, endpoints),

    list: (
      project: string,
      query: Parameters<typeof listDeliveries>[2],
    ): Promise<WebhookDelivery[]> => listDeliveries(database, project, query),

    /** Sends a delivery again. */
    async replay(project: Project, id: string, keyId: string): Promise<WebhookDelivery> {
      const { organization } = project;
      const delivery = await database.transaction().execute(async (transaction) => {
        const wanted = { project: project.id, id, dueAt: store.clock() };
        const due = await replayDelivery(transaction, wanted, endpoints);
        await audit.record(transaction, [
          {
            organization,
            project: project.id,
            job: due.jobId ?? undefined,
            actor: { kind: 'key', id: keyId },
            type: 'webhook.replayed',
            data: { delivery: id, endpoint: due.endpoint },
          },
        ]);
        return due;
      });
      void bus.publish(dueChannel, project.id);
      return delivery;
    },
  };
}
