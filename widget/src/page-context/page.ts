/**
 * The page the reader is on. Read when it is needed: then pushState, replaceState and back are
 * followed without a hook in the host's history that somebody would have to take out again.
 */
import { promises } from '@docent/shared/promises';

/** `/guide/install` of `#/guide/install?id=tag`, with routers that keep the page there; else nothing. */
export const routeOf = (hash: string): string | undefined => /^#!?(\/[^?#]*)/.exec(hash)?.[1];

/** `/docs/#/guide/install` where there is such a router; the service knows which part names the page. */
export function pathOf({ pathname, hash }: Pick<URL, 'pathname' | 'hash'>): string {
  const route = routeOf(hash);
  return route === undefined ? pathname : `${pathname}#${route}`;
}

/** A document without an address of its own, as of `srcdoc`, is part of the page around it. */
export const currentPath = (): string =>
  pathOf(location.protocol === 'about:' ? new URL(document.baseURI) : location).slice(
    0,
    promises.currentPathMaxLength,
  );
