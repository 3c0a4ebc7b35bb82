import type { Command } from 'commander';
import { configOption, withServices } from './command.ts';

/** `docent audit export`. */
export function addAuditCommands(program: Command): void {
  program
    .command('audit')
    .description('write the audit trail to a file')
    .command('export <organization>')
    .description('write the entries of an organization as JSON lines, oldest first')
    .addOption(configOption())
    .action((organization: string, { config }: { config?: string }) =>
      withServices(config, async ({ audit }) => {
        for await (const entry of audit.export(organization)) {
          // Wait for a pipe that is slower than the database.
          if (!process.stdout.write(`${JSON.stringify(entry)}\n`)) {
            await new Promise((resolve) => process.stdout.once('drain', resolve));
          }
        }
      }),
    );
}
