/**
 * The audit trail only grows: the database refuses to change or delete its rows. An owner of the
 * database can still drop the triggers.
 */
const never = 'entries of the audit trail are never changed or deleted';
const forward = 'the head of the audit trail only moves forward';

export const sqliteTriggers = [
  `create trigger audit_no_update before update on audit begin select raise(abort, '${never}'); end`,
  `create trigger audit_no_delete before delete on audit begin select raise(abort, '${never}'); end`,
  `create trigger audit_heads_forward before update on audit_heads
   when new.seq <= old.seq or new.organization <> old.organization
   begin select raise(abort, '${forward}'); end`,
  `create trigger audit_heads_no_delete before delete on audit_heads begin select raise(abort, '${forward}'); end`,
];

export const postgresTriggers = [
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
