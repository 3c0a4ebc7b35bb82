import {
  type DocsConfig,
  type SourceConfig,
  sourcesOf,
} from '../../platform/config/docs-config.ts';
import type { Generator } from '../../platform/config/docs-config.ts';
import type { WebClient } from '../web/web-client.ts';
import { createFolderSource } from './folder-source.ts';
import { createGitSource } from './git-source.ts';
import { createHtmlSource } from './html-source.ts';
import { createLlmsSource, createOpenApiSource } from './document-sources.ts';
import type { Globs, PageSource } from './page-source.ts';
import { createCrawlSource, createSitemapSource } from './web-sources.ts';

/** The part of a site's configuration that describes its pages. */
export type SiteDocs = { [Key in keyof DocsConfig]?: DocsConfig[Key] | undefined };

/** A source with its configuration, which applies to all its pages. */
export interface OpenSource {
  source: PageSource;
  config: SourceConfig;
}

export interface SourceTools {
  client: WebClient;
  copies: string;
  /** What a repository's `tokenEnv` stands for. */
  secret: (name: string, repository: string) => Promise<string | undefined> | string | undefined;
}

export function openSources(docs: SiteDocs, tools: SourceTools): OpenSource[] {
  return sourcesOf({ ...docs, sources: docs.sources ?? [] }).map((config) => ({
    config,
    source: openSource(config, docs, tools),
  }));
}

function openSource(config: SourceConfig, docs: SiteDocs, tools: SourceTools): PageSource {
  const { baseUrl } = docs;
  const { client } = tools;
  switch (config.type) {
    case 'folder':
      return createFolderSource({ ...config, ...fileSettings(config, docs) });
    case 'html':
      return createHtmlSource({ ...config, ...fileSettings(config, docs) });
    case 'git':
      return createGitSource({
        ...config,
        ...fileSettings(config, docs),
        copies: tools.copies,
        privateHosts: docs.allowPrivateHosts ?? [],
        token: () =>
          config.tokenEnv === undefined ? undefined : tools.secret(config.tokenEnv, config.url),
      });
    case 'openapi':
      return createOpenApiSource({
        ...config,
        basePath: config.basePath ?? '/api-reference',
        baseUrl,
        client,
      });
    case 'sitemap':
      return createSitemapSource({ ...config, baseUrl, client });
    case 'crawl':
      return createCrawlSource({ ...config, baseUrl, client });
    case 'llms':
      return createLlmsSource({ ...config, baseUrl, client });
  }
}

/** The settings about addresses. The generator's settings decide about the rest. */
export function fileSettings(
  config: Globs & { basePath?: string | undefined; generator?: Generator | undefined },
  docs: SiteDocs,
) {
  return {
    include: config.include,
    exclude: config.exclude,
    basePath: config.basePath ?? docs.basePath,
    // A `baseUrl` with a `#` already leads to the script that shows the pages.
    pathStyle: docs.pathStyle ?? (docs.baseUrl?.includes('#') ? 'clean' : undefined),
    generator: config.generator ?? docs.generator,
    baseUrl: docs.baseUrl,
  };
}
