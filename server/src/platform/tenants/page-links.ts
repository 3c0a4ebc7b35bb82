/**
 * Addresses of the pages of projects, jobs, and pull requests: plain ones, and ones with the permission for
 * their page and for everything on it. The latter go to whoever entered an admin key on the page, to the
 * links between pages that they opened, and into no response, row, or log.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Database } from '../store/database.ts';
import { createSecret, replaceSecret } from '../store/secrets.ts';

export type PageOf =
  | { kind: 'project'; project: string }
  | { kind: 'job'; project: string; job: string }
  | { kind: 'pull'; project: string; number: number };

/** In the query, because the log has requests without it. */
export const pageKeyName = 'k';

const secretName = 'pages';
/** After this time, every process knows that addresses were withdrawn. */
const secretKeptMs = 1_000;

/** Invalidates all addresses so far. */
export const withdrawPageLinks = (database: Database): Promise<void> =>
  replaceSecret(database, secretName);

/** How a page addresses itself and others. */
export interface AddressesOfPages {
  link(page: PageOf): Promise<string>;
  /** Gives the addresses of the page's forms. */
  actions(page: PageOf): Promise<(name: string) => string>;
}

export type PageLinks = ReturnType<typeof createPageLinks>;

export function createPageLinks(deps: {
  database: Database;
  /** The address of the service for browsers, known once it listens. */
  baseUrl: () => string;
  /** The path of this address (`basePathOf`). */
  basePath: string;
}) {
  const { database, baseUrl, basePath } = deps;
  const secret = createSecret(database, secretName, secretKeptMs);

  async function keyOf(page: PageOf): Promise<string> {
    // In the path, a slash separates kind, project, and number, and none of them contains one.
    return createHmac('sha256', await secret())
      .update(pagePath(page))
      .digest('base64url');
  }

  return {
    /** The address that opens the page. */
    async link(page: PageOf): Promise<string> {
      return `${baseUrl()}${pagePath(page)}?${pageKeyName}=${await keyOf(page)}`;
    },

    /** Gives the addresses of the page's forms. */
    async actions(page: PageOf): Promise<(name: string) => string> {
      const key = await keyOf(page);
      return (name) => `${basePath}${pagePath(page)}/${name}?${pageKeyName}=${key}`;
    },

    /** For people who are signed in: addresses without a permission, which their session opens. */
    forSession: (): AddressesOfPages => ({
      link: (page) => Promise.resolve(basePath + pagePath(page)),
      actions: (page) => Promise.resolve((name) => `${basePath}${pagePath(page)}/${name}`),
    }),

    /** The address without the permission, for places that others can read. It asks for an admin key. */
    plain: (page: PageOf): string => `${baseUrl()}${pagePath(page)}`,

    async isValid(page: PageOf, key: unknown): Promise<boolean> {
      if (typeof key !== 'string') return false;
      const [given, right] = [Buffer.from(key), Buffer.from(await keyOf(page))];
      return given.length === right.length && timingSafeEqual(given, right);
    },
  };
}

function pagePath(page: PageOf): string {
  const project = `/projects/${encodeURIComponent(page.project)}`;
  switch (page.kind) {
    case 'project':
      return project;
    case 'job':
      return `${project}/jobs/${encodeURIComponent(page.job)}`;
    case 'pull':
      return `${project}/pulls/${page.number}`;
  }
}

/** The address of a page that tells what an action did. */
export const withNotice = (link: string, notice: string): string =>
  `${link}${link.includes('?') ? '&' : '?'}said=${notice}`;
