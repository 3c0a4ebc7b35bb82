/** The rows of the audit trail, of outgoing webhooks, and of readers' reports, as `tables.ts` describes. */
import { bigint, integer, text } from './columns.ts';

export type ActorKind =
  | 'key'
  | 'person'
  | 'reader'
  | 'system'
  | 'command-line'
  | 'host'
  | 'automation';

export const auditTables = {
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

  /** `reader/analytics/jobs`: a reader's feedback or question, and the job that quotes it. */
  reader_jobs: {
    id: text().primary,
    domain: text(),
    feedback_id: text().references('feedback').orNull,
    turn_id: text().references('turns').orNull,
    /** Null: a suggestion, which waits for a person's decision. */
    job_id: text().orNull,
    /** What the job quotes, as JSON. The reader may change their feedback afterwards. */
    quoted: text().orNull,
    created_at: text(),
  },

  /** `reader/analytics/jobs`: pages that readers reported, so that one job serves all reports. */
  reported_pages: {
    domain: text().primary,
    page: text().primary,
    job_id: text().orNull,
    opened_at: text(),
  },
};

export const auditIndexes = `
create index audit_project on audit (organization, project, seq);
create index audit_job on audit (job_id, seq);
create index webhook_deliveries_due on webhook_deliveries (status, due_at);
create index webhook_deliveries_organization on webhook_deliveries (organization, id);
create index webhook_deliveries_project on webhook_deliveries (project, id);
create index reader_jobs_feedback on reader_jobs (feedback_id);
create index reader_jobs_turn on reader_jobs (turn_id);
`;
