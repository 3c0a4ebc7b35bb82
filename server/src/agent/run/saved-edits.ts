import type { SavedEdit } from '../workspace/file-set.ts';
import type { AgentEditTable } from '../../platform/store/agent-tables.ts';
import type { Database } from '../../platform/store/database.ts';

/** The agent's edits as rows. A step changes few of them: only those are written. */
export type EditRows = ReturnType<typeof createEditRows>;

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

/** Knows what stands in the rows of a job that nobody else writes. */
export function createEditRows(jobId: string, stored: readonly SavedEdit[]) {
  let known = byPath(stored);

  return {
    /** Brings the rows to these edits; `settle` once the transaction holds. */
    async save(tx: Database, edits: readonly SavedEdit[]): Promise<{ settle(): void }> {
      const next = byPath(edits);
      const gone = [...known.keys()].filter((path) => !next.has(path));
      const changed = edits.filter((edit) => !isSame(edit, known.get(edit.path)));
      for (const some of chunks(gone)) {
        await tx
          .deleteFrom('agent_edits')
          .where('job_id', '=', jobId)
          .where('path', 'in', some)
          .execute();
      }
      for (const some of chunks(changed)) {
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
      return { settle: () => void (known = next) };
    },
  };
}

const byPath = (edits: readonly SavedEdit[]) => new Map(edits.map((edit) => [edit.path, edit]));

function isSame(one: SavedEdit, other: SavedEdit | undefined): boolean {
  if (!other || one.movedFrom !== other.movedFrom) return false;
  if (one.content === null || other.content === null) return one.content === other.content;
  return one.content === other.content || one.content.equals(other.content);
}

function toRow(jobId: string, { path, content, movedFrom }: SavedEdit): AgentEditTable {
  const text = content === null ? null : content.toString('base64');
  return { job_id: jobId, path, content: text, moved_from: movedFrom };
}

/** A statement takes only so many values. */
function chunks<Item>(items: readonly Item[]): Item[][] {
  const size = 200;
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
