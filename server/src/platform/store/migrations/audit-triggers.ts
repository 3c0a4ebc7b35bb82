/**
 * The audit trail only grows: the database refuses to change or delete its rows. An owner of the
 * database can still drop the triggers.
 */
const refusal = 'entries of the audit trail are never changed or deleted';

export const sqliteTriggers = [
  `create trigger audit_no_update before update on audit begin select raise(abort, '${refusal}'); end`,
  `create trigger audit_no_delete before delete on audit begin select raise(abort, '${refusal}'); end`,
];

export const postgresTriggers = [
  `create function audit_refuse() returns trigger language plpgsql as
   $$ begin raise exception '${refusal}'; end $$`,
  `create trigger audit_no_change before update or delete on audit for each row execute function audit_refuse()`,
  `create trigger audit_no_truncate before truncate on audit for each statement execute function audit_refuse()`,
];
