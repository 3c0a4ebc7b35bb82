/** The rows of people's accounts and sessions, as `tables.ts` describes. */
import type { Role } from '@docent/shared/people';
import { integer, text } from './columns.ts';

export const peopleTables = {
  /** `accounts/people/people.ts` */
  people: {
    /** Begins with `user_`, so that it's never taken for a key's. */
    id: text().primary,
    /** In lower case; unique. */
    email: text().unique,
    name: text(),
    /** Argon2id in the PHC format; null: signs in through OpenID Connect only. */
    password_hash: text().orNull,
    /** The secret of the second factor in base32; null: none. */
    second_factor: text().orNull,
    /** The secret that waits for its first code. */
    new_second_factor: text().orNull,
    /** The time step of the last accepted code, so that a code works once. */
    second_factor_step: integer().orNull,
    /** JSON list of hashes of unused recovery codes. */
    recovery_codes: text().orNull,
    created_at: text(),
    disabled_at: text().orNull,
    last_seen_at: text().orNull,
  },

  /** `accounts/people/people.ts` */
  memberships: {
    person_id: text().primary.references('people'),
    organization: text().primary,
    role: text<Role>(),
    /** The time zone in which the weekly email comes, and when it's due; null: none comes. */
    digest_zone: text().orNull,
    digest_due_at: text().orNull,
    created_at: text(),
  },

  /** `accounts/people/people.ts`: somebody took this person out, so single sign-on doesn't bring them back. */
  removals: {
    person_id: text().primary.references('people'),
    organization: text().primary,
    removed_at: text(),
  },

  /** `accounts/people/open-id-routes.ts`: the account of a person at an identity provider. */
  identities: {
    issuer: text().primary,
    subject: text().primary,
    person_id: text().references('people'),
    created_at: text(),
  },

  /** `accounts/people/sessions.ts` */
  sessions: {
    id: text().primary,
    /** SHA-256 of the cookie's token, hex. */
    hash: text().unique,
    person_id: text().references('people'),
    organization: text(),
    /** 1 while the code of the second factor is missing. */
    needs_code: integer(),
    created_at: text(),
    last_used_at: text(),
    expires_at: text(),
    address: text(),
    user_agent: text(),
  },

  /** `accounts/people/person-tokens.ts`: links that make or restore an account. */
  person_tokens: {
    id: text().primary,
    /** SHA-256 of the token, hex. */
    hash: text().unique,
    purpose: text<'setup' | 'invitation' | 'reset'>(),
    /** Of an invitation. */
    email: text().orNull,
    organization: text().orNull,
    role: text<Role>().orNull,
    /** Of a reset. */
    person_id: text().references('people').orNull,
    created_by: text().orNull,
    created_at: text(),
    expires_at: text(),
    used_at: text().orNull,
  },

  /** `agent/shares`: a link that opens one page. */
  page_shares: {
    id: text().primary,
    /** SHA-256 of the token, hex. */
    hash: text().unique,
    organization: text(),
    project: text(),
    page: text<'job' | 'pull'>(),
    /** The job's ID or the pull request's number. */
    page_id: text(),
    created_by: text(),
    created_at: text(),
    expires_at: text(),
    revoked_at: text().orNull,
  },
};

export const peopleIndexes = `
create index memberships_organization on memberships (organization);
create index identities_person on identities (person_id);
create index sessions_person on sessions (person_id);
create index sessions_expires on sessions (expires_at);
create index person_tokens_organization on person_tokens (organization, purpose);
create index person_tokens_expires on person_tokens (expires_at);
create index page_shares_organization on page_shares (organization, id);
`;
