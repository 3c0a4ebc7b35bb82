/** The rows of this feature, as `platform/store/tables.ts` says. */
import type { ActorKind } from '../platform/auth/caller.ts';
import { bigint, integer, type RowsOf, text } from '../platform/store/columns.ts';

export const notifyTables = {
  /** `notify/audit/audit.ts`: append-only. The database refuses to change or delete a row. */
  audit: {
    organization: text().primary,
    /** 1, 2, 3, … in each organization, without a gap. */
    seq: bigint().primary,
    time: text(),
    project: text().orNull,
    job_id: text().orNull,
    actor_kind: text<ActorKind>(),
    /** The ID of a key or a person. */
    actor_id: text().orNull,
    type: text(),
    /** JSON. */
    data: text(),
  },

  /** `notify/webhooks`: a message to one endpoint. Neither its address nor its secret is stored. */
  webhook_deliveries: {
    /** Also the `webhook-id`: the same at each attempt and each replay. */
    id: text().primary,
    organization: text(),
    /** Empty: a budget alert. */
    project: text(),
    /** A digest of the address, which may contain a secret. */
    endpoint: text(),
    type: text(),
    job_id: text().orNull,
    /** The JSON that is sent. */
    body: text(),
    /** `pending`: tried when due. */
    status: text<'pending' | 'delivered' | 'failed'>(),
    /** Attempts since it was written or last replayed. */
    attempts: integer(),
    /** The time of the next attempt. */
    due_at: text().orNull,
    /** The sender that is trying. */
    owner: text().orNull,
    lease_until: text().orNull,
    last_attempt_at: text().orNull,
    /** The receiver's last response, and the last error. */
    last_status: integer().orNull,
    last_fault: text().orNull,
    /** The beginning of its answer, redacted. */
    last_response: text().orNull,
    created_at: text(),
    delivered_at: text().orNull,
  },
};

export const notifyIndexes = `
create index audit_project on audit (organization, project, seq);
create index audit_job on audit (job_id, seq);
create index webhook_deliveries_due on webhook_deliveries (status, due_at);
create index webhook_deliveries_organization on webhook_deliveries (organization, id);
create index webhook_deliveries_project on webhook_deliveries (project, id);
`;

/**
 * The audit trail only grows: the database refuses to change or delete its rows. An owner of the
 * database can still drop the triggers.
 */
const refusal = 'entries of the audit trail are never changed or deleted';

export const notifyTriggers = {
  sqlite: [
    `create trigger audit_no_update before update on audit begin select raise(abort, '${refusal}'); end`,
    `create trigger audit_no_delete before delete on audit begin select raise(abort, '${refusal}'); end`,
  ],
  postgres: [
    `create function audit_refuse() returns trigger language plpgsql as
   $$ begin raise exception '${refusal}'; end $$`,
    `create trigger audit_no_change before update or delete on audit for each row execute function audit_refuse()`,
    `create trigger audit_no_truncate before truncate on audit for each statement execute function audit_refuse()`,
  ],
};

declare module '../platform/store/tables.ts' {
  interface Tables extends RowsOf<typeof notifyTables> {}
}
