import type { Command } from 'commander';
import { styleText } from 'node:util';
import { DocentError } from '../platform/errors.ts';
import { findConfig, loadConfig } from '../platform/config/load.ts';
import { configOption, dashboardLine, plural, stopOnSignals } from './command.ts';
import { siteKey } from './init/place-tag.ts';

interface StartOptions {
  config?: string;
  port?: string;
}

/** `docent start`, and `docent` alone: everything to try the assistant on one's own pages. */
export function addStartCommand(program: Command): void {
  program
    .command('start')
    .description('index, serve, and print a page where you can ask about your documentation')
    .addOption(configOption())
    .option('--port <number>', 'the port to use instead of the configured one')
    .action(start);
}

async function start(options: StartOptions): Promise<void> {
  if (options.config === undefined && findConfig() === undefined) {
    const { writeFirstConfig } = await import('./init/write-config.ts');
    await writeFirstConfig('.', console.log);
  }
  const loaded = await loadConfig(options.config);
  const { config, environment } = loaded;
  // Its pages are opened on this computer.
  delete config.server.publicUrl;
  delete config.dashboard.publicUrl;
  if (options.port !== undefined) config.server.port = toPort(options.port);
  const [{ startDocent }, { createLog }, { createPreviewRoutes }, { indexSites }] =
    await Promise.all([
      import('../start.ts'),
      import('../platform/log.ts'),
      import('./preview-routes.ts'),
      import('./index-sites.ts'),
    ]);
  const docent = await startDocent(loaded, {
    // The terminal is for the owner. `docent serve` writes the whole log.
    log: createLog(environment.logLevel === 'info' ? 'warn' : environment.logLevel),
    // It would begin the run that is shown here, and a site has one run at a time.
    schedule: false,
    routes: createPreviewRoutes,
  });
  stopOnSignals(docent);
  const { services, url } = docent;
  // The port is known only now.
  for (const { allowedOrigins } of config.sites) allowedOrigins.push(new URL(url).origin);
  // What failed is named, and the service runs with the rest.
  await indexSites(services).catch((error: unknown) => {
    if (!(error instanceof DocentError)) throw error;
    console.error(`docent: ${error.message}`);
  });
  process.exitCode = 0;
  services.schedule.start();
  const lines = await Promise.all(
    services.sites.all().map(async (site) => {
      await siteKey(services, site);
      const pages = (await services.retriever.hashes(site.domain)).size;
      const model = site.model ?? 'none, so answers are quotations';
      return `  ${styleText(['bold', 'underline'], `${url}/preview/${site.domain}`)}  ${site.name}: ${plural(pages, 'page')}, model: ${model}`;
    }),
  );
  console.log(
    `\n${styleText(['bold', 'green'], 'Docent is ready.')} Open this page, and ask about your documentation:\n\n${lines.join('\n')}\n\n${dashboardLine(docent)}\n\nThis is for trying Docent on this computer. For readers, run "docent serve". To stop, press Ctrl+C.`,
  );
}

function toPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new DocentError(
    'bad_request',
    `--port "${text}" isn't a port. Write a number such as 4320.`,
  );
}
