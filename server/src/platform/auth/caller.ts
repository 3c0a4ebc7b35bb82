import type { Tables } from '../store/tables.ts';
import type { KeyScope } from '@docent/shared/keys';
import type { Role } from '@docent/shared/people';
import { DocentError } from '../errors.ts';
import { isPersonId } from '../ids.ts';
import type { ActorKind } from '../store/audit-tables.ts';

/** Who is behind a request: the bearer of a valid key, or a person who is signed in. */
export interface Caller {
  id: string;
  kind: 'key' | 'person';
  organization: string;
  /** The only site this key is for; `undefined`: every site of the organization. */
  domain: string | undefined;
  /** What the key may do; `undefined`: everything that its kind may do. */
  scopes: readonly KeyScope[] | undefined;
  /** Groups that its filters may name. */
  groups: readonly string[];
}

/** A signed-in person in one organization. */
export interface Session {
  id: string;
  person: Tables['people'];
  organization: string;
  role: Role;
  startedAt: string;
  /** The password was right, and the code of the second factor is missing. */
  needsCode: boolean;
}

export interface Actor {
  kind: ActorKind;
  /** The ID of a key or a person. */
  id?: string | undefined;
}

/** The key or the person with this ID, which tells which. */
export const callerActor = (id: string): Actor => ({ kind: isPersonId(id) ? 'person' : 'key', id });

/** The caller's organization, for what's about all of it. */
export function organizationOf({ organization, domain }: Caller): string {
  if (domain === undefined) return organization;
  throw new DocentError('forbidden', 'This is for keys of the whole organization.');
}
