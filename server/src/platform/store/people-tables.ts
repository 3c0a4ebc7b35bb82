/** The rows of people's accounts and sessions, as `tables.ts` describes. */
import type { Role } from '@docent/shared/people';

/** `people/people.ts` */
export interface PersonTable {
  /** Begins with `user_`, so that it's never taken for a key's. */
  id: string;
  /** In lower case; unique. */
  email: string;
  name: string;
  /** Argon2id in the PHC format; null: signs in through OpenID Connect only. */
  password_hash: string | null;
  /** The secret of the second factor in base32; null: none. */
  second_factor: string | null;
  /** The secret that waits for its first code. */
  new_second_factor: string | null;
  /** The time step of the last accepted code, so that a code works once. */
  second_factor_step: number | null;
  /** JSON list of hashes of unused recovery codes. */
  recovery_codes: string | null;
  created_at: string;
  disabled_at: string | null;
  last_seen_at: string | null;
}

/** `people/people.ts` */
export interface MembershipTable {
  person_id: string;
  organization: string;
  role: Role;
  created_at: string;
}

/** `people/people.ts`: somebody took this person out, so single sign-on doesn't bring them back. */
export interface RemovalTable {
  person_id: string;
  organization: string;
  removed_at: string;
}

/** `people/open-id.ts`: the account of a person at an identity provider. */
export interface IdentityTable {
  issuer: string;
  subject: string;
  person_id: string;
  created_at: string;
}

/** `people/sessions.ts` */
export interface SessionTable {
  id: string;
  /** SHA-256 of the cookie's token, hex. */
  hash: string;
  person_id: string;
  organization: string;
  /** 1 while the code of the second factor is missing. */
  needs_code: number;
  created_at: string;
  last_used_at: string;
  expires_at: string;
  address: string;
  user_agent: string;
}

/** `people/person-tokens.ts`: links that make or restore an account. */
export interface PersonTokenTable {
  id: string;
  /** SHA-256 of the token, hex. */
  hash: string;
  purpose: 'setup' | 'invitation' | 'reset';
  /** Of an invitation. */
  email: string | null;
  organization: string | null;
  role: Role | null;
  /** Of a reset. */
  person_id: string | null;
  created_by: string | null;
  created_at: string;
  expires_at: string;
  used_at: string | null;
}

/** `tenants/page-shares.ts`: a link that opens one page. */
export interface PageShareTable {
  id: string;
  /** SHA-256 of the token, hex. */
  hash: string;
  organization: string;
  project: string;
  page: 'job' | 'pull';
  /** The job's ID or the pull request's number. */
  page_id: string;
  created_by: string;
  created_at: string;
  expires_at: string;
  revoked_at: string | null;
}

export interface PeopleTables {
  page_shares: PageShareTable;
  people: PersonTable;
  memberships: MembershipTable;
  removals: RemovalTable;
  identities: IdentityTable;
  sessions: SessionTable;
  person_tokens: PersonTokenTable;
}
