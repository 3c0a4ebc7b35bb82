import type { WebhookDelivery, WebhookEndpoint } from '@docent/shared/webhooks';
import type { Audit } from '../audit/audit.ts';
import type { Environment } from '../config/environment.ts';
import type { Config } from '../config/schema.ts';
import type { NewId } from '../ids.ts';
import type { Logger } from '../log.ts';
import type { Project } from '../tenants/projects.ts';
import type { Bus } from '../store/bus.ts';
import type { Database } from '../store/database.ts';
import { createDeliveries, dueChannel } from './deliveries.ts';
import { readEndpoints } from './endpoints.ts';
import { listDeliveries, listEndpoints, replayDelivery } from './read-deliveries.ts';
import { createSender, type SenderOptions } from './sender.ts';

export type Webhooks = ReturnType<typeof createWebhooks>;

/** The webhooks of all projects: written down, sent, looked at, sent again. */
export function createWebhooks(
  parts: {
    config: Pick<Config, 'projects'>;
    environment: Pick<Environment, 'secret'>;
    database: Database;
    bus: Bus;
    now: () => Date;
    newId: NewId;
    log: Logger;
    audit: Audit;
  },
  options: SenderOptions = {},
) {
  const { config, environment, database, bus, now, audit } = parts;
  const endpoints = readEndpoints(config, environment);
  const sender = createSender({ ...parts, endpoints }, options);

  return {
    ...createDeliveries({ newId: parts.newId, endpoints }),
    sender,

    endpointsOf: (project: string): Promise<WebhookEndpoint[]> =>
      listEndpoints(database, project, endpoints),

    list: (
      project: string,
      query: Parameters<typeof listDeliveries>[2],
    ): Promise<WebhookDelivery[]> => listDeliveries(database, project, query),

    /** Sends it once more. */
    async replay(project: Project, id: string, keyId: string): Promise<WebhookDelivery> {
      const { organization } = project;
      const delivery = await database.transaction().execute(async (transaction) => {
        const at = now().toISOString();
        const due = await replayDelivery(transaction, { project: project.id, id, at }, endpoints);
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
