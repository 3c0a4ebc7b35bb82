/**
 * Projects, sites, and credentials that people connected in the dashboard, as this process knows them. Rows are
 * the truth: each process reads them at its start, when another says that they changed, and before it says that
 * there is no such project or site.
 */
import { z } from 'zod';
import { ProjectConfig } from '../config/project-config.ts';
import type { Config } from '../config/schema.ts';
import { SiteConfig } from '../config/site-config.ts';
import { DocentError, JobError } from '../errors.ts';
import { recognizeSecrets } from '../redaction/own-secrets.ts';
import type { Store, Tables } from '../store/database.ts';
import { type Seal, sealKeyFile } from '../store/seal.ts';
import type { Project } from './projects.ts';

export const Secrets = z.object({ access: z.string(), hook: z.string() });
export type Secrets = z.output<typeof Secrets>;

export type ConnectionRow = Tables['connections'];
type ProjectRow = Tables['connected_projects'];
type SiteRow = Tables['connected_sites'];

const channel = 'connected';

/** Names a secret where the configuration names a variable; no variable's name has a space. */
const secretName = (connection: string, secret: keyof Secrets): string =>
  `connection ${connection} ${secret}`;

/** Where the credentials of a connection belong in its row. */
export const sealPlace = (connection: string): string => `connections ${connection}`;

export interface ConnectedDeps {
  config: Pick<Config, 'projects' | 'sites' | 'models'>;
  store: Pick<Store, 'database' | 'bus'>;
  seal: Seal;
}

export type Connected = ReturnType<typeof createConnected>;

export function createConnected({ config, store, seal }: ConnectedDeps) {
  const { database, bus } = store;
  const secrets = new Map<string, { sealed: string; values: Secrets; forget: () => void }>();
  let connections = new Map<string, ConnectionRow>();
  let rows: readonly ProjectRow[] = [];
  /** The same row stays the same object, by which forges are kept. */
  let projects = new Map<string, Project>();
  let sites = new Map<string, ConnectedSite>();
  let reading: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function read(): Promise<void> {
    const [ofHosts, ofProjects, ofSites] = await Promise.all([
      database.selectFrom('connections').selectAll().execute(),
      database.selectFrom('connected_projects').selectAll().orderBy('created_at').execute(),
      database.selectFrom('connected_sites').selectAll().orderBy('created_at').execute(),
    ]);
    connections = new Map(ofHosts.map((row) => [row.id, row]));
    for (const [id, { sealed, forget }] of secrets) {
      if (connections.get(id)?.secrets === sealed) continue;
      forget();
      secrets.delete(id);
    }
    sites = made(ofSites, sites, (row, host) => toSite(row, host, config));
    const all = [...config.sites, ...sites.values()];
    const domains = all.map(({ domain }) => domain).join(' ');
    projects = made(
      ofProjects,
      projects,
      (row, host) => toProject(row, host, { ...config, sites: all }),
      domains,
    );
    rows = ofProjects;
  }

  /** What rows stand for, by their text. */
  function made<Row extends { connection: string }, Made>(
    found: readonly Row[],
    known: ReadonlyMap<string, Made>,
    make: (row: Row, host: ConnectionRow) => Made,
    /** What else decides. */
    more = '',
  ): Map<string, Made> {
    return new Map(
      found.flatMap((row) => {
        const host = connections.get(row.connection);
        const key = JSON.stringify(row) + more;
        return host ? [[key, known.get(key) ?? make(row, host)] as const] : [];
      }),
    );
  }

  /** Calls during a reading share the next one: they may be about rows that this one hasn't seen. */
  function reload(): Promise<void> {
    return reading ? (next ??= reading.then(start, start)) : start();
  }

  function start(): Promise<void> {
    next = undefined;
    const own = read().finally(() => {
      if (reading === own) reading = undefined;
    });
    reading = own;
    return own;
  }

  /** The connection whose secret has this name. */
  const named = (name: string): ConnectionRow | undefined =>
    connections.get(/^connection (\w+) (?:access|hook)$/.exec(name)?.[1] ?? '');

  /** `undefined`: they were encrypted with another key. */
  function open({ id, secrets: sealed }: ConnectionRow): Secrets | undefined {
    const known = secrets.get(id);
    if (known) return known.values;
    const text = seal.open(sealed, sealPlace(id));
    if (text === undefined) return undefined;
    const values = Secrets.parse(JSON.parse(text));
    secrets.set(id, { sealed, values, forget: recognizeSecrets(Object.values(values)) });
    return values;
  }

  const onChange = () => void reload().catch(() => undefined);
  const ends = [bus.subscribe(channel, onChange), bus.onGap(onChange)];

  return {
    reload,
    all: (): Project[] => [...projects.values()],
    sites: (): ConnectedSite[] => [...sites.values()],
    /** Also those that stand in the shadow of the configuration. */
    rows: () => rows,
    connection: (id: string) => connections.get(id),
    open,
    named,

    assertOpen(row: ConnectionRow): Secrets {
      const opened = open(row);
      if (opened) return opened;
      throw new DocentError('conflict', unreadable(row));
    },

    /** `undefined`: it isn't the name of a connection's secret. */
    secret(name: string): string | undefined {
      const row = named(name);
      const which = name.split(' ')[2];
      const opened = row && open(row);
      if (!row || opened) return opened?.[which as keyof Secrets];
      throw new JobError('forge_not_configured', unreadable(row));
    },

    /** Call it after the transaction that changed something. */
    async changed(): Promise<void> {
      await reload();
      await bus.publish(channel, '');
    },

    close(): void {
      for (const end of ends) end();
      for (const { forget } of secrets.values()) forget();
    },
  };
}

/** Why credentials can't be used. */
const unreadable = ({ url }: ConnectionRow): string =>
  `The credentials of the connection to ${url} were encrypted with another key. Restore DOCENT_CREDENTIALS_KEY, or the file ${sealKeyFile} of the data folder, or connect again.`;

/** What the dashboard may set of a project. The rest has the defaults of the configuration. */
const Settings = ProjectConfig.pick({
  docsRoot: true,
  baseBranch: true,
  draft: true,
  pullRequest: true,
  site: true,
  model: true,
});

/** The file wins: a site or a model that it no longer has, or has given to a project of its own, is left out. */
export function toProject(
  row: Omit<ProjectRow, 'created_at'>,
  host: ConnectionRow,
  config: ConnectedDeps['config'],
): Project {
  const { site, model, ...settings } = Settings.parse(JSON.parse(row.settings));
  const isFree =
    config.sites.some((one) => one.domain === site && one.organization === row.organization) &&
    !config.projects.some((one) => one.site === site);
  const base = ProjectConfig.parse({
    id: row.id,
    organization: row.organization,
    repository: row.repository,
    ...settings,
    ...(isFree && { site }),
    ...(model !== undefined && Object.hasOwn(config.models, model) && { model }),
  });
  const conversation = {
    secretEnv: secretName(host.id, 'hook'),
    mention: 'docent',
    maxMessages: 20,
    repairChecks: true,
  };
  const project = { ...base, connection: host.id, ...(host.has_hook === 1 && { conversation }) };
  return { ...project, ...forgeOf(host) };
}

export type ConnectedSite = SiteConfig & { connection: string };

/** The user names that go with tokens over git. */
const gitNames = { github: 'x-access-token', gitea: 'docent', gitlab: 'oauth2' };

/** Its one source is a repository of the connection. The file wins: a model that it no longer has is left out. */
export function toSite(
  { domain, organization, settings }: Pick<SiteRow, 'domain' | 'organization' | 'settings'>,
  host: ConnectionRow,
  { models }: Pick<Config, 'models'>,
): ConnectedSite {
  const { model, ...read } = SiteConfig.parse({ ...JSON.parse(settings), domain, organization });
  const docs = {
    ...read.docs,
    // Somebody who may connect hosts has named it.
    allowPrivateHosts: [new URL(host.url).host],
    sources: read.docs.sources.map((source) =>
      source.type === 'git'
        ? { ...source, username: gitNames[host.forge], tokenEnv: secretName(host.id, 'access') }
        : source,
    ),
  };
  const isKnown = model !== undefined && Object.hasOwn(models, model);
  return { ...read, docs, connection: host.id, ...(isKnown && { model }) };
}

/** How a project names the host, and the credentials, of a connection. */
export function forgeOf({
  id,
  forge,
  url,
  app_id: app,
}: Pick<ConnectionRow, 'id' | 'forge' | 'url' | 'app_id'>): Pick<
  Project,
  'github' | 'gitea' | 'gitlab'
> {
  const access = secretName(id, 'access');
  if (forge === 'gitea') return { gitea: { tokenEnv: access } };
  if (forge === 'gitlab') return { gitlab: { tokenEnv: access, url } };
  return {
    github: app === null ? { tokenEnv: access } : { app: { id: app, privateKeyEnv: access } },
  };
}
