import type { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { up as start } from './migrations/0001-start.ts';
import { up as spend } from './migrations/0004-spend.ts';

/** Forward only, in the order of their names, each once. */
const migrations: Record<string, Migration> = {
  '0001-start': { up: start },
  '0004-spend': { up: spend },
};

/** Brings the tables up to date. Safe when two processes start together: the migrator takes a lock. */
export async function migrate(db: Kysely<never>): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(migrations) },
  });
  const { error } = await migrator.migrateToLatest();
  if (error) throw new Error('The database could not be brought up to date', { cause: error });
}
