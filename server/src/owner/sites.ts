/** Sites as their owners see them: sources, pages, and runs of the indexer. */
import { tmpdir } from 'node:os';
import type { SiteReply, SiteSummary } from '@docent/shared/sites';
import { detectSite } from '../cli/init/detect-site.ts';
import type { Services } from '../compose.ts';
import { nextRunAt } from '../docs/indexer/schedule.ts';
import { openSources } from '../docs/sources/open-sources.ts';
import { createWebClient } from '../docs/web/web-client.ts';
import { sourcesOf } from '../platform/config/docs-config.ts';
import { publicUrlOf } from '../platform/config/schema.ts';
import type { Site } from '../platform/tenants/sites.ts';

export async function summarizeSite(site: Site, services: Services): Promise<SiteSummary> {
  const { indexer, retriever, projects } = services;
  const [run, hashes] = await Promise.all([
    indexer.runs.read(site.domain),
    retriever.hashes(site.domain).catch(() => new Map()),
  ]);
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
    project: projects.forSite(site.domain)?.id ?? null,
    pages: hashes.size,
    every: docs.every ?? null,
    nextRunAt: next?.toISOString() ?? null,
    run: { ...shown, progress: shown.progress && { ...shown.progress } } as SiteSummary['run'],
  };
}

export async function describeSite(site: Site, services: Services): Promise<SiteReply> {
  const { config, database, state } = services;
  const summary = await summarizeSite(site, services);
  const { port } = new URL(state.url);
  return {
    ...summary,
    generator: summary.generator ?? (await generatorOf(site)),
    sources: await describeSources(site, database),
    serviceUrl: publicUrlOf({ ...config.server, port: Number(port) || config.server.port }),
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

/** What the folder of the pages says, if they're on this machine. */
async function generatorOf({ docs }: Site): Promise<string | null> {
  const source = sourcesOf(docs).find((each) => each.type === 'folder');
  if (!source) return null;
  const found = await detectSite(source.folder).catch(() => undefined);
  return found === undefined || found.generator === 'plain' ? null : found.generator;
}
