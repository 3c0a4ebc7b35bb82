/**
 * Pages with groups are for readers of those groups. We chose that groups are granted to keys, because
 * everyone can read the key and the filter of a public page. The specification is silent.
 */
import type { SearchFilter } from '@docent/shared/assistant';
import { DocentError } from '../errors.ts';
import { type Caller } from './caller.ts';

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
