/** Connections to hosts of repositories. */
import { randomBytes } from 'node:crypto';
import type { BeginAppRequest, Connection, ConnectRequest } from '@docent/shared/connections';
import type { ExpressionBuilder } from 'kysely';
import type { Audit } from '../../notify/audit/audit.ts';
import { type Caller, callerActor, organizationOf } from '../../platform/auth/caller.ts';
import type { Config } from '../../platform/config/schema.ts';
import { DocentError, invalid } from '../../platform/errors.ts';
import { sha256 } from '../../platform/hash.ts';
import { newId } from '../../platform/ids.ts';
import type { Database, Store } from '../../platform/store/database.ts';
import type { Seal } from '../../platform/store/seal.ts';
import { type ConnectionRow, sealPlace, type Secrets } from '../../platform/tenants/connected.ts';
import { hasSeveralOrganizations, type Sites } from '../../platform/tenants/sites.ts';
import { type Project, type Projects, repositoryAddress } from '../../platform/tenants/projects.ts';
import { hourMs } from '../../platform/time.ts';
import type { Tables } from '../../platform/store/tables.ts';
import type { Forges } from '../forge/create-forges.ts';
import { Begun, convertManifest, openApp } from './github-app.ts';
import { inWords } from './in-words.ts';
import { type Listed, listByToken, mistakeIn, tryToken } from './host-directory.ts';

export interface ConnectDeps {
  config: Pick<Config, 'sites' | 'projects' | 'models' | 'server'>;
  store: Pick<Store, 'database'>;
  seal: Seal;
  sites: Pick<Sites, 'all' | 'find'>;
  projects: Projects;
  forges: Forges;
  audit: Pick<Audit, 'record'>;
  now: () => Date;
  state: { url: string };
}

/** Anybody may know these. Others may be in the network of the service, which isn't every organization's. */
const publicHosts = ['https://github.com', 'https://gitlab.com', 'https://codeberg.org'];

export type Connections = ReturnType<typeof createConnections>;

export function createConnections(deps: ConnectDeps) {
  const { config, seal, sites, projects, forges, audit, now } = deps;
  const { database } = deps.store;
  const { connected } = projects;
  const at = () => now().toISOString();
  const hookOf = (id: string) => `${config.server.publicUrl ?? deps.state.url}/v1/hooks/${id}`;

  function show(row: ConnectionRow): Connection {
    const { id, forge, url, account, app_url: appUrl, created_at: createdAt } = row;
    return {
      id,
      forge,
      url,
      account,
      installUrl: appUrl === null ? null : `${appUrl}/installations/new`,
      hook: row.has_hook === 1 ? hookOf(id) : null,
      projects: connected
        .rows()
        .filter(({ connection }) => connection === id)
        .map((one) => ({ id: one.id, isUsed: projects.byId(one.id)?.connection === id })),
      sites: connected
        .sites()
        .filter(({ connection }) => connection === id)
        .map(({ domain }) => ({ id: domain, isUsed: sites.find(domain)?.connection === id })),
      createdAt,
    };
  }

  async function find(id: string, caller: Caller): Promise<ConnectionRow> {
    if (!connected.connection(id)) await connected.reload();
    const row = connected.connection(id);
    if (row?.organization === organizationOf(caller)) return row;
    throw new DocentError('not_found', 'There is no connection with this ID for you.');
  }

  /** Returns the address as rows have it: GitHub is never below a path. */
  function assertAllowed(forge: ConnectRequest['forge'], asked: string): string {
    const mistake = mistakeIn({ forge, url: asked });
    if (mistake !== undefined) throw invalid('url', mistake);
    const url = forge === 'github' ? new URL(asked).origin : asked;
    const known = config.projects.some(({ repository = '' }) => repository.startsWith(`${url}/`));
    if (!hasSeveralOrganizations(config) || known || publicHosts.includes(url)) return url;
    const message =
      'Several organizations share this service, so its configuration must name the first project at this host.';
    throw new DocentError('forbidden', message, { details: [{ path: 'url', message }] });
  }

  /** A new row in any case: nothing replaces the credentials of another connection. */
  async function insert(
    row: Pick<
      ConnectionRow,
      'id' | 'forge' | 'url' | 'account' | 'app_id' | 'app_url' | 'has_hook'
    >,
    secrets: Secrets,
    caller: Caller,
  ): Promise<Connection> {
    const organization = organizationOf(caller);
    const { forge, url, account, id } = row;
    await database.transaction().execute(async (tx) => {
      await tx
        .insertInto('connections')
        .values({
          ...row,
          organization,
          secrets: seal.seal(JSON.stringify(secrets), sealPlace(id)),
          created_at: at(),
          created_by: caller.id,
        })
        .execute();
      await record(tx, caller, 'host.connected', { forge, url, account });
    });
    await connected.changed();
    return show(await find(id, caller));
  }

  const record = (
    tx: Database,
    caller: Caller,
    type: string,
    data: Record<string, unknown>,
    project?: string,
  ) => {
    const { organization, id } = caller;
    return audit.record(tx, { organization, project, actor: callerActor(id), type, data });
  };

  /** What somebody began: this person, in this organization. */
  const isBegun =
    (state: string, { id, organization }: Caller) =>
    (eb: ExpressionBuilder<Tables, 'connection_states'>) =>
      eb.and({ hash: sha256(state), person_id: id, organization }).and('expires_at', '>', at());

  const asApp = (row: ConnectionRow) =>
    openApp({ id: row.app_id ?? '', url: row.url, privateKey: connected.assertOpen(row).access });

  return {
    find,
    record,

    async list(caller: Caller): Promise<Connection[]> {
      const organization = organizationOf(caller);
      const rows = await database
        .selectFrom('connections')
        .selectAll()
        .where('organization', '=', organization)
        .orderBy('id')
        .execute();
      return rows.map(show);
    },

    async connect(caller: Caller, { forge, token, ...asked }: ConnectRequest, signal: AbortSignal) {
      const url = assertAllowed(forge, asked.url);
      const account = await inWords(tryToken({ forge, url, token }, forges, signal), 'token');
      const hook = randomBytes(32).toString('base64url');
      const row = { id: newId(), forge, url, account, app_id: null, app_url: null, has_hook: 1 };
      const connection = await insert(row, { access: token, hook }, caller);
      return { connection, hookSecret: hook };
    },

    /** The new token takes the place of the old one if it may do what the projects of the connection need. */
    async replaceToken(caller: Caller, id: string, token: string, signal: AbortSignal) {
      const row = await find(id, caller);
      if (row.app_id !== null) {
        throw new DocentError('conflict', 'A GitHub App has no token; it makes its own.');
      }
      const { hook } = connected.assertOpen(row);
      const { forge, url } = row;
      const account = await inWords(tryToken({ forge, url, token }, forges, signal), 'token');
      for (const project of connected.all().filter(({ connection }) => connection === id)) {
        await inWords(forges.trial(project, token).assertWritable(signal), 'token');
      }
      await database.transaction().execute(async (tx) => {
        const secrets = seal.seal(JSON.stringify({ access: token, hook }), sealPlace(id));
        await tx
          .updateTable('connections')
          .set({ account, secrets })
          .where('id', '=', id)
          .execute();
        await record(tx, caller, 'host.token_replaced', { forge, url, account });
      });
      await connected.changed();
      return show(await find(id, caller));
    },

    /** Returns the state that GitHub brings back: it works once, for this person in this organization. */
    async begin(
      caller: Caller,
      { owner, hookUrl, origin, ...asked }: BeginAppRequest & Pick<Begun, 'origin'>,
    ): Promise<string> {
      const url = assertAllowed('github', asked.url);
      const state = randomBytes(32).toString('base64url');
      const organization = organizationOf(caller);
      const id = newId();
      const hook = hookUrl === null ? null : `${hookUrl}/v1/hooks/${id}`;
      await database.deleteFrom('connection_states').where('expires_at', '<=', at()).execute();
      await database
        .insertInto('connection_states')
        .values({
          hash: sha256(state),
          person_id: caller.id,
          organization,
          begun: JSON.stringify({ id, organization, url, owner, hook, origin } satisfies Begun),
          expires_at: new Date(now().getTime() + hourMs).toISOString(),
        })
        .execute();
      return state;
    },

    async begun(caller: Caller, state: string): Promise<Begun> {
      const row = await database
        .selectFrom('connection_states')
        .select('begun')
        .where(isBegun(state, caller))
        .executeTakeFirst();
      return readBegun(row);
    },

    async finish(
      caller: Caller,
      { state, code }: { state: string; code: string },
      signal: AbortSignal,
    ): Promise<Connection> {
      const row = await database
        .deleteFrom('connection_states')
        .where(isBegun(state, caller))
        .returning('begun')
        .executeTakeFirst();
      const { id, url, hook } = readBegun(row);
      const app = await inWords(convertManifest(url, code, signal));
      const secrets = {
        access: app.pem,
        hook: app.webhook_secret ?? randomBytes(32).toString('base64url'),
      };
      const connection = {
        id,
        forge: 'github' as const,
        url,
        account: app.slug,
        app_id: String(app.id),
        app_url: app.html_url,
        has_hook: hook === null ? 0 : 1,
      };
      return insert(connection, secrets, caller);
    },

    /** The connection whose App has an installation. */
    async installed(caller: Caller, installation: number, signal: AbortSignal) {
      await connected.reload();
      for (const { id } of await this.list(caller)) {
        const row = await find(id, caller);
        if (row.app_id === null) continue;
        if (await inWords(asApp(row).hasInstallation(installation, signal))) return show(row);
      }
      throw new DocentError('not_found', 'No connected GitHub App has this installation.');
    },

    async repositories(caller: Caller, id: string, signal: AbortSignal) {
      const row = await find(id, caller);
      const { access } = connected.assertOpen(row);
      const { forge, url } = row;
      const listed: Promise<Listed[]> =
        row.app_id === null
          ? listByToken({ forge, url, token: access }, signal)
          : asApp(row).list(signal);
      const own = projects.all().filter(({ organization }) => organization === row.organization);
      const addressOf = ({ repository = '' }: Project) =>
        repositoryAddress(repository).toLowerCase();
      return (await inWords(listed)).map((each) => ({
        ...each,
        project: own.find((project) => addressOf(project) === each.url.toLowerCase())?.id ?? null,
      }));
    },

    async remove(caller: Caller, id: string): Promise<void> {
      const { forge, url, account } = await find(id, caller);
      await database.transaction().execute(async (tx) => {
        const used = await tx
          .selectFrom('connected_projects')
          .select('id')
          .where('connection', '=', id)
          .unionAll(
            tx.selectFrom('connected_sites').select('domain as id').where('connection', '=', id),
          )
          .execute();
        if (used.length > 0) {
          const names = used.map((one) => one.id).join(', ');
          throw new DocentError('conflict', `These still use the connection: ${names}.`);
        }
        await tx.deleteFrom('connections').where('id', '=', id).execute();
        await record(tx, caller, 'host.disconnected', { forge, url, account });
      });
      await connected.changed();
    },
  };
}

function readBegun(row: { begun: string } | undefined): Begun {
  if (row) return Begun.parse(JSON.parse(row.begun));
  throw new DocentError(
    'forbidden',
    'This connection was begun by somebody else, too long ago, or it’s finished. Begin again.',
  );
}
