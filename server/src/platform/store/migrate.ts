import type { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { DocentError } from '../errors.ts';
import { up as start } from './migrations/0001-start.ts';
import type { Tables } from './tables.ts';

/** Each runs once, in the order of the names. There is no way back. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-start': { up: start },
};

/** Brings the tables up to date. When several processes start together, one does it and the others wait. */
export async function migrate(
  database: Kysely<Tables>,
  all: Readonly<Record<string, Migration>> = migrations,
): Promise<void> {
  const migrator = new Migrator({
    db: database as unknown as Kysely<never>,
    provider: { getMigrations: () => Promise.resolve(all) },
  });
  const { error } = await migrator.migrateToLatest();
  if (error instanceof DocentError) throw error;
  if (error instanceof Error && /executed migration \S+ is missing/.test(error.message)) {
    throw new DocentError(
      'conflict',
      'A newer version of Docent upgraded the database. Run that version, or restore a backup from before the upgrade.',
      { cause: error },
    );
  }
  if (error) throw new Error('The database could not be brought up to date', { cause: error });
}
