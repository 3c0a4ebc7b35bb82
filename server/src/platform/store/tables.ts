/**
 * The rows of every table. Times are ISO 8601 UTC text, so they sort and compare alike in SQLite and
 * PostgreSQL. Each table is written by one feature only, named above it.
 */
import type { AgentTables } from './agent-tables.ts';
import type { AuditTables } from './audit-tables.ts';
import type { PeopleTables } from './people-tables.ts';
import type { ReaderTables } from './reader-tables.ts';

/** `auth/keys.ts` */
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
  /** The ID of a person or a key; null: the command line. */
  created_by: string | null;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  /** JSON list of scopes; null: all scopes of its kind. */
  scopes: string | null;
  /** JSON list of addresses and subnets that the key may be used from; null: from anywhere. */
  networks: string | null;
  /** JSON list of groups whose pages its filters may name; null: none. */
  groups: string | null;
  rotated_at: string | null;
  /** The token before the last rotation, valid until `previous_until`. */
  previous_hash: string | null;
  previous_hint: string | null;
  previous_until: string | null;
  previous_used_at: string | null;
}

/** `limits/counters.ts` */
export interface CounterTable {
  /** Which limit: `address-day`, `reader-minute`, … */
  name: string;
  /** An address, an organization, a key's ID. */
  subject: string;
  window_start: string;
  window_end: string;
  hits: number;
}

/** `store/idempotency.ts` */
export interface IdempotencyKeyTable {
  /** What was made, and where. */
  scope: string;
  /** Digest of the client's key. */
  key: string;
  /** Digest of the body, which reveals nothing without the key. */
  body: string;
  /** The id of what was made. */
  made: string;
  created_at: string;
}

/** `store/processes.ts` */
export interface ProcessTable {
  id: string;
  /** Machine and process id, for people. */
  name: string;
  started_at: string;
  lease_until: string;
}

/** Who pays for an answer: its key, its site, and its organization. */
export type PayerKind = 'key' | 'organization' | 'site';

/** The periods of budgets: days and calendar months in UTC. */
export type SpendPeriod = 'day' | 'month';

/** `budgets/accounts.ts` */
export interface SpendTable {
  payer_kind: PayerKind;
  /** A key's id, a person's, an organization's name, a site's domain. */
  payer: string;
  /** A person may spend in several. */
  organization: string;
  period: SpendPeriod;
  window_start: string;
  window_end: string;
  /** The cost of ended answers. Money is in whole millionths of a US dollar. */
  tokens: number;
  micro_dollars: number;
  /** What running answers may cost. */
  reserved_tokens: number;
  reserved_micro_dollars: number;
  /** The budget in the configuration at the last answer; null: none. */
  limit_tokens: number | null;
  limit_micro_dollars: number | null;
}

/** `budgets/spend.ts`: what one running answer reserved, so that it's released if its process dies. */
export interface BudgetReservationTable {
  id: string;
  owner: string;
  /** Empty for a job that no key created. */
  key_id: string;
  /** Empty for a job. */
  domain: string;
  organization: string;
  tokens: number;
  micro_dollars: number;
  /** Determines the periods that it counts in. */
  created_at: string;
  lease_until: string;
}

/** `budgets/alerts.ts`: the unique key makes it one alert for each budget, period and share. */
export interface BudgetAlertTable {
  payer_kind: PayerKind;
  payer: string;
  organization: string;
  period: SpendPeriod;
  window_start: string;
  unit: 'tokens' | 'dollars';
  percent: number;
}

/** `challenge/challenges.ts`: solved ones, until they would have expired anyway. */
export interface SpentChallengeTable {
  id: string;
  expires_at: string;
}

/** `store/secrets.ts`: a secret that the service signs with. */
export interface SecretTable {
  name: string;
  value: string;
}

/** `docs/indexer/source-states.ts` */
export interface IndexSourceTable {
  domain: string;
  /** Kind and address of the source. */
  source: string;
  /** JSON: the paths of its pages, and what it keeps for the next run. */
  state: string;
  updated_at: string;
}

/** `waiting`: the run would remove many pages, and waits for approval. */
export type IndexRunStatus = 'never' | 'running' | 'complete' | 'incomplete' | 'waiting' | 'failed';

/** `docs/indexer/index-runs.ts`: one row for each site. */
export interface IndexRunTable {
  domain: string;
  status: IndexRunStatus;
  /** The run that holds the lease; null if none runs. */
  owner: string | null;
  lease_until: string | null;
  /** When someone asked for a run that hasn't started. */
  requested_at: string | null;
  /** 1: that run may remove many pages. */
  accepts_fewer: number;
  started_at: string | null;
  finished_at: string | null;
  /** JSON of the run's progress. */
  progress: string | null;
  /** JSON of the last run's report. */
  report: string | null;
  error: string | null;
}

/** `agent/forge/local/pulls.ts`: pull requests of repositories on this machine. */
export interface LocalPullTable {
  project: string;
  /** Counted from 1 in each project. */
  number: number;
  branch: string;
  base: string;
  title: string;
  body: string;
  state: 'open' | 'merged' | 'closed';
  is_draft: number;
  /** The commit of the branch when it was merged or closed; null while it's open. */
  head_commit: string | null;
  /** The commit of the base branch at the beginning, or just before the merge. */
  base_commit: string | null;
  created_at: string;
  ended_at: string | null;
}

/** `tenants/site-settings.ts`: what the dashboard changes while the service runs. */
export interface SiteSettingsTable {
  domain: string;
  /** Counted from 1 with each change. */
  version: number;
  /** JSON list. */
  starter_questions: string;
  instructions: string;
  updated_at: string;
  updated_by: string;
}

export interface Tables extends AgentTables, AuditTables, PeopleTables, ReaderTables {
  local_pulls: LocalPullTable;
  site_settings: SiteSettingsTable;
  index_sources: IndexSourceTable;
  index_runs: IndexRunTable;
  keys: KeyTable;
  counters: CounterTable;
  idempotency_keys: IdempotencyKeyTable;
  spend: SpendTable;
  budget_reservations: BudgetReservationTable;
  budget_alerts: BudgetAlertTable;
  spent_challenges: SpentChallengeTable;
  secrets: SecretTable;
  processes: ProcessTable;
}
