/**
 * The rows of every table. Times are ISO 8601 UTC text, so they sort and compare alike in SQLite and
 * PostgreSQL. Each table is written by one feature only, named above it.
 */
import type { ColumnType } from 'kysely';

/** `keys/key-store.ts` */
export interface KeyTable {
  id: string;
  /** SHA-256 of the token, hex. The token itself is never stored. */
  hash: string;
  kind: 'admin' | 'assistant';
  organization: string;
  /** An assistant key may be for one site only; null: every site of the organization. */
  domain: string | null;
  name: string;
  /** The last four characters of the token, so that its owner can tell keys apart. */
  hint: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
}

/** `limits/counter-store.ts` */
export interface CounterTable {
  /** Which limit: `address-day`, `organization-hour`, `key-month`. */
  name: string;
  /** Who is counted: an address, an organization, a key id. */
  subject: string;
  window_start: string;
  window_end: string;
  hits: number;
}

/** `assistant/threads.ts` */
export interface ThreadTable {
  id: string;
  domain: string;
  fp: string;
  created_at: string;
}

/**
 * How a turn stands. `running` is the only state that changes; a turn that still runs when its
 * process is gone becomes `interrupted`.
 */
export type TurnStatus = 'running' | 'complete' | 'stopped' | 'failed' | 'interrupted';

/** `assistant/threads.ts` */
export interface TurnTable {
  id: string;
  thread_id: string;
  status: TurnStatus;
  question: string;
  /** JSON of the context items that came with the question. */
  context: ColumnType<string, string, never>;
  /** The answer's text; what had arrived by then where the turn is not complete. */
  answer: string;
  /** JSON list of `{ id, url, title }`. */
  sources: string;
  model: string;
  input_tokens: number | null;
  output_tokens: number | null;
  created_at: string;
  finished_at: string | null;
  /** The turn that took this one's place when the reader asked for another answer. */
  replaced_by: string | null;
}

export interface Tables {
  keys: KeyTable;
  counters: CounterTable;
  threads: ThreadTable;
  turns: TurnTable;
}
