import { roles } from '@docent/shared/people';
import { z } from 'zod';
import {
  flag,
  list,
  object,
  oneOf,
  port,
  range,
  section,
  text,
  variable,
  webAddress,
  write,
} from './fields.ts';
import type { Config } from './schema.ts';

const hours = (most: number) => range('a number of hours', 1, most);

const group = text('the name of a group');

const OpenIdConfig = object('an object of OpenID Connect settings', {
  /** Discovery finds everything else below it. */
  issuer: webAddress('https://login.example.com', { keepSlash: true }),
  clientId: text('the ID that the identity provider gave to Docent'),
  /** Without one, Docent is a public client. */
  clientSecretEnv: variable.optional(),
  /** Of the button: "Continue with …". */
  name: text('a name for the button, such as "Okta"').default('single sign-on'),
  /** People with a verified address of these domains get an account, or theirs is linked. */
  allowedDomains: list(
    'a list of domains, such as ["example.com"]',
    z.string().regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, write('a domain, such as "example.com"')),
  ),
  /** Where new people become members. */
  organization: text('the name of an organization').optional(),
  /** The claim with the groups of a person. */
  groupsClaim: text('the name of a claim').default('groups'),
  /** The highest role of a person's groups, at each sign-in. */
  rolesByGroup: z.record(group, oneOf(roles), write('an object of roles by group')).optional(),
  /** Of people in none of these groups; without it, they don't get in. */
  defaultRole: oneOf(roles).optional(),
});
export type OpenIdConfig = z.output<typeof OpenIdConfig>;

/** The dashboard: how long people stay signed in, and what they need to sign in. */
export const DashboardConfig = section('an object of dashboard settings', {
  /** `false`: only the command line and admin keys manage the service. */
  enabled: flag(true),
  /** A port of its own, for example one that only the company's network reaches. */
  port: port.optional(),
  /** Where people reach the dashboard, if not at `server.publicUrl`. */
  publicUrl: webAddress('https://docent.corp.example.com').optional(),
  /** A session ends after this time without a request. */
  idleHours: hours(720).default(24),
  /** A session ends after this time in any case. */
  sessionHours: hours(8_760).default(168),
  /** Everybody must set up a second factor before they see anything. */
  requireSecondFactor: flag(false),
  /** `false`: people sign in through the identity provider only. */
  passwords: flag(true),
  openId: OpenIdConfig.optional(),
});

/** Where browsers reach the dashboard, for links, cookies, and the origin of requests. */
export function withPublicUrl({ server, dashboard }: Config): Config['dashboard'] {
  const publicUrl =
    dashboard.publicUrl ?? (dashboard.port === undefined ? server.publicUrl : undefined);
  return { ...dashboard, ...(publicUrl !== undefined && { publicUrl }) };
}
