import type { SearchFilter } from '@docent/shared/assistant';

/** What of a page decides who sees it. */
export interface Visibility {
  version?: string;
  language?: string;
  groups?: string[];
  tags?: string[];
}

/**
 * Whether the second filter shows every page that the first one shows. What was written from pages of
 * the first may then be read with the second.
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
 * A page with groups is only for a filter that names one of them, also where there is no filter at
 * all; `groups: []` is for nobody. A page without version or language belongs to all of them.
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
