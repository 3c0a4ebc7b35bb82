/** Whether the assistant is on this page at all: not where its owner or its reader does not want it. */
import type { Settings } from './settings.ts';

/** What a widget calls its own in the browser's storage: two on one page share nothing. */
export const storageName = ({ site, name }: Pick<Settings, 'site' | 'name'>): string =>
  site + (name && `@${name}`);

/** `*` stands for anything, and `/legal` is also `/legal/` and, where a router keeps pages there, `#/legal`. */
export const isPathIn = (
  patterns: readonly string[],
  { pathname, hash }: Pick<Location, 'pathname' | 'hash'>,
): boolean =>
  patterns.some((pattern) =>
    new RegExp(`^${pattern.replace(/[^\w*]/g, '\\$&').replaceAll('*', '.*')}/?$`, 'm').test(
      pathname + hash.replace(/[?#]!?/g, '\n'),
    ),
  );

/** Reads, writes (`true`) or takes away (`false`) a mark: whether there is something. Where storage is denied nothing is kept. */
export function mark(
  name: string,
  isSet?: boolean,
  area: 'localStorage' | 'sessionStorage' = 'localStorage',
): boolean {
  try {
    const storage = window[area];
    if (isSet) storage.setItem(name, '1');
    else if (isSet === false) storage.removeItem(name);
    return !!storage.getItem(name);
  } catch {
    return false;
  }
}
