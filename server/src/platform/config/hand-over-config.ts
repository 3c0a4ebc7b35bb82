/** How a reader reaches people, and the mail server that messages go through. */
import { z } from 'zod';
import { object, port, privateHosts, text, variable, webAddress, write } from './fields.ts';

export const emailAddress = z.email(write('an email address, such as "docs@example.com"'));

/** The owner's mail server. */
export const EmailConfig = object(
  'an object such as { host: "smtp.example.com", from: "docs@example.com" }',
  {
    host: text('the name of your mail server, such as "smtp.example.com"'),
    /** 465 is encrypted from the start; on others, the connection is upgraded if the server offers it. */
    port: port.default(587),
    user: text('the user name at the mail server').optional(),
    /** The variable with the password. With one, an unencrypted connection is refused, but for this machine. */
    passwordEnv: variable.optional(),
    from: emailAddress,
  },
).optional();
export type EmailConfig = z.infer<typeof EmailConfig>;

export const HandOverConfig = object('an object such as { email: "support@example.com" }', {
  /** Instead of a form: an address of a ticket tool. `{threadId}` is replaced. */
  link: webAddress('https://tickets.example.com/new?conversation={threadId}', {
    keepSlash: true,
  }).optional(),
  /** Who gets what a reader writes. */
  email: emailAddress.optional(),
  webhook: object('an object with "url" and "secretEnv"', {
    url: webAddress('https://ops.example.com/hooks/readers', { keepSlash: true }),
    secretEnv: variable,
    allowPrivateHosts: privateHosts,
  }).optional(),
})
  .refine(
    ({ link, email, webhook }) => (link === undefined) !== (email === undefined && !webhook),
    { error: 'needs either a "link", or an "email" or "webhook" that gets what readers write' },
  )
  .optional();
