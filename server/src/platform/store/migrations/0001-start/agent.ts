/** Agent jobs, and the pull requests of local repositories. */
export const agentTables = `
create table agent_jobs (
  id text primary key,
  project text not null,
  organization text not null,
  caller_id text,
  origin text not null,
  status text not null,
  phase text not null,
  stage text not null,
  model text,
  model_id text,
  repository text not null,
  base_branch text,
  branch text not null,
  source_commit text,
  is_draft integer not null,
  allow_large integer not null,
  paths text,
  title text,
  message text,
  summary text,
  todos text not null,
  pull_number integer,
  pull_url text,
  pull_state text,
  pull_ended_at text,
  pull_due_at text,
  former_pulls text not null,
  failure text,
  run_number integer not null,
  steps integer not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  micro_dollars bigint not null,
  run_ms bigint not null,
  feedbacks integer not null,
  notice text,
  owner text,
  lease_until text,
  attempt integer not null,
  crashes integer not null,
  cancel_requested_at text,
  events integer not null,
  created_at text not null,
  queued_at text not null,
  started_at text,
  finished_at text,
  archived_at text
);
create index agent_jobs_project on agent_jobs (project, created_at, id);
create index agent_jobs_organization on agent_jobs (organization, created_at, id);
create index agent_jobs_branch on agent_jobs (project, branch);
create index agent_jobs_pull on agent_jobs (project, pull_number);
create index agent_jobs_pull_due on agent_jobs (pull_due_at);
create index agent_jobs_queue on agent_jobs (phase, queued_at);

create table agent_instructions (
  id text primary key,
  job_id text not null references agent_jobs (id) on delete cascade,
  seq integer not null,
  role text not null,
  content text not null,
  command text,
  caller_id text,
  created_at text not null,
  taken_at text
);
create unique index agent_instructions_job on agent_instructions (job_id, seq);

create table agent_messages (
  job_id text not null references agent_jobs (id) on delete cascade,
  seq integer not null,
  message text not null,
  is_compacted integer not null,
  primary key (job_id, seq)
);

create table agent_edits (
  job_id text not null references agent_jobs (id) on delete cascade,
  path text not null,
  content text,
  moved_from text,
  primary key (job_id, path)
);

create table agent_events (
  job_id text not null references agent_jobs (id) on delete cascade,
  seq integer not null,
  type text not null,
  data text not null,
  created_at text not null,
  primary key (job_id, seq)
);

create table agent_turns (
  project text primary key,
  turn bigint not null
);

create table local_pulls (
  project text not null,
  number integer not null,
  branch text not null,
  base text not null,
  title text not null,
  body text not null,
  state text not null,
  is_draft integer not null,
  head_commit text,
  base_commit text,
  created_at text not null,
  ended_at text,
  primary key (project, number)
);
create unique index local_pulls_open on local_pulls (project, branch) where state = 'open';
`;
