/** Readers' conversations and feedback, and the search index. */
export const readerTables = `
create table threads (
  id text primary key,
  domain text not null,
  fp text not null,
  created_at text not null
);
create index threads_reader on threads (domain, fp);

create table turns (
  id text primary key,
  thread_id text not null references threads (id) on delete cascade,
  domain text not null,
  status text not null,
  question text not null,
  context text not null,
  answer text not null,
  sources text not null,
  model text not null,
  input_tokens integer,
  output_tokens integer,
  micro_dollars bigint,
  created_at text not null,
  finished_at text,
  replaced_by text,
  owner text not null,
  outcome text,
  finish_reason text,
  confidence real,
  asked_on text,
  filter text,
  question_id text,
  chat text,
  first_text_ms integer,
  search_ms integer,
  passages text
);
create index turns_site on turns (domain, created_at, id);
create index turns_outcome on turns (domain, outcome, created_at, id);
create index turns_thread on turns (thread_id, id);
create index turns_status on turns (status);
create index turns_created on turns (created_at);
create index turns_chat on turns (chat);

create table feedback (
  id text primary key,
  domain text not null,
  subject text not null,
  fp text not null,
  turn_id text references turns (id) on delete cascade,
  path text,
  rating text not null,
  reasons text not null,
  note text,
  state text not null default 'open',
  assignee text,
  version integer not null default 1,
  created_at text not null,
  updated_at text not null,
  unique (domain, subject)
);
create index feedback_turn on feedback (turn_id);
create index feedback_domain on feedback (domain, created_at);
create index feedback_state on feedback (domain, state, id);

create table feedback_notes (
  id text primary key,
  feedback_id text not null references feedback (id) on delete cascade,
  author text not null,
  text text not null,
  created_at text not null
);
create index feedback_notes_feedback on feedback_notes (feedback_id);

create table gaps (
  id text primary key,
  domain text not null,
  state text not null,
  decided_by text,
  created_at text not null
);
create index gaps_domain on gaps (domain);

create table gap_questions (
  turn_id text primary key references turns (id) on delete cascade,
  gap_id text not null references gaps (id) on delete cascade,
  topic text not null
);
create index gap_questions_gap on gap_questions (gap_id);
create index gap_questions_topic on gap_questions (topic, turn_id);

create table gap_terms (
  turn_id text not null references gap_questions (turn_id) on delete cascade,
  domain text not null,
  term text not null,
  weight double precision not null,
  primary key (turn_id, term)
);
create index gap_terms_domain on gap_terms (domain, term);

create table reader_jobs (
  id text primary key,
  domain text not null,
  feedback_id text references feedback (id) on delete cascade,
  turn_id text references turns (id) on delete cascade,
  job_id text,
  quoted text,
  created_at text not null
);
create index reader_jobs_feedback on reader_jobs (feedback_id);
create index reader_jobs_turn on reader_jobs (turn_id);

create table reported_pages (
  domain text not null,
  page text not null,
  job_id text,
  opened_at text not null,
  primary key (domain, page)
);

create table index_sources (
  domain text not null,
  source text not null,
  state text not null,
  updated_at text not null,
  primary key (domain, source)
);

create table index_runs (
  domain text primary key,
  status text not null,
  owner text,
  lease_until text,
  requested_at text,
  started_at text,
  finished_at text,
  progress text,
  report text,
  accepts_fewer integer not null,
  error text
);

create table site_settings (
  domain text primary key,
  version integer not null,
  starter_questions text not null,
  instructions text not null,
  updated_at text not null,
  updated_by text not null
);
`;
