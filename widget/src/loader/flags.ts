/** Flags in browser storage, and the paths on which the widget stays hidden. */
import type { Settings } from './settings.ts';

/** The widget's prefix in browser storage. */
export const storageName = ({ site, name }: Pick<Settings, 'site' | 'name'>): string =>
  site + (name && `@${name}`);

/** `*` matches anything. `/legal` also matches `/legal/` and a router's `#/legal`. */
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
 * On this device: the reader hid the assistant, or gave consent. In this tab: the panel was open,
 * or the words of a citation.
 */
export type Flag = 'hidden' | 'consent' | 'open' | 'cited';
type Area = 'localStorage' | 'sessionStorage';

export const flagKey = (own: string, flag: Flag): string => `docent:${own}:${flag}`;

/**
 * A tab has flags only after the first question, which stores the list of conversations. Until then,
 * don't open the second storage: that takes longer than all the rest of the loader's reads.
 */
export function isFlagSet(own: string, flag: Flag): boolean {
  try {
    const key = flagKey(own, flag);
    const isUsed = localStorage.getItem(`docent:${own}`);
    return !!(localStorage.getItem(key) ?? (isUsed && sessionStorage.getItem(key)));
  } catch {
    return false;
  }
}

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
    // It holds on this page only.
  }
}
