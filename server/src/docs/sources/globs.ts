import { posix } from 'node:path';

export interface Globs {
  include?: readonly string[] | undefined;
  exclude?: readonly string[] | undefined;
}

/** Matches a glob, or everything in a folder if the text is the name of a folder. */
function matches(path: string, glob: string): boolean {
  const plain = glob.replace(/^\.?\//, '').replace(/\/$/, '');
  return posix.matchesGlob(path, plain) || path.startsWith(`${plain}/`);
}

/** Whether a path, without a leading slash, is included and not excluded. */
export function isWanted(path: string, { include, exclude }: Globs): boolean {
  if (include && include.length > 0 && !include.some((glob) => matches(path, glob))) return false;
  return !exclude?.some((glob) => matches(path, glob));
}
