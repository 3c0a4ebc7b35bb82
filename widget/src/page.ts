/**
 * The page the reader is on. Read when it is needed: then pushState, replaceState and back are
 * followed without a hook in the host's history that somebody would have to take out again.
 */
import { promises } from '@docent/shared/promises';

export function currentPath(): string {
  return location.pathname.slice(0, promises.currentPathMaxLength);
}
