/** The rows of this feature, as `platform/store/tables.ts` says. */
import type { Role } from '@docent/shared/people';
import { integer, type RowsOf, text } from '../platform/store/columns.ts';

export const accountTables = {
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
};

export const accountIndexes = `
create unique index keys_previous_hash on keys (previous_hash);
create index keys_organization on keys (organization, id);
create index memberships_organization on memberships (organization);
create index identities_person on identities (person_id);
create index sessions_person on sessions (person_id);
create index sessions_expires on sessions (expires_at);
create index person_tokens_organization on person_tokens (organization, purpose);
create index person_tokens_expires on person_tokens (expires_at);
`;

declare module '../platform/store/tables.ts' {
  interface Tables extends RowsOf<typeof accountTables> {}
}
