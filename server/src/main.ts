#!/usr/bin/env node
/**
 * The admin's command line. Each command loads only what it needs.
 */
import { Command, CommanderError } from 'commander';
import own from '@docent/server/package.json' with { type: 'json' };
import { ConfigError, loadConfig } from './platform/config/load.ts';
import { DocentError, explained } from './platform/errors.ts';
import { saveMemoryWhenIdle } from './platform/idle-memory.ts';
import {
  addAuditCommands,
  addBackupCommands,
  addReaderCommands,
  addQuestionCommands,
} from './cli/data.ts';
import { addCheckCommand, addProjectCommands } from './cli/check.ts';
import { configOption, dashboardLine, stopOnSignals } from './cli/command.ts';
import { addDoctorCommand } from './cli/doctor.ts';
import { addEvalCommand } from './cli/eval.ts';
import { addIndexCommand } from './cli/index-sites.ts';
import { addInitCommand } from './cli/init.ts';
import { addKeyCommands } from './cli/keys.ts';
import { addStartCommand } from './cli/start.ts';
import { addUserCommands } from './cli/users.ts';
import { addWidgetCommand } from './cli/widget.ts';

const program = new Command('docent')
  .description(
    'Answers readers of a documentation site, with links to the sections it took them from.',
  )
  .version(own.version)
  .exitOverride();

addInitCommand(program);
addStartCommand(program);

program
  .command('serve')
  .description('start the service, for readers')
  .addOption(configOption())
  .action(async ({ config }: { config?: string }) => {
    const loaded = await loadConfig(config);
    const { startDocent } = await import('./start.ts');
    const docent = await startDocent(loaded);
    stopOnSignals(docent);
    saveMemoryWhenIdle();
    console.log(dashboardLine(docent));
  });

addIndexCommand(program);
addDoctorCommand(program);
addCheckCommand(program);
addKeyCommands(program);
addUserCommands(program);
addEvalCommand(program);
addReaderCommands(program);
addQuestionCommands(program);
addProjectCommands(program);
addAuditCommands(program);
addBackupCommands(program);
addWidgetCommand(program);

function fail(cause: unknown): void {
  const error = explained(cause);
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode;
    return;
  }
  const isForPeople = error instanceof ConfigError || error instanceof DocentError;
  console.error(isForPeople ? `docent: ${error.message}` : error);
  process.exitCode = 1;
}

// `docent --port 4000` is `docent start --port 4000`.
const [node = '', cli = '', ...args] = process.argv;
const isBare = /^(?!(-h|--help|-V|--version)$)-|^$/.test(args[0] ?? '');
await program.parseAsync([node, cli, ...(isBare ? ['start'] : []), ...args]).catch(fail);
