/** Sites as their owners see them: sources, pages, and runs of the indexer. */
import { tmpdir } from 'node:os';
import type { SiteReply, SiteSummary, TagReply } from '@docent/shared/sites';
import { type DetectedSite, detectSite } from '../cli/init/detect-site.ts';
import { placeTag, siteKey } from '../cli/init/place-tag.ts';
import type { Services } from '../compose.ts';
import { countPages } from '../docs/indexer/indexer.ts';
import { nextRunAt } from '../docs/indexer/schedule.ts';
import { openSources } from '../docs/sources/open-sources.ts';
import { createWebClient } from '../docs/web/web-client.ts';
import type { KeyEditor } from '../accounts/keys/keys.ts';
import { sourcesOf } from '../platform/config/docs-config.ts';
import { publicUrlOf } from '../platform/config/schema.ts';
import type { Site } from '../platform/tenants/sites.ts';

export async function summarizeSite(site: Site, services: Services): Promise<SiteSummary> {
  const { indexer, retriever, projects } = services;
  const run = await indexer.runs.read(site.domain);
  const { domain: _, ...shown } = run;
  const { docs } = site;
  const next = nextRunAt(site, run);
  return {
    domain: site.domain,
    name: site.name,
    baseUrl: docs.baseUrl ?? null,
    generator: docs.generator ?? null,
    allowedOrigins: site.allowedOrigins,
    model: site.model ?? null,
    from: site.connection === undefined ? 'file' : 'dashboard',
    project: projects.forSite(site.domain)?.id ?? null,
    pages: await countPages(site.domain, run, retriever),
    every: docs.every ?? null,
    nextRunAt: next?.toISOString() ?? null,
    run: { ...shown, progress: shown.progress && { ...shown.progress } } as SiteSummary['run'],
  };
}

export async function describeSite(site: Site, services: Services): Promise<SiteReply> {
  const { config, database } = services;
  const summary = await summarizeSite(site, services);
  return {
    ...summary,
    generator: summary.generator ?? (await detected(site))?.generator ?? null,
    sources: await describeSources(site, database),
    models: Object.keys(config.models),
    folder: (site.connection !== undefined && folderOf(site)) || '',
  };
}

/** What the page of installation shows. The key is public, and it's made if the site has none yet. */
export async function describeTag(
  site: Site,
  services: Services,
  by: KeyEditor,
): Promise<TagReply> {
  const { config, state } = services;
  const port = Number(new URL(state.url).port) || config.server.port;
  const src = `${publicUrlOf({ ...config.server, port })}/docent.js`;
  const key = await siteKey(services, site, by);
  const found = await detected(site);
  const place = found && placeTag(found, { src, site: site.domain, key });
  return {
    src,
    key,
    place:
      place && found
        ? {
            generator: found.generator,
            file: place.where,
            snippet: place.snippet,
            isDone: place.isDone === true,
          }
        : null,
  };
}

async function describeSources(
  site: Site,
  database: Services['database'],
): Promise<SiteReply['sources']> {
  const client = createWebClient({ privateHosts: [] });
  const opened = openSources(site.docs, { client, copies: tmpdir(), secret: () => undefined });
  client.close();
  const rows = await database
    .selectFrom('index_sources')
    .select(['source', 'state', 'updated_at'])
    .where('domain', '=', site.domain)
    .execute();
  return opened.map(({ source, config }) => {
    const row = rows.find((each) => each.source === source.id);
    const state = row && (JSON.parse(row.state) as { paths: string[] });
    return {
      type: config.type,
      name: source.id.slice(config.type.length + 1).trim(),
      pages: state?.paths.length ?? null,
      changedAt: row?.updated_at ?? null,
    };
  });
}

/** Of its repository, where it was added in the dashboard. */
function folderOf({ docs }: Site): string | undefined {
  const [source] = docs.sources;
  return source?.type === 'git' ? source.folder : undefined;
}

/** What the folder of the pages says, if it's on this machine and a known generator builds it. */
async function detected({ docs }: Site): Promise<DetectedSite | undefined> {
  const source = sourcesOf(docs).find((each) => each.type === 'folder');
  const found = source && (await detectSite(source.folder).catch(() => undefined));
  return found?.generator === 'plain' ? undefined : found;
}
