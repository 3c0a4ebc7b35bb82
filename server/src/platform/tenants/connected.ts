/**
 * Projects and credentials that people connected in the dashboard, as this process knows them. Rows are the
 * truth: each process reads them at its start, when another says that they changed, and before it says that
 * there is no such project.
 */
import { z } from 'zod';
import { ProjectConfig } from '../config/project-config.ts';
import type { Config } from '../config/schema.ts';
import { JobError } from '../errors.ts';
import { recognizeSecrets } from '../redaction/own-secrets.ts';
import type { Store, Tables } from '../store/database.ts';
import { type Seal, sealKeyFile } from '../store/seal.ts';
import type { Project } from './projects.ts';

export const Secrets = z.object({ access: z.string(), hook: z.string() });
export type Secrets = z.output<typeof Secrets>;

export type ConnectionRow = Tables['connections'];
type ProjectRow = Tables['connected_projects'];

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

export function createConnected({ config, store, seal }: ConnectedDeps) {
  const { database, bus } = store;
  const secrets = new Map<string, { sealed: string; values: Secrets; forget: () => void }>();
  let connections = new Map<string, ConnectionRow>();
  let rows: readonly ProjectRow[] = [];
  /** The same row stays the same object, by which forges are kept. */
  let projects = new Map<string, Project>();
  let reading: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function read(): Promise<void> {
    const [ofHosts, ofProjects] = await Promise.all([
      database.selectFrom('connections').selectAll().execute(),
      database.selectFrom('connected_projects').selectAll().orderBy('created_at').execute(),
    ]);
    connections = new Map(ofHosts.map((row) => [row.id, row]));
    for (const [id, { sealed, forget }] of secrets) {
      if (connections.get(id)?.secrets === sealed) continue;
      forget();
      secrets.delete(id);
    }
    const made = new Map<string, Project>();
    for (const row of ofProjects) {
      const connection = connections.get(row.connection);
      const key = JSON.stringify(row);
      if (connection) made.set(key, projects.get(key) ?? toProject(row, connection, config));
    }
    projects = made;
    rows = ofProjects;
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
    /** Also those that stand in the shadow of the configuration. */
    rows: () => rows,
    connection: (id: string) => connections.get(id),
    open,

    /** `undefined`: it isn't the name of a connection's secret. */
    secret(name: string): string | undefined {
      const [, id = '', which = ''] = /^connection (\w+) (access|hook)$/.exec(name) ?? [];
      const row = connections.get(id);
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
export const unreadable = ({ url }: ConnectionRow): string =>
  `The credentials of the connection to ${url} were encrypted with another key. Restore DOCENT_CREDENTIALS_KEY, or the file ${sealKeyFile} of the data folder, or connect again.`;

/** What the dashboard may set of a project. The rest has the defaults of the configuration. */
const Settings = ProjectConfig.pick({ docsRoot: true, site: true, model: true });

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
