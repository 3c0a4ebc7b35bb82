/** Which pages each index run changed, and at which commits. */
import { newId } from '../../platform/ids.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Tables } from '../../platform/store/tables.ts';
import type { SiteChange } from './index-site.ts';

/** A run that begins anew lists no more of them. */
const maxPaths = 5_000;
/** Of a site. */
const kept = 100;

export interface IndexChange extends SiteChange {
  id: string;
  domain: string;
  startedAt: string;
}

export type IndexChanges = ReturnType<typeof createIndexChanges>;

export function createIndexChanges({ database, now }: { database: Database; now: () => Date }) {
  return {
    /** Called before the index changes: a crash in between may record a change that wasn't made. */
    async record(domain: string, startedAt: string, change: SiteChange): Promise<void> {
      await database
        .insertInto('index_changes')
        .values({
          id: newId(),
          domain,
          started_at: startedAt,
          paths: JSON.stringify(change.paths.slice(0, maxPaths)),
          commits: JSON.stringify(change.commits),
        })
        .execute();
      const old = await database
        .selectFrom('index_changes')
        .select('id')
        .where('domain', '=', domain)
        .orderBy('id', 'desc')
        .offset(kept)
        .limit(1)
        .executeTakeFirst();
      if (!old) return;
      await database
        .deleteFrom('index_changes')
        .where('domain', '=', domain)
        .where('id', '<=', old.id)
        .execute();
    },

    async newest(domain: string): Promise<IndexChange | undefined> {
      const row = await database
        .selectFrom('index_changes')
        .selectAll()
        .where('domain', '=', domain)
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row && toChange(row);
    },

    /** Those of all sites whose answers nobody has looked at, oldest first. */
    async unchecked(): Promise<IndexChange[]> {
      const rows = await database
        .selectFrom('index_changes')
        .selectAll()
        .where('checked_at', 'is', null)
        .orderBy('id')
        .execute();
      return rows.map(toChange);
    },

    /** Of several processes, one gets `true`, in whose transaction it's noted. */
    async check(tx: Database, id: string): Promise<boolean> {
      const { numUpdatedRows } = await tx
        .updateTable('index_changes')
        .set({ checked_at: now().toISOString() })
        .where('id', '=', id)
        .where('checked_at', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}

const toChange = (row: Tables['index_changes']): IndexChange => ({
  id: row.id,
  domain: row.domain,
  startedAt: row.started_at,
  paths: JSON.parse(row.paths) as string[],
  commits: JSON.parse(row.commits) as string[],
});
