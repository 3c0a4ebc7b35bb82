/**
 * Rows. Each feature declares its tables in a file `tables.ts` and is the only one that writes them; the file
 * that does is named above a table. Times are ISO 8601 UTC text, so they sort and compare alike in SQLite and
 * PostgreSQL.
 */
import { integer, type RowsOf, text } from './columns.ts';

export const platformTables = {
  /** `platform/store/processes.ts` */
  processes: {
    id: text().primary,
    /** Machine and process id, for people. */
    name: text(),
    started_at: text(),
    lease_until: text(),
  },

  /** `platform/store/idempotency.ts` */
  idempotency_keys: {
    /** What was made, and where. */
    scope: text().primary,
    /** Digest of the client's key. */
    key: text().primary,
    /** Digest of the body, which reveals nothing without the key. */
    body: text(),
    /** The id of what was made. */
    made: text(),
    created_at: text(),
  },

  /** `platform/limits/counters.ts` */
  counters: {
    /** Which limit: `address-day`, `reader-minute`, … */
    name: text().primary,
    /** An address, an organization, a key's ID. */
    subject: text().primary,
    window_start: text().primary,
    window_end: text(),
    hits: integer(),
  },
};

export const platformIndexes = `
create index idempotency_keys_made on idempotency_keys (made);
create index idempotency_keys_created on idempotency_keys (created_at);
create index counters_window_end on counters (window_end);
`;

/** The rows of all tables: features add theirs. */
export interface Tables extends RowsOf<typeof platformTables> {}
