import { resolve } from 'node:path';
import type { Command } from 'commander';
import { loadConfig } from '../platform/config/load.ts';
import { DocentError } from '../platform/errors.ts';
import { createLog } from '../platform/log.ts';
import { configOption, plural, withServices } from './command.ts';
import { readFile } from 'node:fs/promises';
import { ImportedQuestion, type ImportReply } from '@docent/shared/import-questions';

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

/** `docent questions import`: support threads of another tool join the gaps. */

/** Grouping takes time with the square of it. */
const most = 5_000;

interface ImportOptions {
  config?: string;
  question: string;
  answer: string;
  id: string;
}

export function addQuestionCommands(program: Command): void {
  program
    .command('questions')
    .description('questions that readers asked elsewhere')
    .command('import <file> [domain]')
    .description(
      'add resolved support threads (CSV with a header, or JSON lines) to the gaps: at most three themes that the documentation doesn’t cover',
    )
    .addOption(configOption())
    .option('--question <column>', 'the column or key of the question', 'question')
    .option('--answer <column>', 'the column or key of the answer, if there is one', 'answer')
    .option('--id <column>', 'the column or key of the thread’s ID, if there is one', 'id')
    .action((file: string, domain: string | undefined, options: ImportOptions) =>
      withServices(options.config, async (services) => {
        const { importQuestions } = await import('../reader/gaps/import-questions.ts');
        const [first, ...others] = services.sites.all();
        const site = domain === undefined ? first : services.sites.named(domain);
        if (!site || (domain === undefined && others.length > 0))
          throw new DocentError('bad_request', 'There are several sites; name the domain of one.');
        const read = await readConversations(file, options);
        const reply = await importQuestions(read, site.domain, services);
        for (const line of describe(reply)) console.log(line);
      }),
    );
}

async function readConversations(file: string, options: ImportOptions) {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new DocentError('bad_request', `${file} cannot be read.`, { cause });
  });
  const rows = file.endsWith('.csv') ? await readCsv(text, file) : readLines(text, file);
  if (rows.length === 0 || rows.length > most) {
    throw new DocentError(
      'bad_request',
      `${file} has ${plural(rows.length, 'conversation')}; import 1 to ${most} at a time.`,
    );
  }
  return rows.map(({ row, line }) => {
    const [question, answer, id] = (['question', 'answer', 'id'] as const).map((name) => {
      const value = row[options[name]];
      return typeof value === 'number' ? String(value) : value;
    });
    const read = ImportedQuestion.safeParse({ question, answer, id: id === '' ? undefined : id });
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    const path = issue?.path.join('.') ?? '';
    throw new DocentError(
      'bad_request',
      `${file}:${line}: ${path}: ${issue?.message}. Nothing was imported. Name another column with --${path}.`,
    );
  });
}

type Rows = { row: Record<string, unknown>; line: number }[];

async function readCsv(text: string, file: string): Promise<Rows> {
  const { parse } = await import('csv-parse/sync');
  try {
    const options = { columns: true, bom: true, skip_empty_lines: true, info: true } as const;
    const rows = parse(text, options) as unknown as {
      record: Record<string, unknown>;
      info: { lines: number };
    }[];
    return rows.map(({ record, info }) => ({ row: record, line: info.lines }));
  } catch (cause) {
    throw new DocentError('bad_request', `${file} isn’t CSV: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function readLines(text: string, file: string): Rows {
  return text.split('\n').flatMap((one, at) => {
    if (one.trim() === '') return [];
    try {
      return [{ row: JSON.parse(one) as Record<string, unknown>, line: at + 1 }];
    } catch (cause) {
      throw new DocentError('bad_request', `${file}:${at + 1} is not JSON.`, { cause });
    }
  });
}

function describe({ joined, known, covered, leftOut, themes }: ImportReply): string[] {
  return [
    `${plural(joined, 'conversation')} joined the gaps; ${covered} the documentation answers already, ${known} imported before, ${leftOut} in smaller themes left out.`,
    ...themes.map(
      ({ question, count }) => `  ${String(count).padStart(4)}  ${question.split('\n')[0]}`,
    ),
  ];
}
