import type { Store } from '../platform/store/database.ts';
import type { Tables } from '../platform/store/tables.ts';

/** Takes rows that are due, for some seconds each; other processes leave them alone meanwhile. */
export async function takeDue<Table extends 'agent_host_events' | 'agent_automation_runs'>(
  { database, clock }: Pick<Store, 'database' | 'clock'>,
  table: Table,
  most: number,
  seconds: number,
): Promise<Tables[Table][]> {
  // Kysely reads the columns of one table; both have these.
  const rows = table as 'agent_host_events';
  const due = await database
    .selectFrom(rows)
    .select(['id', 'due_at'])
    .where('due_at', '<=', clock())
    .orderBy('due_at')
    .orderBy('id')
    .limit(most)
    .execute();
  const taken: unknown[] = [];
  for (const { id, due_at: dueAt } of due) {
    const mine = await database
      .updateTable(rows)
      .set({ due_at: clock(seconds) })
      .where('id', '=', id)
      .where('due_at', '=', dueAt)
      .returningAll()
      .executeTakeFirst();
    if (mine) taken.push(mine);
  }
  return taken as Tables[Table][];
}
