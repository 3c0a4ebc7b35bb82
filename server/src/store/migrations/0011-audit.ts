import { type ColumnDefinitionBuilder, type Kysely, PostgresAdapter, sql } from 'kysely';

const must = (column: ColumnDefinitionBuilder) => column.notNull();

/** A trail that can only grow. Whoever has the database's own rights can still drop the triggers: the chain of hashes is for them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('audit')
    .addColumn('organization', 'text', must)
    .addColumn('seq', 'bigint', must)
    .addColumn('time', 'text', must)
    .addColumn('project', 'text')
    .addColumn('job_id', 'text')
    .addColumn('actor_kind', 'text', must)
    .addColumn('actor_id', 'text')
    .addColumn('type', 'text', must)
    .addColumn('data', 'text', must)
    .addColumn('previous', 'text', must)
    .addColumn('hash', 'text', must)
    .addPrimaryKeyConstraint('audit_pk', ['organization', 'seq'])
    .execute();
  await db.schema
    .createIndex('audit_project')
    .on('audit')
    .columns(['organization', 'project', 'seq'])
    .execute();
  await db.schema.createIndex('audit_job').on('audit').columns(['job_id', 'seq']).execute();

  await db.schema
    .createTable('audit_heads')
    .addColumn('organization', 'text', (column) => column.primaryKey())
    .addColumn('seq', 'bigint', must)
    .addColumn('hash', 'text', must)
    .execute();

  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  for (const statement of isPostgres ? postgresTriggers : sqliteTriggers) {
    await sql.raw(statement).execute(db);
  }
}

const never = 'entries of the audit trail are never changed or deleted';
const forward = 'the head of the audit trail only moves forward';

const sqliteTriggers = [
  `create trigger audit_no_update before update on audit begin select raise(abort, '${never}'); end`,
  `create trigger audit_no_delete before delete on audit begin select raise(abort, '${never}'); end`,
  `create trigger audit_heads_forward before update on audit_heads
   when new.seq <= old.seq or new.organization <> old.organization
   begin select raise(abort, '${forward}'); end`,
  `create trigger audit_heads_no_delete before delete on audit_heads begin select raise(abort, '${forward}'); end`,
];

const postgresTriggers = [
  `create function audit_refuse() returns trigger language plpgsql as
   $$ begin raise exception '${never}'; end $$`,
  `create function audit_forward() returns trigger language plpgsql as
   $$ begin
     if tg_op <> 'UPDATE' or new.seq <= old.seq or new.organization <> old.organization then
       raise exception '${forward}';
     end if;
     return new;
   end $$`,
  `create trigger audit_no_change before update or delete on audit for each row execute function audit_refuse()`,
  `create trigger audit_no_truncate before truncate on audit for each statement execute function audit_refuse()`,
  `create trigger audit_heads_forward before update or delete on audit_heads for each row execute function audit_forward()`,
  `create trigger audit_heads_no_truncate before truncate on audit_heads for each statement execute function audit_forward()`,
];
