import type { Tables } from '../store/tables.ts';
import type { KeyScope } from '@docent/shared/keys';
import type { Role } from '@docent/shared/people';
import { DocentError } from '../errors.ts';
import { isPersonId } from '../ids.ts';
import type { SearchFilter } from '@docent/shared/assistant';

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

export type ActorKind =
  | 'key'
  | 'person'
  | 'reader'
  | 'system'
  | 'command-line'
  | 'host'
  | 'automation';

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

/**
 * Whether a key was granted all groups that a filter names. We chose that groups are granted to keys, because
 * everyone can read the key and the filter of a public page. The specification is silent.
 */
export function holdsGroups(
  { groups }: Pick<Caller, 'groups'>,
  filter: Pick<SearchFilter, 'groups'> | undefined,
): boolean {
  return filter?.groups?.every((group) => groups.includes(group)) ?? true;
}

/** 403: the key is valid, but isn't enough. It's the same for groups that no page has. */
export function assertGroups(
  caller: Pick<Caller, 'groups'>,
  filter: SearchFilter | undefined,
): void {
  if (holdsGroups(caller, filter)) return;
  throw new DocentError(
    'forbidden',
    "This key doesn't have all groups in `filter.groups`. Groups are granted when a key is created.",
    { details: [{ path: 'filter.groups', message: 'has a group that the key was not granted' }] },
  );
}
