/** The reader's current page. Read on demand, so there is no hook in the page's history. */
import { promises } from '@docent/shared/promises';

/** `/guide/install` of `#/guide/install?id=tag`, for routers that keep the page in the hash. */
export const routeOf = (hash: string): string | undefined => /^#!?(\/[^?#]*)/.exec(hash)?.[1];

/** `/docs/#/guide/install` with such a router. The service knows which part names the page. */
export function pathOf({ pathname, hash }: Pick<URL, 'pathname' | 'hash'>): string {
  const route = routeOf(hash);
  return route === undefined ? pathname : `${pathname}#${route}`;
}

/** A letter of many scripts has nine characters when it's encoded, so a long path would be cut early. */
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** A document without an address, such as `srcdoc`, belongs to the page around it. */
export const currentPath = (): string =>
  decoded(pathOf(location.protocol === 'about:' ? new URL(document.baseURI) : location)).slice(
    0,
    promises.currentPathMaxLength,
  );
