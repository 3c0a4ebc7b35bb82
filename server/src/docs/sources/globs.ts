import { posix } from 'node:path';

export interface Globs {
  include?: readonly string[] | undefined;
  exclude?: readonly string[] | undefined;
}

/** A glob, or the name of a folder for all that is in it. */
function matches(path: string, glob: string): boolean {
  const plain = glob.replace(/^\.?\//, '').replace(/\/$/, '');
  return posix.matchesGlob(path, plain) || path.startsWith(`${plain}/`);
}

/** Whether a path without a leading slash is among what is asked for. */
export function isWanted(path: string, { include, exclude }: Globs): boolean {
  if (include && include.length > 0 && !include.some((glob) => matches(path, glob))) return false;
  return !exclude?.some((glob) => matches(path, glob));
}
