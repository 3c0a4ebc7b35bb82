/** The instructions of a job in rows, with those that version 1 adds to the system prompt. */
import { newId } from '../../platform/ids.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Message } from './messages.ts';

/** Appends instructions. The job's row is locked, or not visible to others yet. */
export async function addPrompts(
  tx: Database,
  now: () => Date,
  jobId: string,
  messages: readonly Message[],
  keyId: string | undefined,
): Promise<void> {
  const { last } = await tx
    .selectFrom('agent_prompts')
    .select((prompt) => prompt.fn.max('seq').as('last'))
    .where('job_id', '=', jobId)
    .executeTakeFirstOrThrow();
  const at = now().toISOString();
  await tx
    .insertInto('agent_prompts')
    .values(
      messages.map(({ role, content, command }, index) => ({
        id: newId(),
        job_id: jobId,
        seq: Number(last ?? 0) + index + 1,
        role,
        prompt: content,
        command: command === undefined ? null : JSON.stringify(command),
        key_id: keyId ?? null,
        created_at: at,
        taken_at: null,
      })),
    )
    .execute();
}

export function promptsOf(database: Database, jobId: string) {
  return database
    .selectFrom('agent_prompts')
    .select(['id', 'role', 'prompt', 'command', 'key_id'])
    .where('job_id', '=', jobId)
    .orderBy('seq');
}

export function waitingOf(database: Database, jobId: string) {
  return promptsOf(database, jobId).where('role', '!=', 'system').where('taken_at', 'is', null);
}
