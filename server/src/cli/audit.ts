import type { Command, Option } from 'commander';
import { loadConfig } from '../platform/config/load.ts';
import { openServices } from '../open-services.ts';

/** `docent audit export`. It reads the database beside a running server. */
export function addAuditCommands(program: Command, configOption: () => Option): void {
  program
    .command('audit')
    .description('write the audit trail to a file')
    .command('export <organization>')
    .description('write the entries of an organization as JSON lines, oldest first')
    .addOption(configOption())
    .action(async (organization: string, { config }: { config?: string }) => {
      const services = await openServices(await loadConfig(config));
      try {
        for await (const entry of services.audit.export(organization)) {
          // Wait for a pipe that is slower than the database.
          if (!process.stdout.write(`${JSON.stringify(entry)}\n`)) {
            await new Promise((resolve) => process.stdout.once('drain', resolve));
          }
        }
      } finally {
        await services.close();
      }
    });
}
