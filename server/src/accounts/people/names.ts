import type { Database } from '../../platform/store/database.ts';

/** The names of people and keys, by their IDs. People who left and keys that were revoked keep theirs. */
export async function namesOf(
  database: Database,
  ids: Iterable<string | null | undefined>,
): Promise<Map<string, string>> {
  const wanted = [...new Set(ids)].filter((id) => typeof id === 'string');
  if (wanted.length === 0) return new Map();
  const people = await database
    .selectFrom('people')
    .select(['id', 'name'])
    .where('id', 'in', wanted)
    .execute();
  const keys = await database
    .selectFrom('keys')
    .select(['id', 'name', 'hint'])
    .where('id', 'in', wanted)
    .execute();
  return new Map([
    ...people.map(({ id, name }): [string, string] => [id, name]),
    ...keys.map(({ id, name, hint }): [string, string] => [id, name || `…${hint}`]),
  ]);
}
