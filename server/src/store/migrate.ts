import type { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { DocentError } from '../errors.ts';
import { up as start } from './migrations/0001-start.ts';
import { up as processes } from './migrations/0002-processes.ts';
import { up as spend } from './migrations/0003-spend.ts';
import { up as throttling } from './migrations/0004-throttling.ts';
import { up as insight } from './migrations/0005-insight.ts';
import { up as sources } from './migrations/0006-sources.ts';
import { up as runs } from './migrations/0007-runs.ts';
import { up as turnFilter } from './migrations/0008-turn-filter.ts';
import { up as agent } from './migrations/0009-agent.ts';
import { up as localPulls } from './migrations/0010-local-pulls.ts';
import { up as audit } from './migrations/0011-audit.ts';
import { up as webhooks } from './migrations/0012-webhooks.ts';
import { up as readerJobs } from './migrations/0015-reader-jobs.ts';
import { up as questionIds } from './migrations/0016-question-ids.ts';
import { up as questionClaims } from './migrations/0017-question-claims.ts';
import type { Tables } from './tables.ts';

/** Forward only, in the order of their names, each once. */
const migrations: Record<string, Migration> = {
  '0001-start': { up: start },
  '0002-processes': { up: processes },
  '0003-spend': { up: spend },
  '0004-throttling': { up: throttling },
  '0005-insight': { up: insight },
  '0006-sources': { up: sources },
  '0007-runs': { up: runs },
  '0008-turn-filter': { up: turnFilter },
  '0009-agent': { up: agent },
  '0010-local-pulls': { up: localPulls },
  '0011-audit': { up: audit },
  '0012-webhooks': { up: webhooks },
  '0015-reader-jobs': { up: readerJobs },
  '0016-question-ids': { up: questionIds },
  '0017-question-claims': { up: questionClaims },
};

/** Brings the tables up to date. Safe when several processes start together: one does it, the others wait. */
export async function migrate(database: Kysely<Tables>): Promise<void> {
  const migrator = new Migrator({
    db: database as unknown as Kysely<never>,
    provider: { getMigrations: () => Promise.resolve(migrations) },
  });
  const { error } = await migrator.migrateToLatest();
  if (error instanceof DocentError) throw error;
  if (error instanceof Error && /executed migration \S+ is missing/.test(error.message)) {
    throw new DocentError(
      'conflict',
      'The database was brought up to date by a newer Docent; run that version, or restore a backup from before it.',
      { cause: error },
    );
  }
  if (error) throw new Error('The database could not be brought up to date', { cause: error });
}
