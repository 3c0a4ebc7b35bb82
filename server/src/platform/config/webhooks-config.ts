/** Where a project's events are sent. */
import { webhookEvents } from '@docent/shared/webhooks';
import { z } from 'zod';
import type { Environment } from './environment.ts';
import { privateHosts, variable, webAddress, write } from './fields.ts';
import type { Config } from './schema.ts';

const known = webhookEvents.map((event) => `"${event}"`).join(', ');

const Webhook = z.strictObject(
  {
    url: webAddress('https://ops.example.com/hooks/docs', { keepSlash: true }),
    /** Names the variable that holds the secret that what is sent is signed with. */
    secretEnv: variable,
    /** While a secret is exchanged: the one before; what is sent is signed with both. */
    previousSecretEnv: variable.optional(),
    /** All, where it is left out. */
    events: z
      .array(z.enum(webhookEvents, write(`events: ${known}`)), write(`a list of events: ${known}`))
      .min(1, write(`at least one event: ${known}`))
      .default([...webhookEvents]),
    /** Hosts of your own network that it may be sent to; without, only the public Internet is. */
    allowPrivateHosts: privateHosts,
  },
  write(
    'an object such as { url: "https://ops.example.com/hooks/docs", secretEnv: "DOCS_WEBHOOK_SECRET" }',
  ),
);

export const WebhooksConfig = z.array(Webhook, write('a list of webhooks')).default([]);

/** A webhook that could not be signed, or that stands there twice. */
export function webhookMistakes(
  { projects }: Pick<Config, 'projects'>,
  environment: Pick<Environment, 'secret'>,
): string[] {
  return projects.flatMap(({ webhooks }, project) =>
    webhooks.flatMap(({ url, secretEnv, previousSecretEnv }, index) => {
      const at = `projects.${project}.webhooks.${index}`;
      const missing = [secretEnv, previousSecretEnv].filter(
        (name) => name !== undefined && environment.secret(name) === undefined,
      );
      const isRepeated = webhooks.findIndex((other) => other.url === url) !== index;
      return [
        ...missing.map(
          (name) =>
            `${at} needs the environment variable ${name}; set it to a secret that the receiver knows`,
        ),
        ...(isRepeated
          ? [`${at}.url stands here twice; name all of its "events" in one webhook`]
          : []),
      ];
    }),
  );
}
