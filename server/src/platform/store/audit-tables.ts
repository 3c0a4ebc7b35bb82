/** The rows of the audit trail, of outgoing webhooks, and of readers' reports, as `tables.ts` describes. */

export type ActorKind = 'key' | 'person' | 'reader' | 'system' | 'command-line';

/** `audit/audit.ts`: append-only. The database refuses to change or delete a row. */
export interface AuditTable {
  organization: string;
  /** 1, 2, 3, … in each organization, without a gap. */
  seq: number;
  time: string;
  project: string | null;
  job_id: string | null;
  actor_kind: ActorKind;
  /** The ID of a key or a person. */
  actor_id: string | null;
  type: string;
  /** JSON. */
  data: string;
}

/** `webhooks/deliveries.ts`: a message to one endpoint. Neither its address nor its secret is stored. */
export interface WebhookDeliveryTable {
  /** Also the `webhook-id`: the same at each attempt and each replay. */
  id: string;
  organization: string;
  /** Empty: a budget alert. */
  project: string;
  /** A digest of the address, which may contain a secret. */
  endpoint: string;
  type: string;
  job_id: string | null;
  /** The JSON that is sent. */
  body: string;
  /** `pending`: tried when due. */
  status: 'pending' | 'delivered' | 'failed';
  /** Attempts since it was written or last replayed. */
  attempts: number;
  /** The time of the next attempt. */
  due_at: string | null;
  /** The sender that is trying. */
  owner: string | null;
  lease_until: string | null;
  last_attempt_at: string | null;
  /** The receiver's last response, and the last error. */
  last_status: number | null;
  last_fault: string | null;
  /** The beginning of its answer, redacted. */
  last_response: string | null;
  created_at: string;
  delivered_at: string | null;
}

/** `reader/analytics/jobs`: a reader's feedback or question, and the job that quotes it. */
export interface ReaderJobTable {
  id: string;
  domain: string;
  feedback_id: string | null;
  turn_id: string | null;
  /** Null: a suggestion, which waits for a person's decision. */
  job_id: string | null;
  /** What the job quotes, as JSON. The reader may change their feedback afterwards. */
  quoted: string | null;
  created_at: string;
}

/** `reader/analytics/jobs`: pages that readers reported, so that one job serves all reports. */
export interface ReportedPageTable {
  domain: string;
  page: string;
  job_id: string | null;
  opened_at: string;
}

export interface AuditTables {
  reader_jobs: ReaderJobTable;
  reported_pages: ReportedPageTable;
  audit: AuditTable;
  webhook_deliveries: WebhookDeliveryTable;
}
