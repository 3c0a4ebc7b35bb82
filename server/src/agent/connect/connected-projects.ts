/** Repositories of connected hosts that people make projects. */
import type { AddProjectRequest, ChangeProjectRequest } from '@docent/shared/connections';
import type { Caller } from '../../platform/auth/caller.ts';
import { DocentError, invalid } from '../../platform/errors.ts';
import type { Database } from '../../platform/store/database.ts';
import { type ConnectionRow, toProject } from '../../platform/tenants/connected.ts';
import type { Project } from '../../platform/tenants/projects.ts';
import { checkProject } from '../forge/check-project.ts';
import type { ConnectDeps, Connections } from './connections.ts';

export type ConnectedProjects = ReturnType<typeof createConnectedProjects>;

interface Row {
  id: string;
  organization: string;
  connection: string;
  repository: string;
}

export function createConnectedProjects(
  deps: ConnectDeps & { connections: Pick<Connections, 'find' | 'record'> },
) {
  const { config, sites, projects, forges, connections, now } = deps;
  const { database } = deps.store;
  const { connected } = projects;

  /** Returns the row, and what was found in the repository. Rejects if jobs couldn't work there. */
  async function check(
    row: Row,
    host: ConnectionRow,
    { docsRoot, baseBranch, draft, labels, reviewers, site, model }: ChangeProjectRequest,
    signal: AbortSignal,
  ) {
    await connected.reload();
    const isSite = site === null || sites.find(site)?.organization === row.organization;
    if (!isSite) throw invalid('site', 'isn’t one of your sites');
    const other = site === null ? undefined : projects.forSite(site);
    if (other && other.id !== row.id) throw invalid('site', 'already has a project');
    if (model !== null && !Object.hasOwn(config.models, model)) {
      throw invalid('model', 'isn’t a model of the configuration');
    }
    const settings = JSON.stringify({
      docsRoot,
      draft,
      pullRequest: { labels, reviewers },
      ...(baseBranch !== null && { baseBranch }),
      ...(site !== null && { site }),
      ...(model !== null && { model }),
    });
    const { access } = connected.assertOpen(host);
    const found: string[] = [];
    const project = toProject({ ...row, settings, created_by: '' }, host, {
      ...config,
      sites: sites.all(),
    });
    for await (const one of checkProject(project, (each) => forges.trial(each, access), signal)) {
      if (!one.passed) {
        throw new DocentError('bad_request', `${one.says} ${one.remedy ?? ''}`.trim());
      }
      found.push(one.says);
    }
    return { row: { ...row, settings }, found };
  }

  return {
    /** Returns what was found in the repository. */
    async add(
      caller: Caller,
      { id, connection, repository, ...wanted }: AddProjectRequest,
      signal: AbortSignal,
    ): Promise<string[]> {
      const host = await connections.find(connection, caller);
      const { organization, url } = host;
      const named = { id, organization, connection, repository: `${url}/${repository}` };
      if ((await projects.find(id)) || (await wasElsewhere(id, organization))) {
        throw invalid('id', 'belongs to another project');
      }
      const { row, found } = await check(named, host, wanted, signal);
      await database.transaction().execute(async (tx) => {
        const made = await tx
          .insertInto('connected_projects')
          .values({ ...row, created_at: now().toISOString(), created_by: caller.id })
          .onConflict((conflict) => conflict.column('id').doNothing())
          .returning('id')
          .executeTakeFirst();
        if (!made) throw invalid('id', 'belongs to another project');
        await connections.record(tx, caller, 'project.added', { repository: row.repository }, id);
      });
      await connected.changed();
      return found;
    },

    /** Returns what was found in the repository. */
    async change(
      caller: Caller,
      { id, organization, connection, repository = '' }: Project,
      wanted: ChangeProjectRequest,
      signal: AbortSignal,
    ): Promise<string[]> {
      if (connection === undefined) throw inFile();
      const host = await connections.find(connection, caller);
      const named = { id, organization, connection, repository };
      const { row, found } = await check(named, host, wanted, signal);
      await database.transaction().execute(async (tx) => {
        const { settings } = row;
        await tx.updateTable('connected_projects').set({ settings }).where('id', '=', id).execute();
        await connections.record(tx, caller, 'project.changed', { repository }, id);
      });
      await connected.changed();
      return found;
    },

    /** The project of a repository takes a new site, unless it has one already. */
    async takeSite(
      tx: Database,
      {
        organization,
        repository,
        domain,
      }: Pick<Row, 'organization' | 'repository'> & { domain: string },
    ): Promise<void> {
      const rows = await tx
        .selectFrom('connected_projects')
        .select(['id', 'settings'])
        .where('organization', '=', organization)
        .where('repository', '=', repository)
        .execute();
      const free = rows
        .map(({ id, settings }) => ({ id, settings: JSON.parse(settings) as { site?: string } }))
        .find(({ settings }) => settings.site === undefined);
      if (!free) return;
      const settings = JSON.stringify({ ...free.settings, site: domain });
      await tx
        .updateTable('connected_projects')
        .set({ settings })
        .where('id', '=', free.id)
        .execute();
    },

    /** Its jobs stay, and are there again if it's added again. */
    async remove(caller: Caller, { id, repository }: Project): Promise<void> {
      await database.transaction().execute(async (tx) => {
        const gone = await tx
          .deleteFrom('connected_projects')
          .where('id', '=', id)
          .where('organization', '=', caller.organization)
          .returning('id')
          .executeTakeFirst();
        if (!gone) throw inFile();
        await connections.record(tx, caller, 'project.removed', { repository }, id);
      });
      await connected.changed();
    },
  };

  /** Jobs are found by the name of their project, and belong to an organization for good. */
  async function wasElsewhere(id: string, organization: string): Promise<boolean> {
    const job = await database
      .selectFrom('agent_jobs')
      .select('id')
      .where('project', '=', id)
      .where('organization', '!=', organization)
      .executeTakeFirst();
    return job !== undefined;
  }
}

const inFile = () =>
  new DocentError('conflict', 'This project is in the configuration file; change it there.');
