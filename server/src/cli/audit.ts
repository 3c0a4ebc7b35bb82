import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Command, Option } from 'commander';
import { type AuditHead, fromHead } from '../audit/audit.ts';
import type { AuditEntry } from '../audit/entry.ts';
import { type AuditFault, readEntries, toHead, verifyAudit, verifyChain } from '../audit/verify.ts';
import { loadConfig } from '../config/load.ts';
import { DocentError } from '../errors.ts';
import { openParts, type Parts } from '../parts.ts';

interface VerifyOptions {
  config?: string;
  head?: AuditHead[];
  file?: string;
}

/** `docent audit verify|export`. They read the database beside a running server. */
export function addAuditCommands(program: Command, configOption: () => Option): void {
  const audit = program
    .command('audit')
    .description('check the audit trail, and write it to a file');

  audit
    .command('verify [organization]')
    .description('find entries that were changed, deleted, inserted, moved or cut off')
    .addOption(configOption())
    .option(
      '--head <head>',
      'an end that you kept, as this command prints it; may be given several times',
      (text: string, before: AuditHead[] | undefined) => [...(before ?? []), readHead(text)],
    )
    .option('--file <file>', 'check an export instead of the database')
    .action(
      async (organization: string | undefined, { config, head: kept, file }: VerifyOptions) => {
        const { faults, heads } =
          file === undefined
            ? await withParts(config, ({ database }) =>
                verifyAudit(database, {
                  ...(organization !== undefined && { organization }),
                  ...(kept && { kept }),
                }),
              )
            : await verifyFile(file, kept ?? []);
        for (const head of heads) {
          const own = faults.filter((fault) => fault.organization === head.organization);
          const count = `${head.seq} ${head.seq === 1 ? 'entry' : 'entries'}`;
          console.log(
            `${head.organization}: ${own.length === 0 ? `${count}, all as written` : 'TAMPERED WITH'}`,
          );
          for (const { seq, message } of own) console.log(`  entry ${seq}: ${message}`);
          if (own.length === 0 && head.seq > 0) console.log(`  head ${fromHead(head)}`);
        }
        if (heads.length === 0) console.log('There are no entries yet.');
        if (faults.length > 0) process.exitCode = 1;
      },
    );

  audit
    .command('export <organization>')
    .description('write the entries of an organization as JSON lines, oldest first')
    .addOption(configOption())
    .action(async (organization: string, { config }: { config?: string }) =>
      withParts(config, async ({ database }) => {
        for await (const entry of readEntries(database, { organization })) {
          // A pipe that is slower than the database is waited for.
          if (!process.stdout.write(`${JSON.stringify(entry)}\n`)) {
            await new Promise((resolve) => process.stdout.once('drain', resolve));
          }
        }
      }),
    );
}

async function withParts<Result>(
  config: string | undefined,
  work: (parts: Parts) => Promise<Result>,
): Promise<Result> {
  const parts = await openParts(await loadConfig(config));
  try {
    return await work(parts);
  } finally {
    await parts.close();
  }
}

function readHead(text: string): AuditHead {
  const head = toHead(text);
  if (head) return head;
  throw new DocentError(
    'bad_request',
    `--head ${text} is none; give a line as \`docent audit verify\` prints it: organization:number:hash.`,
  );
}

/** An export holds one organization. */
async function verifyFile(
  file: string,
  kept: readonly AuditHead[],
): Promise<{ faults: AuditFault[]; heads: AuditHead[] }> {
  let organization = '';
  async function* entries(): AsyncGenerator<AuditEntry> {
    let number = 0;
    for await (const line of createInterface({ input: createReadStream(file) })) {
      number += 1;
      if (line.trim() === '') continue;
      const entry = readEntry(line, number);
      organization ||= entry.organization;
      yield entry;
    }
  }
  const reading = entries();
  const first = await reading.next();
  if (first.done) return { faults: [], heads: [] };
  async function* all(): AsyncGenerator<AuditEntry> {
    yield first.value as AuditEntry;
    yield* reading;
  }
  const own = kept.filter((head) => head.organization === organization);
  const { faults, end } = await verifyChain(organization, all(), own);
  return { faults, heads: [end] };
}

function readEntry(line: string, number: number): AuditEntry {
  try {
    return JSON.parse(line) as AuditEntry;
  } catch (cause) {
    throw new DocentError('bad_request', `Line ${number} of the file is not JSON.`, { cause });
  }
}
