import type { SearchFilter } from '@docent/shared/assistant';

/** The fields of a page that decide who sees it. */
export interface Visibility {
  version?: string;
  language?: string;
  groups?: string[];
  tags?: string[];
}

/**
 * Whether `outer` shows every page that `inner` shows. If so, a reader with `outer` may see an answer
 * that was written from pages of `inner`.
 */
export function isWithin(inner: SearchFilter, outer: SearchFilter | undefined): boolean {
  const isSame = (key: 'version' | 'language' | 'tag') =>
    outer?.[key] === undefined || outer[key] === inner[key];
  return (
    isSame('version') &&
    isSame('language') &&
    isSame('tag') &&
    (inner.groups ?? []).every((group) => outer?.groups?.includes(group))
  );
}

/**
 * A page with groups is visible only to a filter that names one of them; without a filter, it's hidden.
 * `groups: []` hides it from everyone. A page without a version or language belongs to all of them.
 */
export function isVisible(page: Visibility, filter: SearchFilter | undefined): boolean {
  if (page.groups && !page.groups.some((group) => filter?.groups?.includes(group))) return false;
  if (
    filter?.version !== undefined &&
    page.version !== undefined &&
    page.version !== filter.version
  )
    return false;
  if (
    filter?.language !== undefined &&
    page.language !== undefined &&
    page.language !== filter.language
  )
    return false;
  return filter?.tag === undefined || (page.tags?.includes(filter.tag) ?? false);
}
