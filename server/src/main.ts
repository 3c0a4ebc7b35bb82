#!/usr/bin/env node
/**
 * The admin's command line. Each command loads only what it needs.
 */
import { Command, CommanderError, Option } from 'commander';
import { ConfigError, loadConfig } from './platform/config/load.ts';
import { DocentError } from './platform/errors.ts';
import { addAuditCommands } from './cli/audit.ts';
import { addCheckCommand } from './cli/check.ts';
import { addEvalCommand } from './cli/eval.ts';
import { addKeyCommands } from './cli/keys.ts';
import { addProjectCommands } from './cli/projects.ts';
import { addReaderCommands } from './cli/readers.ts';
import { addWidgetCommand } from './cli/widget.ts';

const program = new Command('docent')
  .description(
    'Answers readers of a documentation site, with links to the sections it took them from.',
  )
  .exitOverride();

const configOption = () =>
  new Option(
    '-c, --config <file>',
    'configuration file (default: docent.config.ts in this folder)',
  );

program
  .command('serve')
  .description('start the service')
  .addOption(configOption())
  .action(async ({ config }: { config?: string }) => {
    const loaded = await loadConfig(config);
    const { startDocent } = await import('./start.ts');
    const docent = await startDocent(loaded);
    const stop = () => void docent.close().then(() => process.exit(0), fail);
    process.once('SIGTERM', stop).once('SIGINT', stop);
  });

interface IndexCommand {
  config?: string;
  acceptFewer?: boolean;
}

program
  .command('index [domain]')
  .description('index the documentation of one site, or of all sites')
  .addOption(configOption())
  .option('--accept-fewer', 'accept that a site has far fewer pages than before')
  .action(async (domain: string | undefined, { config, acceptFewer }: IndexCommand) => {
    const loaded = await loadConfig(config);
    const [{ openServices }, { indexSites }] = await Promise.all([
      import('./open-services.ts'),
      import('./cli/index-sites.ts'),
    ]);
    const services = await openServices(loaded);
    try {
      // The exit code tells scripts that a source failed.
      if ((await indexSites(services, { domain, acceptFewer })) > 0) process.exitCode = 1;
    } finally {
      await services.close();
    }
  });

addCheckCommand(program, configOption);
addKeyCommands(program, configOption);
addEvalCommand(program, configOption);
addReaderCommands(program, configOption);
addProjectCommands(program, configOption);
addAuditCommands(program, configOption);
addWidgetCommand(program, configOption);

function fail(error: unknown): void {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode;
    return;
  }
  const isForPeople = error instanceof ConfigError || error instanceof DocentError;
  const message = isForPeople || isListenError(error) ? (error as Error).message : error;
  console.error(isForPeople || isListenError(error) ? `docent: ${message as string}` : message);
  process.exitCode = 1;
}

/** A port that is taken or not allowed. The system's message says so. */
function isListenError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'listen';
}

await program.parseAsync().catch(fail);
