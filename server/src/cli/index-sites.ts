import { DocentError } from '../platform/errors.ts';
import type { BaseServices } from '../open-services.ts';
import type { IndexReport } from '../docs/indexer/index-site.ts';
import { createIndexer } from '../docs/indexer/indexer.ts';
import { createProgressBar } from './progress.ts';

export interface IndexSitesOptions {
  domain?: string | undefined;
  acceptFewer?: boolean | undefined;
}

/**
 * Reads the documentation of one site, or of all, and says what changed. Ctrl+C leaves the index as it
 * was. Gives the number of sources that could not be read, or not whole.
 */
export async function indexSites(
  services: BaseServices,
  options: IndexSitesOptions,
): Promise<number> {
  const { domain, acceptFewer } = options;
  const sites = domain === undefined ? services.config.sites : [services.sites.named(domain)];
  const indexer = createIndexer(services);
  const stop = new AbortController();
  const onInterrupt = () => stop.abort();
  process.once('SIGINT', onInterrupt);
  let failures = 0;
  try {
    for (const site of sites) {
      const bar = createProgressBar(`Indexing ${site.domain}`);
      try {
        const report = await indexer
          .index(site.domain, {
            acceptFewer,
            signal: stop.signal,
            onProgress: ({ done, total, path }) => bar.update({ done, total, at: path }),
          })
          .finally(() => bar.clear());
        for (const note of report.notes) console.log(`  ${note}`);
        for (const warning of report.warnings) console.warn(`  ! ${warning}`);
        for (const failure of report.failures) console.error(`docent: ${failure}`);
        failures += report.failures.length;
        console.log(describe(site.domain, report));
      } catch (error) {
        // The other sites are not to blame for it.
        if (!(error instanceof DocentError) || sites.length === 1) throw error;
        console.error(`docent: ${site.domain}: ${error.message}`);
        failures += 1;
      }
    }
  } finally {
    process.off('SIGINT', onInterrupt);
  }
  return failures;
}

function describe(domain: string, report: IndexReport): string {
  const { pages, added, changed, unchanged, removed, passages, seconds } = report;
  const count = (number: number, thing: string) => `${number} ${thing}${number === 1 ? '' : 's'}`;
  return `${domain}: ${count(pages, 'page')} (${added} new, ${changed} changed, ${unchanged} unchanged, ${removed} removed), ${count(passages, 'passage')} written in ${seconds.toFixed(1)} s`;
}
