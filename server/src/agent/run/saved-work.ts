/** The work of a job as rows: the agent's edits and its conversation with the model. */
import type { ModelMessage } from 'ai';
import type { SavedEdit } from '../workspace/file-set.ts';
import { chunksOf, type Database, type Tables } from '../../platform/store/database.ts';

/** A row holds a whole file. */
const editsAtOnce = 200;

export async function loadEdits(database: Database, jobId: string): Promise<SavedEdit[]> {
  const rows = await database
    .selectFrom('agent_edits')
    .selectAll()
    .where('job_id', '=', jobId)
    .orderBy('path')
    .execute();
  return rows.map(({ path, content, moved_from: movedFrom }) => ({
    path,
    content: content === null ? null : Buffer.from(content, 'base64'),
    movedFrom,
  }));
}

/** Writes the edits that differ from the stored ones: a step changes few of them. */
export async function saveEdits(
  tx: Database,
  jobId: string,
  edits: readonly SavedEdit[],
): Promise<void> {
  const stored = byPath(await loadEdits(tx, jobId));
  const next = byPath(edits);
  const gone = [...stored.keys()].filter((path) => !next.has(path));
  for (const paths of chunksOf(gone)) {
    await tx
      .deleteFrom('agent_edits')
      .where('job_id', '=', jobId)
      .where('path', 'in', paths)
      .execute();
  }
  const changed = edits.filter((edit) => !isSame(edit, stored.get(edit.path)));
  for (const some of chunksOf(changed, editsAtOnce)) {
    await tx
      .insertInto('agent_edits')
      .values(some.map((edit) => toRow(jobId, edit)))
      .onConflict((conflict) =>
        conflict.columns(['job_id', 'path']).doUpdateSet((row) => ({
          content: row.ref('excluded.content'),
          moved_from: row.ref('excluded.moved_from'),
        })),
      )
      .execute();
  }
}

const byPath = (edits: readonly SavedEdit[]) => new Map(edits.map((edit) => [edit.path, edit]));

function isSame(one: SavedEdit, other: SavedEdit | undefined): boolean {
  if (!other || one.movedFrom !== other.movedFrom) return false;
  if (one.content === null || other.content === null) return one.content === other.content;
  return one.content.equals(other.content);
}

function toRow(jobId: string, { path, content, movedFrom }: SavedEdit): Tables['agent_edits'] {
  const text = content === null ? null : content.toString('base64');
  return { job_id: jobId, path, content: text, moved_from: movedFrom };
}

export async function loadConversation(database: Database, jobId: string): Promise<ModelMessage[]> {
  const rows = await database
    .selectFrom('agent_messages')
    .select('message')
    .where('job_id', '=', jobId)
    .where('is_compacted', '=', 0)
    .orderBy('seq')
    .execute();
  return rows.map(({ message }) => JSON.parse(message) as ModelMessage);
}

export async function addMessages(
  tx: Database,
  jobId: string,
  messages: readonly ModelMessage[],
): Promise<void> {
  if (messages.length === 0) return;
  const { last } = await tx
    .selectFrom('agent_messages')
    .select((row) => row.fn.max('seq').as('last'))
    .where('job_id', '=', jobId)
    .executeTakeFirstOrThrow();
  const first = Number(last ?? 0) + 1;
  await tx
    .insertInto('agent_messages')
    .values(
      messages.map((message, index) => ({
        job_id: jobId,
        seq: first + index,
        message: JSON.stringify(message),
        is_compacted: 0,
      })),
    )
    .execute();
}
