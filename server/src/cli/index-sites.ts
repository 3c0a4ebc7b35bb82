import type { Command } from 'commander';
import type { IndexReport } from '../docs/indexer/index-site.ts';
import type { BaseServices } from '../open-services.ts';
import { isServiceOld, restartNeeded } from '../platform/config/load.ts';
import { DocentError } from '../platform/errors.ts';
import { configOption, plural, withServices, createProgressBar, describeSpeed } from './command.ts';

/** `docent index`: reads the documentation of one site, or of all. Ctrl+C leaves the index as it was. */
export function addIndexCommand(program: Command): void {
  program
    .command('index [domain]')
    .description('index the documentation of one site, or of all sites')
    .addOption(configOption())
    .option('--accept-fewer', 'accept that a site has far fewer pages than before')
    .action((domain: string | undefined, options: { config?: string; acceptFewer?: boolean }) =>
      withServices(options.config, async (services) => {
        await indexSites(services, domain, options.acceptFewer);
        const { database, file } = services;
        if (await isServiceOld(database, file)) console.log(`${restartNeeded} Restart it.`);
      }),
    );
}

export async function indexSites(
  services: BaseServices,
  domain?: string,
  acceptFewer?: boolean,
): Promise<void> {
  const { createIndexer } = await import('../docs/indexer/indexer.ts');
  const sites = domain === undefined ? services.sites.all() : [services.sites.named(domain)];
  const indexer = createIndexer(services);
  const stop = new AbortController();
  const onInterrupt = () => stop.abort();
  process.once('SIGINT', onInterrupt);
  let failures = 0;
  try {
    for (const site of sites) {
      const bar = createProgressBar(`Indexing ${site.domain}`);
      const embeddingBar = createProgressBar(`Embedding ${site.domain}`, { isSlow: true });
      try {
        const report = await indexer
          .index(site.domain, {
            acceptFewer,
            signal: stop.signal,
            onProgress: ({ done, total, path, embedding }) =>
              embedding
                ? embeddingBar.update({ ...embedding, at: describeSpeed(embedding) })
                : bar.update({ done, total, at: path }),
          })
          .finally(() => bar.clear());
        for (const note of report.notes) console.log(`  ${note}`);
        for (const warning of report.warnings) console.warn(`  ! ${warning}`);
        for (const failure of report.failures) console.error(`docent: ${failure}`);
        failures += report.failures.length;
        console.log(describe(site.domain, report));
      } catch (error) {
        // One site that fails doesn't stop the others.
        if (!(error instanceof DocentError) || sites.length === 1) throw error;
        console.error(`docent: ${site.domain}: ${error.message}`);
        failures += 1;
      }
    }
  } finally {
    process.off('SIGINT', onInterrupt);
  }
  // The exit code tells scripts that a source failed.
  if (failures > 0) process.exitCode = 1;
}

function describe(domain: string, report: IndexReport): string {
  const { pages, added, changed, unchanged, removed, passages, seconds } = report;
  return `${domain}: ${plural(pages, 'page')} (${added} new, ${changed} changed, ${unchanged} unchanged, ${removed} removed), ${plural(passages, 'passage')} written in ${seconds.toFixed(1)} s`;
}
