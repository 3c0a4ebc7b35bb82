import { sha256 } from '../../platform/hash.ts';
import type { Environment } from '../../platform/config/environment.ts';
import type { Config } from '../../platform/config/schema.ts';

/** Stands for the project of the endpoint of budget alerts: it belongs to none. */
export const alertsProject = '';
export const digestEvent = 'digest.weekly';

/** Where events are sent, as the configuration has it. */
export interface Endpoint {
  project: string;
  /** `undefined`: it belongs to the whole service. */
  organization: string | undefined;
  /** The domain of the site whose messages it gets, if it belongs to one. */
  site?: string;
  /** A digest of the address. The address may contain a secret, which belongs in no row and no log. */
  id: string;
  /** `mailto:` with an email address: sent through the owner's mail server. */
  url: string;
  events: ReadonlySet<string>;
  /** The secret, and during a rotation the previous one too. */
  secrets: readonly string[];
  allowPrivateHosts: readonly string[];
}

/** The endpoints of all projects and sites, and that of budget alerts. Another address is another endpoint. */
export function readEndpoints(
  { projects, budgets, sites, email }: Pick<Config, 'projects' | 'budgets' | 'sites' | 'email'>,
  environment: Pick<Environment, 'secret'>,
): Endpoint[] {
  const ofProjects = projects.flatMap((project) =>
    project.webhooks.map(({ url, secretEnv, previousSecretEnv, events, allowPrivateHosts }) => ({
      project: project.id,
      organization: project.organization,
      id: digest(url),
      url,
      events: new Set(events),
      secrets: [secretEnv, previousSecretEnv].flatMap(secretOf),
      allowPrivateHosts,
    })),
  );
  const ofSites = sites.flatMap(({ domain, organization, handOver: { email, webhook } = {} }) => {
    const shared = {
      project: alertsProject,
      organization,
      site: domain,
      events: new Set(['handover.created']),
    };
    const mail = email === undefined ? [] : [`mailto:${email}`];
    return [
      ...(webhook
        ? [{ ...shared, ...webhook, id: digest(webhook.url), secrets: secretOf(webhook.secretEnv) }]
        : []),
      ...mail.map((url) => ({
        ...shared,
        url,
        id: digest(url),
        secrets: [],
        allowPrivateHosts: [],
      })),
    ];
  });
  const ofPeople: Endpoint[] = email
    ? [
        {
          project: alertsProject,
          // Of none: what people get is shown to nobody else.
          organization: '',
          id: 'people',
          url: 'mailto:',
          events: new Set([digestEvent]),
          secrets: [],
          allowPrivateHosts: [],
        },
      ]
    : [];
  if (budgets.alerts === undefined) return [...ofProjects, ...ofSites, ...ofPeople];
  const { webhook: url, secretEnv } = budgets.alerts;
  const ofAlerts: Endpoint = {
    project: alertsProject,
    organization: undefined,
    id: digest(url),
    url,
    events: new Set(['budget.alert']),
    secrets: secretOf(secretEnv),
    // A host in the owner's network is fine: no reader, page or model can change the configuration.
    allowPrivateHosts: [new URL(url).hostname.replace(/^\[|\]$/g, '')],
  };
  return [...ofProjects, ...ofSites, ...ofPeople, ofAlerts];

  function secretOf(variable: string | undefined): string[] {
    const secret = variable === undefined ? undefined : environment.secret(variable);
    return secret === undefined ? [] : [secret];
  }
}

const digest = (url: string) => sha256(url).slice(0, 16);
