/** Flags in browser storage, and the paths on which the widget stays hidden. */
import type { Settings } from './settings.ts';

/** The widget's prefix in browser storage. Two widgets on one page share nothing. */
export const storageName = ({ site, name }: Pick<Settings, 'site' | 'name'>): string =>
  site + (name && `@${name}`);

/** `*` stands for anything, and `/legal` is also `/legal/` and, where a router keeps pages there, `#/legal`. */
export const isPathIn = (
  patterns: readonly string[],
  { pathname, hash }: Pick<Location, 'pathname' | 'hash'>,
): boolean =>
  patterns.some((pattern) =>
    new RegExp(
      `^${pattern.replace(/\W/g, (sign) => (sign === '*' ? '.*' : `\\${sign}`))}/?$`,
      'm',
    ).test(pathname + hash.replace(/[?#]!?/g, '\n')),
  );

/**
 * What is kept beside the conversations. On this device: the reader hid the assistant, or agreed to its
 * use. In this tab: the panel was open when the reader left a page; the words a citation leads to.
 */
export type Flag = 'hidden' | 'consent' | 'open' | 'cited';
type Area = 'localStorage' | 'sessionStorage';

/** Its key in the browser's storage; `own` is the widget's, see `storageName`. */
export const flagKey = (own: string, flag: Flag): string => `docent:${own}:${flag}`;

/** Wherever it is kept; where storage is denied there is none. */
export function isFlagSet(own: string, flag: Flag): boolean {
  try {
    const key = flagKey(own, flag);
    return !!(localStorage.getItem(key) ?? sessionStorage.getItem(key));
  } catch {
    return false;
  }
}

/** Where storage is denied nothing is kept. */
export function setFlag(
  own: string,
  flag: Flag,
  isSet: boolean,
  area: Area = 'localStorage',
): void {
  try {
    const key = flagKey(own, flag);
    if (isSet) window[area].setItem(key, '1');
    else window[area].removeItem(key);
  } catch {
    // Then it holds on this page only.
  }
}
