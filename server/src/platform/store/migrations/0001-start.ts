import { type Kysely, sql } from 'kysely';
import { engineOf, toSql } from '../columns.ts';
import type { Schema } from '../migrate.ts';

/**
 * The audit trail only grows: the database refuses to change or delete its rows. An owner of the
 * database can still drop the triggers.
 */
const refusal = 'entries of the audit trail are never changed or deleted';

const sqliteTriggers = [
  `create trigger audit_no_update before update on audit begin select raise(abort, '${refusal}'); end`,
  `create trigger audit_no_delete before delete on audit begin select raise(abort, '${refusal}'); end`,
];

const postgresTriggers = [
  `create function audit_refuse() returns trigger language plpgsql as
   $$ begin raise exception '${refusal}'; end $$`,
  `create trigger audit_no_change before update or delete on audit for each row execute function audit_refuse()`,
  `create trigger audit_no_truncate before truncate on audit for each statement execute function audit_refuse()`,
];

/**
 * All tables of 1.0. Until 1.0 is released, it makes the tables as they are declared. Then its SQL is
 * written here, and each change is a migration with the next number: a released one never changes.
 */
export async function start(db: Kysely<never>, { tables, indexes }: Schema): Promise<void> {
  const engine = engineOf(db);
  const statements = [
    ...toSql(tables, engine),
    ...indexes,
    ...(engine === 'postgres' ? postgresTriggers : sqliteTriggers),
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
