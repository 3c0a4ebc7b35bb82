/** `docent questions import`: support threads of another tool join the gaps. */
import { readFile } from 'node:fs/promises';
import { ImportedQuestion, type ImportReply } from '@docent/shared/import-questions';
import type { Command } from 'commander';
import { DocentError } from '../platform/errors.ts';
import { configOption, plural, withServices } from './command.ts';

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
