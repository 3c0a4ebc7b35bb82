/** Where a project's events are sent. */
import { webhookEvents } from '@docent/shared/webhooks';
import { z } from 'zod';
import type { Environment } from './environment.ts';
import { missingSecret, privateHosts, variable, webAddress, write } from './fields.ts';
import type { Config } from './schema.ts';

const known = webhookEvents.map((event) => `"${event}"`).join(', ');

const Webhook = z.strictObject(
  {
    url: webAddress('https://ops.example.com/hooks/docs', { keepSlash: true }),
    /** The variable with the secret that signs messages. */
    secretEnv: variable,
    /** During a rotation, the previous secret. Messages are signed with both. */
    previousSecretEnv: variable.optional(),
    /** The default is all events. */
    events: z
      .array(z.enum(webhookEvents, write(`events: ${known}`)), write(`a list of events: ${known}`))
      .min(1, write(`at least one event: ${known}`))
      .default([...webhookEvents]),
    /** Hosts of your own network that may receive messages. By default, only the public Internet. */
    allowPrivateHosts: privateHosts,
  },
  write(
    'an object such as { url: "https://ops.example.com/hooks/docs", secretEnv: "DOCS_WEBHOOK_SECRET" }',
  ),
);

export const WebhooksConfig = z.array(Webhook, write('a list of webhooks')).default([]);

/** Webhooks without their secret, and repeated ones. */
export function webhookMistakes(
  { projects }: Pick<Config, 'projects'>,
  environment: Pick<Environment, 'needs'>,
): string[] {
  return projects.flatMap(({ webhooks }, project) =>
    webhooks.flatMap(({ url, secretEnv, previousSecretEnv }, index) => {
      const at = `projects.${project}.webhooks.${index}`;
      const missing = [secretEnv, previousSecretEnv].flatMap((name) =>
        missingSecret(environment, at, name, 'a secret that the receiver knows'),
      );
      const isRepeated = webhooks.findIndex((other) => other.url === url) !== index;
      return [
        ...missing,
        ...(isRepeated
          ? [`${at}.url is listed twice; list all of its "events" in one webhook`]
          : []),
      ];
    }),
  );
}
