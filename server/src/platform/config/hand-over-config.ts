/** How a reader reaches people, and the mail server that messages go through. */
import { z } from 'zod';
import type { Environment } from './environment.ts';
import { missingSecret, port, privateHosts, text, variable, webAddress, write } from './fields.ts';
import type { Config } from './schema.ts';

export const emailAddress = z.email(write('an email address, such as "docs@example.com"'));

/** The owner's mail server. */
export const EmailConfig = z
  .strictObject(
    {
      host: text('the name of your mail server, such as "smtp.example.com"'),
      /** 465 is encrypted from the start; on others, the connection is upgraded if the server offers it. */
      port: port.default(587),
      user: text('the user name at the mail server').optional(),
      /** The variable with the password. With one, an unencrypted connection is refused, but for this machine. */
      passwordEnv: variable.optional(),
      from: emailAddress,
    },
    write('an object such as { host: "smtp.example.com", from: "docs@example.com" }'),
  )
  .optional();
export type EmailConfig = z.infer<typeof EmailConfig>;

export const HandOverConfig = z
  .strictObject(
    {
      /** Instead of a form: an address of a ticket tool. `{threadId}` is replaced. */
      link: webAddress('https://tickets.example.com/new?conversation={threadId}', {
        keepSlash: true,
      }).optional(),
      /** Who gets what a reader writes. */
      email: emailAddress.optional(),
      webhook: z
        .strictObject(
          {
            url: webAddress('https://ops.example.com/hooks/readers', { keepSlash: true }),
            secretEnv: variable,
            allowPrivateHosts: privateHosts,
          },
          write('an object with "url" and "secretEnv"'),
        )
        .optional(),
    },
    write('an object such as { email: "support@example.com" }'),
  )
  .refine(
    ({ link, email, webhook }) => (link === undefined) !== (email === undefined && !webhook),
    { error: 'needs either a "link", or an "email" or "webhook" that gets what readers write' },
  )
  .optional();

export function handOverMistakes(
  { sites, email }: Pick<Config, 'sites' | 'email'>,
  environment: Pick<Environment, 'needs'>,
): string[] {
  const ofSites = sites.flatMap(({ handOver }, index) => {
    const at = `sites.${index}.handOver`;
    const secret = handOver?.webhook?.secretEnv;
    return [
      ...(handOver?.email !== undefined && !email
        ? [`${at}.email needs a mail server; add "email" with its "host" and "from"`]
        : []),
      ...missingSecret(environment, `${at}.webhook`, secret, 'a secret that the receiver knows'),
    ];
  });
  return [
    ...ofSites,
    ...missingSecret(environment, 'email', email?.passwordEnv, 'the password at the mail server'),
  ];
}
