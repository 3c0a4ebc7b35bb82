/** The pages of each source, and what it keeps from run to run. */
import type { Database } from '../../platform/store/database.ts';

export interface SourceState {
  /** Paths of its pages in the index. */
  paths: string[];
  /** JSON of the source, such as validators. */
  kept?: unknown;
}

export type SourceStates = ReturnType<typeof createSourceStates>;

export function createSourceStates(deps: { database: Database; now: () => Date }) {
  const { database, now } = deps;
  return {
    async load(domain: string): Promise<Map<string, SourceState>> {
      const rows = await database
        .selectFrom('index_sources')
        .select(['source', 'state'])
        .where('domain', '=', domain)
        .execute();
      return new Map(rows.map(({ source, state }) => [source, JSON.parse(state) as SourceState]));
    },

    /** Writes only the differences. */
    async save(
      domain: string,
      before: ReadonlyMap<string, SourceState>,
      after: ReadonlyMap<string, SourceState>,
    ): Promise<void> {
      const changed = [...after].flatMap(([source, value]) => {
        const state = JSON.stringify(value);
        const isSame = JSON.stringify(before.get(source)) === state;
        return isSame ? [] : [{ domain, source, state, updated_at: now().toISOString() }];
      });
      const gone = [...before.keys()].filter((source) => !after.has(source));
      if (changed.length + gone.length === 0) return;
      await database.transaction().execute(async (transaction) => {
        const replaced = [...gone, ...changed.map(({ source }) => source)];
        await transaction
          .deleteFrom('index_sources')
          .where('domain', '=', domain)
          .where('source', 'in', replaced)
          .execute();
        if (changed.length > 0) {
          await transaction.insertInto('index_sources').values(changed).execute();
        }
      });
    },
  };
}
