/** Indexes sites under a lease, with the stored state of their sources and copies of repositories. */
import type { Config } from '../../platform/config/schema.ts';
import { DocentError } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import type { Sites } from '../../platform/tenants/sites.ts';
import type { Database, Store } from '../../platform/store/database.ts';
import { noTracing, type Tracing } from '../../platform/telemetry/tracing.ts';
import { repositoriesFolder } from '../../platform/store/data-folder.ts';
import { createIndexChanges } from './index-changes.ts';
import { createIndexRuns, type IndexRun } from './index-runs.ts';
import { type IndexReport, indexSite } from './index-site.ts';
import { createSourceStates } from './source-states.ts';
import type { OwnerWord } from '../sources/owner-words.ts';
import type { SourceTools } from '../sources/open-sources.ts';
import type { IndexProgress } from '../sources/page-source.ts';

/**
 * The pages in the index of a site. The last run knows; only a site whose run isn't recorded is looked up,
 * because that reads the names of all pages.
 */
export async function countPages(
  domain: string,
  { report }: Pick<IndexRun, 'report'>,
  retriever: Pick<Retriever, 'hashes'>,
): Promise<number> {
  if (report) return report.pages;
  const held = await retriever.hashes(domain).catch(() => new Map<string, string>());
  return held.size;
}

export interface IndexerDeps {
  config: Pick<Config, 'server'>;
  sourceToken: SourceTools['secret'];
  database: Database;
  store: Pick<Store, 'database' | 'clock'>;
  sites: Pick<Sites, 'named'>;
  retriever: Pick<Retriever, 'hashes' | 'apply'>;
  log: Logger;
  tracing?: Tracing;
  now: () => Date;
  /** Keeps what the owner says beside the pages. */
  words: { keep(domain: string, words: readonly OwnerWord[]): Promise<void> };
  onEnded?: ((domain: string) => void) | undefined;
}

export interface IndexOptions {
  signal?: AbortSignal | undefined;
  acceptFewer?: boolean | undefined;
  onProgress?: ((progress: IndexProgress) => void) | undefined;
}

export type Indexer = ReturnType<typeof createIndexer>;

export function createIndexer(deps: IndexerDeps) {
  const { config, sourceToken, sites, retriever, tracing = noTracing } = deps;
  const runs = createIndexRuns(deps);
  const changes = createIndexChanges(deps);
  const states = createSourceStates(deps);
  const { dataFolder } = config.server;
  const copies = repositoriesFolder(dataFolder);

  return {
    runs,
    changes,

    /** Of a site that's gone, what isn't in the index itself. */
    async forget(transaction: Database, domain: string): Promise<void> {
      for (const table of ['index_sources', 'index_changes', 'index_runs'] as const) {
        await transaction.deleteFrom(table).where('domain', '=', domain).execute();
      }
    },

    /** Rejects if nothing could be read. The `failures` of the report name sources that could not be read. */
    async index(domain: string, options: IndexOptions = {}): Promise<IndexReport> {
      const { docs } = sites.named(domain);
      const span = tracing.start(`index ${domain}`, { 'docent.site': domain });
      const work = runs.run(
        domain,
        options.signal,
        ({ signal, acceptFewer, onProgress, startedAt }) =>
          indexSite({
            domain,
            docs,
            retriever,
            states,
            copies,
            secret: sourceToken,
            acceptFewer: acceptFewer || options.acceptFewer,
            signal,
            onWords: (words) => deps.words.keep(domain, words),
            onChange: (change) => changes.record(domain, startedAt, change),
            onProgress(progress) {
              onProgress(progress);
              options.onProgress?.(progress);
            },
          }),
      );
      try {
        const report = await work;
        span.set(toAttributes(report));
        if (report.failures.length > 0) span.fail('incomplete');
        return report;
      } catch (error) {
        span.fail(error instanceof DocentError ? error.code : 'internal');
        throw error;
      } finally {
        span.end();
        deps.onEnded?.(domain);
      }
    },
  };
}

function toAttributes({ pages, added, changed, removed, passages, failures }: IndexReport) {
  return {
    'docent.index.pages': pages,
    'docent.index.added': added,
    'docent.index.changed': changed,
    'docent.index.removed': removed,
    'docent.index.passages': passages,
    'docent.index.failures': failures.length,
  };
}
