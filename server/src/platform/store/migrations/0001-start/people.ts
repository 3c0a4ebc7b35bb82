/** People's accounts, their roles, and their sessions. */
export const peopleTables = `
create table people (
  id text primary key,
  email text not null unique,
  name text not null,
  password_hash text,
  second_factor text,
  new_second_factor text,
  second_factor_step integer,
  recovery_codes text,
  created_at text not null,
  disabled_at text,
  last_seen_at text
);

create table memberships (
  person_id text not null references people (id) on delete cascade,
  organization text not null,
  role text not null,
  created_at text not null,
  primary key (person_id, organization)
);
create index memberships_organization on memberships (organization);

create table removals (
  person_id text not null references people (id) on delete cascade,
  organization text not null,
  removed_at text not null,
  primary key (person_id, organization)
);

create table identities (
  issuer text not null,
  subject text not null,
  person_id text not null references people (id) on delete cascade,
  created_at text not null,
  primary key (issuer, subject)
);
create index identities_person on identities (person_id);

create table sessions (
  id text primary key,
  hash text not null unique,
  person_id text not null references people (id) on delete cascade,
  organization text not null,
  needs_code integer not null,
  created_at text not null,
  last_used_at text not null,
  expires_at text not null,
  address text not null,
  user_agent text not null
);
create index sessions_person on sessions (person_id);
create index sessions_expires on sessions (expires_at);

create table person_tokens (
  id text primary key,
  hash text not null unique,
  purpose text not null,
  email text,
  organization text,
  role text,
  person_id text references people (id) on delete cascade,
  created_by text,
  created_at text not null,
  expires_at text not null,
  used_at text
);
create index person_tokens_organization on person_tokens (organization, purpose);
create index person_tokens_expires on person_tokens (expires_at);

create table page_shares (
  id text primary key,
  hash text not null unique,
  organization text not null,
  project text not null,
  page text not null,
  page_id text not null,
  created_by text not null,
  created_at text not null,
  expires_at text not null,
  revoked_at text
);
create index page_shares_organization on page_shares (organization, id);
`;
