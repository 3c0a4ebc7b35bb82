/**
 * Addresses of the pages that people open: a project's, a job's, a pull request's. There are no
 * accounts; the address itself is the permission, for this one page and what can be done there. So it
 * goes only to who holds an admin key already, and nowhere public.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Database } from '../store/database.ts';
import { createSecret, replaceSecret } from '../store/secrets.ts';

export type PageOf =
  | { kind: 'project'; project: string }
  | { kind: 'job'; project: string; job: string }
  | { kind: 'pull'; project: string; number: number };

/** Of the query: requests are logged without it. */
export const pageKeyName = 'k';

const secretName = 'pages';
/** Within this time every process knows that addresses were withdrawn. */
const secretKeptMs = 1_000;

/** Every address that was given out so far opens nothing any more; who needs a page gets a new one. */
export const withdrawPageLinks = (database: Database): Promise<void> =>
  replaceSecret(database, secretName);

export type PageLinks = ReturnType<typeof createPageLinks>;

export function createPageLinks(deps: {
  database: Database;
  /** Where browsers reach the service; known once it listens. */
  baseUrl: () => string;
}) {
  const { database, baseUrl } = deps;
  const secret = createSecret(database, secretName, secretKeptMs);

  async function keyOf(page: PageOf): Promise<string> {
    // The path names kind, project and number, each behind a slash that none of them holds.
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
      return (name) => `${pagePath(page)}/${name}?${pageKeyName}=${key}`;
    },

    /** The address without the permission, for places that others can read: it asks for an admin key. */
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
