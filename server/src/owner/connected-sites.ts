/** Sites whose pages are in a repository that somebody connected in the dashboard. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import type {
  AddSiteRequest,
  ChangeSiteRequest,
  RecognizedSite,
  RecognizeSiteRequest,
} from '@docent/shared/sites';
import { detectSite, domainOf, originsOf } from '../cli/init/detect-site.ts';
import type { Services } from '../compose.ts';
import { generators } from '../docs/generators/layout.ts';
import { joinFile, pageEnding } from '../docs/generators/paths.ts';
import { type Caller, callerActor } from '../platform/auth/caller.ts';
import { SiteConfig } from '../platform/config/site-config.ts';
import { DocentError, invalid } from '../platform/errors.ts';
import { openRepository } from '../platform/git/repository.ts';
import { repositoriesFolder } from '../platform/store/data-folder.ts';
import type { Database } from '../platform/store/database.ts';
import { toSite } from '../platform/tenants/connected.ts';
import { hasSeveralOrganizations, type Site } from '../platform/tenants/sites.ts';
import { forgetSite } from '../reader/conversations/retention.ts';

/** Where settings of generators may be; what isn't near the root isn't about the site. */
const settingsEnding = /\.(?:json|toml|ya?ml|[cm]?[jt]s|py)$|(?:^|\/)index\.html$/i;
const maxSettings = 400;
const maxSettingsBytes = 256_000;
const maxPages = 5_000;
const maxNotes = 5;

/** The files of a repository's default branch, by the way that the indexer goes. */
async function openFiles(
  caller: Caller,
  { connection, repository }: RecognizeSiteRequest,
  { connections, sourceToken, config, projects }: Services,
  signal: AbortSignal,
) {
  const host = await connections.find(connection, caller);
  const url = `${host.url}/${repository}.git`;
  const trial = { name: 'x', docs: { sources: [{ type: 'git', url }] }, allowedOrigins: [] };
  const row = { domain: 'x', organization: host.organization, settings: JSON.stringify(trial) };
  const { docs } = toSite(row, host, config);
  const [source] = docs.sources;
  if (source?.type !== 'git') throw new Error('A site of a repository has a source of git.');
  projects.connected.assertOpen(host);
  const files = await openRepository({
    ...source,
    token: source.tokenEnv && (await sourceToken(source.tokenEnv, url)),
    folder: repositoriesFolder(config.server.dataFolder),
    privateHosts: docs.allowPrivateHosts,
    signal,
  });
  const commit = await files.commit();
  await files.fetch(commit);
  return { host, url, files, listed: await files.files(commit, '') };
}

/** What `docent init` would write, by the settings of the generator and the names of the pages. */
export async function recognizeSite(
  caller: Caller,
  request: RecognizeSiteRequest,
  services: Services,
  signal: AbortSignal,
): Promise<RecognizedSite> {
  const { files, listed } = await openFiles(caller, request, services, signal);
  const depth = (path: string) => path.split('/').length;
  const near = listed.toSorted((one, other) => depth(one.path) - depth(other.path));
  const settings = near.filter(({ path }) => settingsEnding.test(path)).slice(0, maxSettings);
  const contents = await files.read(settings.map(({ oid }) => oid));
  const temporary = await mkdtemp(join(tmpdir(), 'docent-site-'));
  try {
    // A site without a name is called after the repository.
    const folder = join(temporary, request.repository.split('/').at(-1) ?? '');
    const write = async (path: string, bytes: Buffer | string) => {
      const file = join(folder, path);
      if (!file.startsWith(`${folder}${sep}`) || bytes.length > maxSettingsBytes) return;
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, bytes);
    };
    await mkdir(folder);
    for (const { path, oid } of settings) await write(path, contents.get(oid) ?? '');
    const pages = near.filter(({ path }) => pageEnding.test(path)).slice(0, maxPages);
    for (const { path } of pages) await write(path, '');
    const site = await detectSite(folder).catch((error: unknown) => {
      if (!(error instanceof DocentError)) throw error;
      throw invalid('repository', 'has no Markdown files');
    });
    const { built, unknown, others } = site;
    return {
      generator: built?.generator ?? generators[site.generator].name,
      name: site.name,
      domain: domainOf(site.name),
      folder: joinFile(site.docs),
      baseUrl: site.url ?? null,
      allowedOrigins: originsOf(site),
      models: Object.keys(services.config.models),
      notes: [
        ...(built
          ? [`Only the build of ${built.generator} knows all pages and their addresses.`]
          : []),
        ...unknown.map(({ setting }) => `“${setting}” is known only to the build; check it here.`),
        ...others.slice(0, maxNotes).map((other) => `Another site is in ${joinFile(other)}.`),
      ],
    };
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Adds a site if its repository has pages there. It's indexed in the background. */
export async function addSite(
  caller: Caller,
  request: AddSiteRequest,
  services: Services,
  signal: AbortSignal,
): Promise<Site> {
  const { database, config, sites, projects, now } = services;
  const { domain, folder } = request;
  const { host, url, listed } = await openFiles(caller, request, services, signal);
  const { organization } = host;
  const settings = settingsOf(domain, request, { organization, repository: url }, services);
  const below = folder === '' ? '' : `${joinFile(folder)}/`;
  if (!listed.some(({ path }) => path.startsWith(below) && pageEnding.test(path))) {
    throw invalid('folder', 'has no Markdown files');
  }
  await projects.connected.reload();
  const run = await services.indexer.runs.read(domain);
  // What a site of the configuration left behind may be another organization's.
  const wasUsed = hasSeveralOrganizations(config) && run.status !== 'never';
  if (sites.find(domain) || wasUsed) throw invalid('domain', 'belongs to another site');
  await database.transaction().execute(async (tx) => {
    const made = await tx
      .insertInto('connected_sites')
      .values({
        domain,
        organization,
        connection: host.id,
        settings: JSON.stringify(settings),
        created_at: now().toISOString(),
        created_by: caller.id,
      })
      .onConflict((conflict) => conflict.column('domain').doNothing())
      .returning('domain')
      .executeTakeFirst();
    if (!made) throw invalid('domain', 'belongs to another site');
    const repository = url.replace(/\.git$/, '');
    await services.connectedProjects.takeSite(tx, { organization, repository, domain });
    await record(tx, caller, 'site.added', { domain, repository: url }, services);
  });
  return index(domain, services);
}

export async function changeSite(
  caller: Caller,
  { domain, organization, connection, docs }: Site,
  request: ChangeSiteRequest,
  services: Services,
): Promise<Site> {
  const [source] = docs.sources;
  if (connection === undefined || source?.type !== 'git') throw inFile();
  const named = { organization, repository: source.url };
  const settings = JSON.stringify(settingsOf(domain, request, named, services));
  await services.database.transaction().execute(async (tx) => {
    await tx
      .updateTable('connected_sites')
      .set({ settings })
      .where('domain', '=', domain)
      .execute();
    await record(tx, caller, 'site.changed', { domain }, services);
  });
  return index(domain, services);
}

/** Nothing of it stays. Of a site that the configuration has too, only what the dashboard added goes. */
export async function removeSite(caller: Caller, site: Site, services: Services): Promise<void> {
  const { domain, organization, connection } = site;
  const { projects, retriever, indexer, keys } = services;
  const isRunning = (await indexer.runs.read(domain)).status === 'running';
  if (connection !== undefined && isRunning) {
    throw new DocentError('conflict', 'The site is being indexed. Remove it when that has ended.');
  }
  const remove = async (tx: Database) => {
    const gone = await tx
      .deleteFrom('connected_sites')
      .where('domain', '=', domain)
      .where('organization', '=', organization)
      .returning('domain')
      .executeTakeFirst();
    if (!gone) throw inFile();
    await record(tx, caller, 'site.removed', { domain }, services);
  };
  if (connection === undefined) await services.database.transaction().execute(remove);
  else {
    await forgetSite(services, domain, async (tx) => {
      await remove(tx);
      await indexer.forget(tx, domain);
      await keys.revokeOf(tx, domain);
    });
  }
  await projects.connected.changed();
  if (connection === undefined) return;
  const pages = await retriever.hashes(domain);
  await retriever.apply(domain, { upsert: [], remove: [...pages.keys()] });
}

const inFile = () =>
  new DocentError('conflict', 'This site is in the configuration file; change it there.');

/** What the configuration file would say of it, checked like that. */
function settingsOf(
  domain: string,
  { name, baseUrl, folder, allowedOrigins, model }: ChangeSiteRequest,
  { organization, repository }: { organization: string; repository: string },
  { config }: Services,
) {
  const settings = {
    name,
    docs: {
      sources: [{ type: 'git', url: repository, folder: joinFile(folder) }],
      every: '1h',
      ...(baseUrl !== null && { baseUrl }),
    },
    allowedOrigins,
    ...(model !== null && { model }),
  };
  const read = SiteConfig.safeParse({ ...settings, domain, organization });
  const [issue] = read.error?.issues ?? [];
  if (issue) {
    const [first, second] = issue.path.map(String);
    throw invalid((first === 'docs' ? second : first) ?? 'name', issue.message);
  }
  if (model !== null && !Object.hasOwn(config.models, model)) {
    throw invalid('model', 'isn’t a model of the configuration');
  }
  return settings;
}

async function index(domain: string, { projects, sites, indexer, schedule }: Services) {
  await projects.connected.changed();
  await indexer.runs.request(domain);
  void schedule.wake();
  return sites.named(domain);
}

const record = (
  tx: Database,
  { organization, id }: Caller,
  type: string,
  data: Record<string, unknown>,
  { audit }: Services,
) => audit.record(tx, { organization, actor: callerActor(id), type, data });
