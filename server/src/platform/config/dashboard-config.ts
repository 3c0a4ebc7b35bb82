import { roles } from '@docent/shared/people';
import { z } from 'zod';
import { isLoopback } from '../network/addresses.ts';
import type { Environment } from './environment.ts';
import { missingSecret, oneOf, port, text, variable, webAddress, write } from './fields.ts';
import type { Config } from './schema.ts';

const hours = (most: number) =>
  z
    .number(write('a number of hours'))
    .min(1, write('at least 1 hour'))
    .max(most, write(`at most ${most} hours`));

const group = text('the name of a group');

const OpenIdConfig = z.strictObject(
  {
    /** Discovery finds everything else below it. */
    issuer: webAddress('https://login.example.com', { keepSlash: true }),
    clientId: text('the ID that the identity provider gave to Docent'),
    /** Without one, Docent is a public client. */
    clientSecretEnv: variable.optional(),
    /** Of the button: "Continue with …". */
    name: text('a name for the button, such as "Okta"').default('single sign-on'),
    /** People with a verified address of these domains get an account, or theirs is linked. */
    allowedDomains: z
      .array(
        z.string().regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, write('a domain, such as "example.com"')),
        write('a list of domains, such as ["example.com"]'),
      )
      .default([]),
    /** Where new people become members. */
    organization: text('the name of an organization').optional(),
    /** The claim with the groups of a person. */
    groupsClaim: text('the name of a claim').default('groups'),
    /** The highest role of a person's groups, at each sign-in. */
    rolesByGroup: z.record(group, oneOf(roles), write('an object of roles by group')).optional(),
    /** Of people in none of these groups; without it, they don't get in. */
    defaultRole: oneOf(roles).optional(),
  },
  write('an object of OpenID Connect settings'),
);
export type OpenIdConfig = z.output<typeof OpenIdConfig>;

/** The dashboard: how long people stay signed in, and what they need to sign in. */
export const DashboardConfig = z
  .strictObject(
    {
      /** `false`: only the command line and admin keys manage the service. */
      enabled: z.boolean().default(true),
      /** A port of its own, for example one that only the company's network reaches. */
      port: port.optional(),
      /** Where people reach the dashboard, if not at `server.publicUrl`. */
      publicUrl: webAddress('https://docent.corp.example.com').optional(),
      /** A session ends after this time without a request. */
      idleHours: hours(720).default(24),
      /** A session ends after this time in any case. */
      sessionHours: hours(8_760).default(168),
      /** Everybody must set up a second factor before they see anything. */
      requireSecondFactor: z.boolean().default(false),
      /** `false`: people sign in through the identity provider only. */
      passwords: z.boolean().default(true),
      openId: OpenIdConfig.optional(),
    },
    write('an object of dashboard settings'),
  )
  .prefault({});

export function dashboardMistakes(
  { server, dashboard, sites, projects }: Config,
  environment: Pick<Environment, 'needs'>,
): string[] {
  const { openId, passwords, port } = dashboard;
  const at = 'dashboard.openId';
  if (port !== undefined && port !== 0 && port === server.port) {
    return ['dashboard.port is the port of server.port; write another one, or leave it out'];
  }
  if (!openId) {
    return passwords
      ? []
      : [`${at} is missing, and dashboard.passwords is false; nobody could sign in`];
  }
  const mistakes = missingSecret(environment, at, openId.clientSecretEnv, "the client's secret");
  if (openId.issuer.startsWith('http:') && !isLoopback(new URL(openId.issuer).host)) {
    mistakes.push(`${at}.issuer needs https, except on this machine`);
  }
  const organizations = [...sites, ...projects].map(({ organization }) => organization);
  if (openId.organization !== undefined && !organizations.includes(openId.organization)) {
    mistakes.push(
      `${at}.organization "${openId.organization}" is not one of the configuration (${[...new Set(organizations)].join(', ')})`,
    );
  }
  if (openId.organization === undefined && new Set(organizations).size > 1) {
    mistakes.push(`${at}.organization is missing; write the one where people become members`);
  }
  return mistakes;
}

/** Where browsers reach the dashboard, for links, cookies, and the origin of requests. */
export function withPublicUrl({ server, dashboard }: Config): Config['dashboard'] {
  const publicUrl =
    dashboard.publicUrl ?? (dashboard.port === undefined ? server.publicUrl : undefined);
  return { ...dashboard, ...(publicUrl !== undefined && { publicUrl }) };
}
