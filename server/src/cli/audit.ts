import type { Command } from 'commander';
import { configOption, withServices } from './command.ts';

/** `docent audit export`. */
export function addAuditCommands(program: Command): void {
  program
    .command('audit')
    .description('write the audit trail to a file')
    .command('export <organization>')
    .description('write the entries of an organization as JSON lines, newest first')
    .addOption(configOption())
    .action((organization: string, { config }: { config?: string }) =>
      withServices(config, async ({ audit }) => {
        for await (const entries of audit.pages(organization)) {
          const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
          // Wait for a pipe that is slower than the database.
          await new Promise((resolve) => process.stdout.write(lines, resolve));
        }
      }),
    );
}
