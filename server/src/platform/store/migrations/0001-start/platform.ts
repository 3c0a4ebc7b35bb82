/** What every part of the service uses: keys, limits, budgets, the audit trail, and webhooks. */
export const platformTables = `
create table keys (
  id text primary key,
  hash text not null unique,
  kind text not null,
  organization text not null,
  domain text,
  name text not null,
  hint text not null,
  created_at text not null,
  created_by text,
  expires_at text,
  revoked_at text,
  last_used_at text,
  scopes text,
  networks text,
  groups text,
  rotated_at text,
  previous_hash text,
  previous_hint text,
  previous_until text,
  previous_used_at text
);
create unique index keys_previous_hash on keys (previous_hash);
create index keys_organization on keys (organization, id);

create table processes (
  id text primary key,
  name text not null,
  started_at text not null,
  lease_until text not null
);

create table secrets (
  name text primary key,
  value text not null
);

create table idempotency_keys (
  scope text not null,
  key text not null,
  body text not null,
  made text not null,
  created_at text not null,
  primary key (scope, key)
);
create index idempotency_keys_made on idempotency_keys (made);
create index idempotency_keys_created on idempotency_keys (created_at);

create table counters (
  name text not null,
  subject text not null,
  window_start text not null,
  window_end text not null,
  hits integer not null,
  primary key (name, subject, window_start)
);
create index counters_window_end on counters (window_end);

create table spent_challenges (
  id text primary key,
  expires_at text not null
);
create index spent_challenges_expires_at on spent_challenges (expires_at);

create table spend (
  payer_kind text not null,
  payer text not null,
  organization text not null,
  period text not null,
  window_start text not null,
  window_end text not null,
  tokens bigint not null,
  micro_dollars bigint not null,
  reserved_tokens bigint not null,
  reserved_micro_dollars bigint not null,
  limit_tokens bigint,
  limit_micro_dollars bigint,
  primary key (payer_kind, payer, organization, period, window_start)
);
create index spend_window_end on spend (window_end);

create table budget_reservations (
  id text primary key,
  owner text not null,
  key_id text not null,
  domain text not null,
  organization text not null,
  tokens bigint not null,
  micro_dollars bigint not null,
  created_at text not null,
  lease_until text not null
);
create index budget_reservations_owner on budget_reservations (owner);
create index budget_reservations_lease on budget_reservations (lease_until);

create table budget_alerts (
  payer_kind text not null,
  payer text not null,
  organization text not null,
  period text not null,
  window_start text not null,
  unit text not null,
  percent integer not null,
  primary key (payer_kind, payer, organization, period, window_start, unit, percent)
);

create table audit (
  organization text not null,
  seq bigint not null,
  time text not null,
  project text,
  job_id text,
  actor_kind text not null,
  actor_id text,
  type text not null,
  data text not null,
  primary key (organization, seq)
);
create index audit_project on audit (organization, project, seq);
create index audit_job on audit (job_id, seq);

create table webhook_deliveries (
  id text primary key,
  organization text not null,
  project text not null,
  endpoint text not null,
  type text not null,
  job_id text,
  body text not null,
  status text not null,
  attempts integer not null,
  due_at text,
  owner text,
  lease_until text,
  last_attempt_at text,
  last_status integer,
  last_fault text,
  last_response text,
  created_at text not null,
  delivered_at text
);
create index webhook_deliveries_due on webhook_deliveries (status, due_at);
create index webhook_deliveries_organization on webhook_deliveries (organization, id);
create index webhook_deliveries_project on webhook_deliveries (project, id);
`;
