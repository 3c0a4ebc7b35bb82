import type { Command } from 'commander';
import { createIndexRuns } from '../docs/indexer/index-runs.ts';
import type { BaseServices } from '../open-services.ts';
import type { Site } from '../platform/tenants/sites.ts';
import { configOption, withServices } from './command.ts';
import { createProgressBar } from './progress.ts';

/** The number of missing addresses to print without `--verbose`. */
const shown = 20;

interface CheckOptions {
  config?: string;
  verbose?: boolean;
  site?: string;
}

/** `docent check`: whether every address that answers may cite exists on the site. */
export function addCheckCommand(program: Command): void {
  program
    .command('check [domain]')
    .description('check that the site has every page and anchor that answers can cite')
    .addOption(configOption())
    .option('--verbose', 'list everything that is missing')
    .option('--site <built>', 'compare with a built site: a folder, or the address of a preview')
    .action((domain: string | undefined, options: CheckOptions) =>
      withServices(options.config, async (services) => {
        const sites = domain === undefined ? services.sites.all() : [services.sites.named(domain)];
        for (const site of sites) await check(site, services, options);
      }),
    );
}

async function check(
  site: Site,
  services: BaseServices,
  { verbose = false, site: built }: CheckOptions,
): Promise<void> {
  const { retriever } = services;
  const run = await createIndexRuns(services).read(site.domain);
  // What an indexing run left out can't be missing on the site.
  for (const line of [...(run.error === null ? [] : [run.error]), ...(run.report?.warnings ?? [])])
    console.warn(`  ! the last indexing run: ${line}`);
  const { checkAddresses } = await import('../docs/indexer/check-addresses.ts');
  const bar = createProgressBar(`Checking ${site.domain}`);
  const { pages, missingPages, anchors, missingAnchors } = await checkAddresses({
    site,
    retriever,
    built,
    onProgress: ({ done, total, path }) => bar.update({ done, total, at: path }),
  }).finally(() => bar.clear());
  const missing = [
    ...missingPages.map((address) => `no such page: ${address}`),
    ...missingAnchors
      .filter((address) => !missingPages.includes(address.split('#', 1)[0] ?? ''))
      .map((address) => `no such anchor: ${address}`),
  ];
  for (const line of missing.slice(0, verbose ? undefined : shown)) console.warn(`  ! ${line}`);
  if (!verbose && missing.length > shown) {
    console.warn(`  ! and ${missing.length - shown} more. To list all, add --verbose`);
  }
  const there = (all: number, gone: readonly string[]) => `${all - gone.length} of ${all}`;
  console.log(
    `${site.domain}: ${there(pages, missingPages)} pages and ${there(anchors, missingAnchors)} anchors are on the site`,
  );
  if (missing.length > 0) process.exitCode = 1;
}
