/** Instructions: what users tell a job, in words or as a command. A step of the run takes up those that wait. */
import type { AgentCommand } from '@docent/shared/agent-commands';
import { sql } from 'kysely';
import { DocentError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { redactSecrets } from '../../platform/redaction/redact.ts';
import type { Database } from '../../platform/store/database.ts';
import { type Actor } from '../../platform/auth/caller.ts';

export interface Instruction {
  /** Version 1 also has `system`, for the system prompt, and `assistant`, for earlier answers. */
  role: 'system' | 'user' | 'assistant';
  content: string;
  /** If there is one, the content only describes it. */
  command?: AgentCommand | undefined;
}

export interface StoredInstruction extends Instruction {
  id: string;
  /** The key or the person that asked; null: a reader's feedback. */
  callerId: string | null;
  isTaken: boolean;
}

/** An instruction as version 2 and the pages send it. */
export interface InstructionFields {
  prompt?: string | undefined;
  command?: AgentCommand | undefined;
}

export function toInstruction({ prompt = '', command }: InstructionFields): Instruction {
  return { role: 'user', content: command ? describeCommand(command) : prompt, command };
}

/** The command as an instruction for people: on pages, in events, and in the pull request. */
export function describeCommand(command: AgentCommand): string {
  switch (command.type) {
    case 'add-page':
      return `Add the page “${command.title}” as ${command.path}`;
    case 'replace-text': {
      const { find, replace, path } = command;
      const what =
        replace === ''
          ? `Remove “${quoted(find)}”`
          : `Replace “${quoted(find)}” with “${quoted(replace)}”`;
      return what + placeOf(path);
    }
    case 'move-page': {
      const { from, to, title } = command;
      const name = title === undefined ? '' : `the title “${title}”`;
      if (from === to) return `Give ${from} ${name || 'the path that it has'}`;
      return `Move ${from} to ${to}${name && ` and give it ${name}`}`;
    }
    case 'fix-links':
      return `Fix broken links${placeOf(command.path)}`;
  }
}

const placeOf = (path: string | undefined) => (path === undefined ? '' : ` in ${path}`);

export function quoted(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 40 ? `${line.slice(0, 39)}…` : line;
}

/**
 * Keeps secrets out of the database, the model's context, and the pull request. A redacted command would
 * write something other than its user wants, so a command with a secret is refused.
 */
export function withoutSecrets({ content, command, role }: Instruction): Instruction {
  for (const [field, text] of Object.entries<string | undefined>(command ?? {})) {
    if (text !== undefined && redactSecrets(text) !== text) throw holdsSecret(`command.${field}`);
  }
  return { role, content: redactSecrets(content), command };
}

const holdsSecret = (path: string) =>
  new DocentError(
    'bad_request',
    `The request is not valid: \`${path}\` holds what looks like a secret; leave it out.`,
    { details: [{ path, message: 'holds what looks like a secret' }] },
  );

export function assertUnderstood(instructions: readonly Instruction[], model: string | null): void {
  if (model !== null || instructions.every(({ command }) => command !== undefined)) return;
  throw new DocentError(
    'conflict',
    'No language model is configured for this job, so it takes a `command` instead of a `prompt`: "add-page", "replace-text", "move-page", or "fix-links". To give instructions in words, set `model` of the project in the configuration, or send the name of a configured model as `model`.',
  );
}

/** Stores further instructions. The job's row is locked, or not visible to others yet. */
export async function storeInstructions(
  tx: Database,
  now: () => Date,
  jobId: string,
  instructions: readonly Instruction[],
  by: Actor | undefined,
): Promise<void> {
  const { last } = await tx
    .selectFrom('agent_instructions')
    .select((row) => row.fn.max('seq').as('last'))
    .where('job_id', '=', jobId)
    .executeTakeFirstOrThrow();
  const at = now().toISOString();
  await tx
    .insertInto('agent_instructions')
    .values(
      instructions.map(({ role, content, command }, index) => ({
        id: newId(),
        job_id: jobId,
        seq: Number(last ?? 0) + index + 1,
        role,
        content,
        command: command === undefined ? null : JSON.stringify(command),
        caller_id: by?.id ?? null,
        created_at: at,
        taken_at: null,
      })),
    )
    .execute();
}

/** In the order in which they came. */
export async function readInstructions(
  database: Database,
  jobId: string,
): Promise<StoredInstruction[]> {
  const rows = await database
    .selectFrom('agent_instructions')
    .selectAll()
    .where('job_id', '=', jobId)
    .orderBy('seq')
    .execute();
  return rows.map(({ id, role, content, command, caller_id: callerId, taken_at: takenAt }) => ({
    id,
    role,
    content,
    command: command === null ? undefined : (JSON.parse(command) as AgentCommand),
    callerId,
    isTaken: takenAt !== null,
  }));
}

/** What the user of each job said first or last, as much of it as a title needs. */
export async function userInstructions(
  database: Database,
  jobIds: readonly string[],
  which: 'first' | 'newest',
): Promise<Map<string, string>> {
  if (jobIds.length === 0) return new Map();
  const rows = await database
    .selectFrom('agent_instructions as said')
    .select(['job_id', sql<string>`substr(content, 1, 2000)`.as('beginning')])
    .where('job_id', 'in', jobIds)
    .where('seq', '=', (one) =>
      one
        .selectFrom('agent_instructions as other')
        .select(({ fn }) =>
          (which === 'first' ? fn.min('other.seq') : fn.max('other.seq')).as('seq'),
        )
        .whereRef('other.job_id', '=', 'said.job_id')
        .where('other.role', '=', 'user'),
    )
    .execute();
  return new Map(rows.map(({ job_id: id, beginning }) => [id, beginning]));
}

export async function waitingInstructions(
  database: Database,
  jobId: string,
): Promise<StoredInstruction[]> {
  const all = await readInstructions(database, jobId);
  return all.filter(({ role, isTaken }) => role !== 'system' && !isTaken);
}

export async function markTaken(tx: Database, ids: readonly string[], at: string): Promise<void> {
  if (ids.length === 0) return;
  await tx.updateTable('agent_instructions').set({ taken_at: at }).where('id', 'in', ids).execute();
}

const titleLength = 120;

/** A job without a title has the first line of its instruction. */
export function titleOf(
  job: { title: string | null; branch: string },
  instruction: string | undefined,
): string {
  const line = job.title ?? instruction?.trim().split('\n', 1)[0] ?? job.branch;
  return line.length > titleLength ? `${line.slice(0, titleLength - 1)}…` : line;
}
