import type { Command } from 'commander';
import { createIndexRuns } from '../docs/indexer/index-runs.ts';
import type { BaseServices } from '../open-services.ts';
import type { Site } from '../platform/tenants/sites.ts';
import { configOption, withServices, createProgressBar } from './command.ts';
import { DocentError } from '../platform/errors.ts';

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
  const { pages, mapped, missingPages, anchors, missingAnchors } = await checkAddresses({
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
  if (site.docs.sources.some(({ type }) => type === 'html')) {
    console.log(
      `${site.domain}: ${mapped} of ${pages} pages name the file that they're built from`,
    );
  }
  if (missing.length > 0) process.exitCode = 1;
}

/** `docent projects check`: whether agent jobs could work, before the first one is created. */
export function addProjectCommands(program: Command): void {
  const projects = program.command('projects').description('projects that agent jobs work on');

  projects
    .command('check [id]')
    .description('check that Docent can read and write the repositories of one project, or of all')
    .addOption(configOption())
    .action((id: string | undefined, { config }: { config?: string }) =>
      withServices(config, (services) => checkProjects(services, id)),
    );
}

async function checkProjects(services: BaseServices, id: string | undefined): Promise<void> {
  const projects = services.projects.all();
  const wanted = projects.filter((project) => id === undefined || project.id === id);
  if (wanted.length === 0) {
    const known = projects.map((project) => project.id).join(', ') || 'none';
    throw new DocentError(
      'not_found',
      id === undefined
        ? 'There are no projects; write one into "projects" of the configuration.'
        : `There is no project "${id}"; there are: ${known}.`,
    );
  }
  const [{ createForges }, { checkProject }] = await Promise.all([
    import('../agent/forge/create-forges.ts'),
    import('../agent/forge/check-project.ts'),
  ]);
  const forges = createForges({ ...services, pullUrl: () => '' });
  for (const project of wanted) {
    console.log(project.id);
    const checks = checkProject(project, (one) => forges.forProject(one));
    for await (const { passed, says, remedy } of checks) {
      console.log(`  ${passed ? 'ok  ' : 'FAIL'}  ${says}${passed ? '' : `\n        ${remedy}`}`);
      // Scripts see by the code that something is missing.
      if (!passed) process.exitCode = 1;
    }
  }
}
