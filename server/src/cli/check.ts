/** `docent check`: does every address that answers may cite exist on the site as it is? */
import type { Command, Option } from 'commander';
import { loadConfig } from '../platform/config/load.ts';
import { createProgressBar } from './progress.ts';

interface CheckCommand {
  config?: string;
  verbose?: boolean;
}

/** So many are named; all of them with `--verbose`. */
const named = 20;

export function addCheckCommand(program: Command, configOption: () => Option): void {
  program
    .command('check [domain]')
    .description('look on the site for every page and anchor that answers may cite')
    .addOption(configOption())
    .option('--verbose', 'name all that is missing')
    .action(async (domain: string | undefined, { config, verbose }: CheckCommand) => {
      const loaded = await loadConfig(config);
      const [{ openServices }, { checkAddresses }] = await Promise.all([
        import('../open-services.ts'),
        import('../docs/indexer/check-addresses.ts'),
      ]);
      const services = await openServices(loaded);
      try {
        const sites = domain === undefined ? services.config.sites : [services.sites.named(domain)];
        for (const site of sites) {
          const bar = createProgressBar(`Checking ${site.domain}`);
          const report = await checkAddresses({
            site,
            retriever: services.retriever,
            onProgress: ({ done, total, path }) => bar.update({ done, total, at: path }),
          }).finally(() => bar.clear());
          const { pages, missingPages, anchors, missingAnchors } = report;
          const missing = [
            ...missingPages.map((address) => `no such page: ${address}`),
            ...missingAnchors
              .filter((address) => !missingPages.includes(address.replace(/#.*$/, '')))
              .map((address) => `no such anchor: ${address}`),
          ];
          for (const line of missing.slice(0, verbose ? undefined : named))
            console.warn(`  ! ${line}`);
          if (!verbose && missing.length > named) {
            console.warn(`  ! and ${missing.length - named} more; --verbose names all`);
          }
          const there = (all: number, gone: readonly string[]) => `${all - gone.length} of ${all}`;
          console.log(
            `${site.domain}: ${there(pages, missingPages)} pages and ${there(anchors, missingAnchors)} anchors are on the site`,
          );
          if (missing.length > 0) process.exitCode = 1;
        }
      } finally {
        await services.close();
      }
    });
}
