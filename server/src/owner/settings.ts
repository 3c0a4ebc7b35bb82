/** The effective configuration, and where each value comes from. Secrets are named and never shown. */
import type { SettingsReply } from '@docent/shared/sites';
import type { Services } from '../compose.ts';
import { ownVariables } from '../platform/config/environment.ts';
import type { Config } from '../platform/config/schema.ts';
import { redact } from '../platform/redaction/redact.ts';
import { hasSeveralOrganizations } from '../platform/tenants/sites.ts';

const uses = { LOG: 'log', DATABASE: 'database', DOCENT: 'first account', OTEL: 'traces' };

export function describeSettings(
  { config, input, file, environment, projects: known, sites: allSites }: Services,
  organization: string,
): SettingsReply {
  const isTheirs = (each: { organization: string }) => each.organization === organization;
  const sites = config.sites.filter(isTheirs);
  const projects = config.projects.filter(isTheirs);
  const given = input as { sites?: unknown[]; projects?: unknown[] };
  const indexed = (all: readonly unknown[], own: readonly unknown[], raw: unknown[] = []) =>
    own.map((each) => raw[all.indexOf(each)]);
  const settings = flatten(
    {
      ...config,
      sites,
      projects,
      ...(hasSeveralOrganizations(config) && ofOne(config, organization)),
    },
    {
      ...given,
      sites: indexed(config.sites, sites, given.sites),
      projects: indexed(config.projects, projects, given.projects),
    },
  );
  const isAdded = (each: { organization: string; connection?: string | undefined }) =>
    isTheirs(each) && each.connection !== undefined;
  const added = {
    sites: allSites
      .all()
      .filter(isAdded)
      .map(({ domain, name, docs: { baseUrl, every, sources }, allowedOrigins, model }) => {
        const from = sources.flatMap((one) => (one.type === 'git' ? [one] : []));
        const docs = { baseUrl, every, sources: from.map(({ url, folder }) => ({ url, folder })) };
        return { domain, name, docs, allowedOrigins, model };
      }),
    projects: known
      .all()
      .filter(isAdded)
      .map(({ id, repository, baseBranch, docsRoot, site, model, draft }) => {
        return { id, repository, baseBranch, docsRoot, site, model, draft };
      }),
  };
  const fromDashboard = flatten(added, added).map((setting) => ({
    ...setting,
    from: 'dashboard' as const,
  }));
  const named = settings
    .filter(({ path, value }) => /(^|\.)\w*Env$/.test(path) && typeof value === 'string')
    .map(({ path, value }) => ({ name: String(value), usedFor: path, isSecret: true }));
  const own = ownVariables.map((variable) => {
    const [area] = variable.name.split('_', 1);
    const isKey = variable.name === 'DOCENT_CREDENTIALS_KEY';
    return { ...variable, usedFor: isKey ? 'credentials' : uses[area as keyof typeof uses] };
  });
  return {
    file: file ?? null,
    settings: [...settings, ...fromDashboard],
    environment: [...own, ...named].map((each) => ({
      ...each,
      isSet: environment.secret(each.name) !== undefined,
    })),
  };
}

/** Budgets and single sign-on, without those of other organizations. */
function ofOne({ budgets, dashboard, sites }: Config, organization: string) {
  const { keys: _, alerts: __, ...rest } = budgets;
  const { openId, ...pages } = dashboard;
  const domains = sites.filter((site) => site.organization === organization);
  const own = <Value>(all: Record<string, Value>, names: readonly string[]) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
  return {
    budgets: {
      ...rest,
      organizations: own(budgets.organizations, [organization]),
      sites: own(
        budgets.sites,
        domains.map(({ domain }) => domain),
      ),
    },
    dashboard: openId?.organization === organization ? dashboard : pages,
  };
}

type Setting = SettingsReply['settings'][number];

/** Each value by its path. A list of plain values is one value. */
function flatten(value: unknown, given: unknown, path = ''): Setting[] {
  const isFlat =
    typeof value !== 'object' ||
    value === null ||
    (Array.isArray(value) && value.every((each) => typeof each !== 'object'));
  if (isFlat) {
    if (value === undefined) return [];
    // The path of a webhook's address can be a secret.
    const isSecret = typeof value === 'string' && /\bwebhook(s\.\d+\.url)?$/.test(path);
    const shown = isSecret ? new URL(value).origin : value;
    return [{ path, value: withoutSecrets(shown), from: given === undefined ? 'default' : 'file' }];
  }
  return Object.entries(value).flatMap(([name, member]) =>
    flatten(
      member,
      (given as Record<string, unknown> | undefined)?.[name],
      (path === '' ? '' : `${path}.`) + (Array.isArray(value) ? nameOf(member, name) : name),
    ),
  );
}

/** Sites and projects have a name, which says more than their place in the list. */
function nameOf(member: unknown, index: string): string {
  const { domain, id = domain } = member as Record<string, unknown>;
  return typeof id === 'string' ? id : index;
}

/** Addresses may contain a password. */
function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') {
    return redact(value.replace(/(?<=^\w+:\/\/)[^/@]*@/, '…@'));
  }
  return Array.isArray(value) ? value.map(withoutSecrets) : value;
}
