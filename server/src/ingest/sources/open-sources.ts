import { type DocsConfig, type SourceConfig, sourcesOf } from '../../config/docs-config.ts';
import { createFolderSource } from './folder-source.ts';
import type { Source } from './source.ts';

/** The part of a site's configuration that says where its pages are. */
export type SiteDocs = { [Key in keyof DocsConfig]?: DocsConfig[Key] | undefined };

/** A source with what the configuration says of all its pages. */
export interface OpenSource {
  source: Source;
  config: SourceConfig;
}

export function openSources(docs: SiteDocs): OpenSource[] {
  return sourcesOf({ ...docs, sources: docs.sources ?? [] }).map((config) => ({
    config,
    source: openSource(config, docs),
  }));
}

function openSource(config: SourceConfig, docs: SiteDocs): Source {
  const basePath = config.basePath ?? docs.basePath ?? '/';
  switch (config.type) {
    case 'folder':
      return createFolderSource({ ...config, basePath });
  }
}
