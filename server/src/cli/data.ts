import { resolve } from 'node:path';
import type { Command } from 'commander';
import { loadConfig } from '../platform/config/load.ts';
import { DocentError } from '../platform/errors.ts';
import { createLog } from '../platform/log.ts';
import { configOption, withServices, plural } from './command.ts';

/** `docent backup` and `docent restore`. */
export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .description('copy the SQLite database to a file, also while the service runs')
    .argument('[file]', 'the new file (default: docent-<time>.db in this folder)')
    .addOption(configOption())
    .action(async (file: string | undefined, { config }: { config?: string }) => {
      const { dataFolder } = await openFolder(config, 'pg_dump');
      const { writeBackup } = await import('../owner/backup.ts');
      const target = resolve(file ?? `docent-${stamp()}.db`);
      await writeBackup(dataFolder, target);
      console.log(
        `Wrote ${target}. It contains readers' questions, digests of keys and passwords, and the secrets of second factors: keep it as safe as the service.`,
      );
    });

  program
    .command('restore')
    .description('replace the SQLite database by a backup, while the service is stopped')
    .argument('<file>', 'a file that docent backup wrote')
    .addOption(configOption())
    .action(async (file: string, { config }: { config?: string }) => {
      const { dataFolder, log } = await openFolder(config, 'pg_restore');
      const { restoreBackup } = await import('../owner/backup.ts');
      const previous = resolve(dataFolder, `docent-${stamp()}-replaced.db`);
      const revived = await restoreBackup(dataFolder, resolve(file), previous, log);
      console.log(`Restored ${resolve(file)}. The database before it is ${previous}.`);
      console.log('All people are signed out, and links for signing in no longer work.');
      for (const [what, lines] of Object.entries(revived)) {
        if (lines.length === 0) continue;
        console.log(`\n${advice[what as keyof typeof advice]}`);
        for (const line of lines) console.log(`  ${line}`);
      }
      console.log('Start the service. To bring the search index up to date, run `docent index`.');
    });
}

const advice = {
  keys: 'These keys are valid again, which you had revoked or rotated, or which the replaced database never had. To withdraw one, run `docent keys revoke <id>`:',
  people:
    'These people have a role, a password, a second factor, or recovery codes again that differ from the replaced database. To change it, run `docent users set-role`, `disable`, `reset-password`, or `reset-second-factor`:',
  connections:
    'Docent has the credentials of these hosts again. To disconnect one, open Settings in the dashboard:',
  shares: 'These links to pages work again. To revoke one, open Jobs in the dashboard:',
};

async function openFolder(config: string | undefined, tool: string) {
  const loaded = await loadConfig(config, { isCommand: true });
  if (loaded.environment.databaseUrl !== undefined) {
    throw new DocentError(
      'bad_request',
      `The data is in PostgreSQL (DATABASE_URL); use its own tools, such as ${tool}.`,
    );
  }
  return {
    dataFolder: loaded.config.server.dataFolder,
    log: createLog(loaded.environment.logLevel),
  };
}

/** The time, for names of files: no colons, because Windows doesn't allow them. */
const stamp = () => new Date().toISOString().replaceAll(/[:.]/g, '-').slice(0, -1);

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

/** `docent forget`: deletes a reader's data, for the right to be forgotten. */
export function addReaderCommands(program: Command): void {
  program
    .command('forget <domain> <fp>')
    .description('delete all questions, answers, and feedback of one reader of a site')
    .addOption(configOption())
    .action((domain: string, fp: string, { config }: { config?: string }) =>
      withServices(config, async (services) => {
        const { forgetReader } = await import('../reader/conversations/retention.ts');
        const { forgetWords } = await import('../agent/jobs/forget.ts');
        const { organization } = services.sites.named(domain);
        const actor = { kind: 'command-line' } as const;
        const gone = await forgetReader(
          { ...services, forgetWords },
          { domain, organization, actor },
          { fp },
        );
        console.log(
          `Deleted ${plural(gone.questions, 'question')} in ${plural(gone.threads, 'conversation')}, and ${plural(gone.feedback, 'feedback item')}.`,
        );
      }),
    );
}
