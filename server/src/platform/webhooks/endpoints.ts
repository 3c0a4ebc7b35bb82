import { createHash } from 'node:crypto';
import type { WebhookEvent } from '@docent/shared/webhooks';
import type { Environment } from '../config/environment.ts';
import type { Config } from '../config/schema.ts';

/** Where a project's events are sent, as the configuration has it. */
export interface Endpoint {
  project: string;
  organization: string;
  /** A digest of its address: the address may hold a secret, which belongs in no row and no log. */
  id: string;
  url: string;
  events: ReadonlySet<WebhookEvent>;
  /** The first signs; while a secret is exchanged, the one before signs too. */
  secrets: readonly string[];
  allowPrivateHosts: readonly string[];
}

/** The endpoints of all projects. Another address is another endpoint. */
export function readEndpoints(
  { projects }: Pick<Config, 'projects'>,
  environment: Pick<Environment, 'secret'>,
): Endpoint[] {
  return projects.flatMap((project) =>
    project.webhooks.map(({ url, secretEnv, previousSecretEnv, events, allowPrivateHosts }) => ({
      project: project.id,
      organization: project.organization,
      id: createHash('sha256').update(url).digest('hex').slice(0, 16),
      url,
      events: new Set(events),
      secrets: [secretEnv, previousSecretEnv].flatMap((variable) =>
        variable === undefined ? [] : (environment.secret(variable) ?? []),
      ),
      allowPrivateHosts,
    })),
  );
}
