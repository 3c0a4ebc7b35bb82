import type { SearchFilter } from '@docent/shared/assistant';
import type { Visibility } from '../filter.ts';
import { digest } from './names.ts';

/** The document fields for `visibilityFilter`. */
export function visibilityFields({ version, language, groups, tags }: Visibility): object {
  return {
    ...(version !== undefined && { version: digest(version) }),
    ...(language !== undefined && { language: digest(language) }),
    ...(groups && { groups: groups.map(digest) }),
    ...(tags && { tag: tags.map(digest) }),
  };
}

/** The rule of `isVisible` as a Meilisearch filter; all conditions must hold. */
export function visibilityFilter(filter: SearchFilter | undefined): string[] {
  const { version, language, tag } = filter ?? {};
  const groups = filter?.groups ?? [];
  return [
    groups.length > 0
      ? `groups NOT EXISTS OR ${oneOf('groups', groups.map(digest))}`
      : 'groups NOT EXISTS',
    ...(version === undefined ? [] : [`version NOT EXISTS OR version = ${digest(version)}`]),
    ...(language === undefined ? [] : [`language NOT EXISTS OR language = ${digest(language)}`]),
    ...(tag === undefined ? [] : [`tag = ${digest(tag)}`]),
  ];
}

/** Values are digests or run ids, so they need no escaping. */
export function oneOf(field: string, values: readonly string[]): string {
  return `${field} IN [${values.join(',')}]`;
}
