/**
 * The rows of every table. Times are ISO 8601 UTC text, so they sort and compare alike in SQLite and
 * PostgreSQL. Each table is written by one feature only, named above it.
 */
import { agentIndexes, agentTables } from './agent-tables.ts';
import { auditIndexes, auditTables } from './audit-tables.ts';
import { bigint, integer, type RowsOf, text } from './columns.ts';
import { peopleIndexes, peopleTables } from './people-tables.ts';
import { readerIndexes, readerTables } from './reader-tables.ts';

/** Who pays for an answer: its key, its site, and its organization. */
export type PayerKind = 'key' | 'organization' | 'site';

/** The periods of budgets: days and calendar months in UTC. */
export type SpendPeriod = 'day' | 'month';

/** `waiting`: the run would remove many pages, and waits for approval. */
export type IndexRunStatus = 'never' | 'running' | 'complete' | 'incomplete' | 'waiting' | 'failed';

const platformTables = {
  /** `accounts/keys` */
  keys: {
    id: text().primary,
    /** SHA-256 of the token, hex. The token itself is never stored. */
    hash: text().unique,
    kind: text<'admin' | 'assistant'>(),
    organization: text(),
    /** An assistant key may be for one site only; null: every site of the organization. */
    domain: text().orNull,
    name: text(),
    /** The last four characters of the token, so that its owner can tell keys apart. */
    hint: text(),
    created_at: text(),
    /** The ID of a person or a key; null: the command line. */
    created_by: text().orNull,
    expires_at: text().orNull,
    revoked_at: text().orNull,
    last_used_at: text().orNull,
    /** JSON list of scopes; null: all scopes of its kind. */
    scopes: text().orNull,
    /** JSON list of addresses and subnets that the key may be used from; null: from anywhere. */
    networks: text().orNull,
    /** JSON list of groups whose pages its filters may name; null: none. */
    groups: text().orNull,
    rotated_at: text().orNull,
    /** The token before the last rotation, valid until `previous_until`. */
    previous_hash: text().orNull,
    previous_hint: text().orNull,
    previous_until: text().orNull,
    previous_used_at: text().orNull,
  },

  /** `platform/store/processes.ts` */
  processes: {
    id: text().primary,
    /** Machine and process id, for people. */
    name: text(),
    started_at: text(),
    lease_until: text(),
  },

  /** `reader/challenge/challenges.ts`: a secret that the service signs with. */
  secrets: {
    name: text().primary,
    value: text(),
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

  /** `reader/challenge/challenges.ts`: solved ones, until they would have expired anyway. */
  spent_challenges: {
    id: text().primary,
    expires_at: text(),
  },

  /** `budgets/accounts.ts` */
  spend: {
    payer_kind: text<PayerKind>().primary,
    /** A key's id, a person's, an organization's name, a site's domain. */
    payer: text().primary,
    /** A person may spend in several. */
    organization: text().primary,
    period: text<SpendPeriod>().primary,
    window_start: text().primary,
    window_end: text(),
    /** The cost of ended answers. Money is in whole millionths of a US dollar. */
    tokens: bigint(),
    micro_dollars: bigint(),
    /** What running answers may cost. */
    reserved_tokens: bigint(),
    reserved_micro_dollars: bigint(),
    /** The budget in the configuration at the last answer; null: none. */
    limit_tokens: bigint().orNull,
    limit_micro_dollars: bigint().orNull,
  },

  /** `budgets/spend.ts`: what one running answer reserved, so that it's released if its process dies. */
  budget_reservations: {
    id: text().primary,
    owner: text(),
    /** Empty for a job that no key created. */
    caller_id: text(),
    /** Empty for a job. */
    domain: text(),
    organization: text(),
    tokens: bigint(),
    micro_dollars: bigint(),
    /** Determines the periods that it counts in. */
    created_at: text(),
    lease_until: text(),
  },

  /** `budgets/spend.ts`: the unique key makes it one alert for each budget, period and share. */
  budget_alerts: {
    payer_kind: text<PayerKind>().primary,
    payer: text().primary,
    organization: text().primary,
    period: text<SpendPeriod>().primary,
    window_start: text().primary,
    unit: text<'tokens' | 'dollars'>().primary,
    percent: integer().primary,
  },

  /** `docs/indexer/source-states.ts` */
  index_sources: {
    domain: text().primary,
    /** Kind and address of the source. */
    source: text().primary,
    /** JSON: the paths of its pages, and what it keeps for the next run. */
    state: text(),
    updated_at: text(),
  },

  /** `docs/indexer/index-runs.ts`: one row for each site. */
  index_runs: {
    domain: text().primary,
    status: text<IndexRunStatus>(),
    /** The run that holds the lease; null if none runs. */
    owner: text().orNull,
    lease_until: text().orNull,
    /** When someone asked for a run that hasn't started. */
    requested_at: text().orNull,
    started_at: text().orNull,
    finished_at: text().orNull,
    /** JSON of the run's progress. */
    progress: text().orNull,
    /** Of the last run that succeeded: its beginning, and the commits of the site's repositories as a JSON list. */
    indexed_at: text().orNull,
    commits: text().orNull,
    /** JSON of the last run's report. */
    report: text().orNull,
    /** 1: that run may remove many pages. */
    accepts_fewer: integer(),
    error: text().orNull,
  },

  /** `docs/indexer/index-changes.ts`: index runs that changed pages. */
  index_changes: {
    id: text().primary,
    domain: text(),
    /** The beginning of the run. */
    started_at: text(),
    /** JSON lists: paths of pages that were added, changed, or removed; commits of the site's repositories. */
    paths: text(),
    commits: text(),
    /** When answers from these pages were looked at. */
    checked_at: text().orNull,
  },

  /** `reader/site-settings.ts`: what the dashboard changes while the service runs. */
  site_settings: {
    domain: text().primary,
    /** Counted from 1 with each change. */
    version: integer(),
    /** JSON list. */
    starter_questions: text(),
    instructions: text(),
    updated_at: text(),
    updated_by: text(),
  },

  /** `agent/connect/connections.ts`: hosts of repositories that people connected in the dashboard. */
  connections: {
    id: text().primary,
    organization: text(),
    forge: text<'github' | 'gitea' | 'gitlab'>(),
    /** The host's address, without a slash at its end. */
    url: text(),
    /** For people: an account's name, or a GitHub App's. */
    account: text(),
    /** Of a GitHub App. */
    app_id: text().orNull,
    app_url: text().orNull,
    /** JSON `{ access, hook }`: a token or a private key, and the webhook's secret. Encrypted. */
    secrets: text(),
    /** 1: the host sends its events. */
    has_hook: integer(),
    created_at: text(),
    created_by: text(),
  },

  /** `agent/connect/connections.ts`: on their way to GitHub and back, once. */
  connection_states: {
    hash: text().primary,
    person_id: text(),
    organization: text(),
    /** JSON of what was begun. */
    begun: text(),
    expires_at: text(),
  },

  /** `agent/connect/connections.ts`: projects that the configuration doesn't have. */
  connected_projects: {
    id: text().primary,
    organization: text(),
    connection: text().references('connections'),
    /** Its address. */
    repository: text(),
    /** JSON of what the configuration would say beside its name and its repository. */
    settings: text(),
    created_at: text(),
    created_by: text(),
  },

  /** `owner/connected-sites.ts`: sites that the configuration doesn't have. */
  connected_sites: {
    domain: text().primary,
    organization: text(),
    connection: text().references('connections'),
    /** JSON of what the configuration would say, without `domain` and `organization`. */
    settings: text(),
    created_at: text(),
    created_by: text(),
  },

  /** `agent/forge/local/pulls.ts`: pull requests of repositories on this machine. */
  local_pulls: {
    project: text().primary,
    /** Counted from 1 in each project. */
    number: integer().primary,
    branch: text(),
    base: text(),
    title: text(),
    body: text(),
    state: text<'open' | 'merged' | 'closed'>(),
    is_draft: integer(),
    /** The commit of the branch when it was merged or closed; null while it's open. */
    head_commit: text().orNull,
    /** The commit of the base branch at the beginning, or just before the merge. */
    base_commit: text().orNull,
    created_at: text(),
    ended_at: text().orNull,
  },
};

const platformIndexes = `
create unique index keys_previous_hash on keys (previous_hash);
create index keys_organization on keys (organization, id);
create index idempotency_keys_made on idempotency_keys (made);
create index idempotency_keys_created on idempotency_keys (created_at);
create index counters_window_end on counters (window_end);
create index spent_challenges_expires_at on spent_challenges (expires_at);
create index spend_window_end on spend (window_end);
create index budget_reservations_owner on budget_reservations (owner);
create index budget_reservations_lease on budget_reservations (lease_until);
create index index_changes_domain on index_changes (domain, id);
create index index_changes_unchecked on index_changes (id) where checked_at is null;
create unique index local_pulls_open on local_pulls (project, branch) where state = 'open';
`;

/** In an order in which a table comes after those that it refers to. */
export const tables = {
  ...platformTables,
  ...peopleTables,
  ...readerTables,
  ...auditTables,
  ...agentTables,
};

/** One statement each. */
export const indexes = [platformIndexes, peopleIndexes, readerIndexes, auditIndexes, agentIndexes]
  .flatMap((all) => all.split(';'))
  .filter((statement) => statement.trim() !== '');

export type Tables = RowsOf<typeof tables>;
