import { shareParameter } from '@docent/shared/share-header';

/** Where the service is. A proxy may serve it below a path, which the address of this file tells. */
const [, found] = /^(.*)\/dashboard\/assets\/[^/]*$/.exec(import.meta.url) ?? [];
const service = found ?? location.origin;

export const base = `${new URL(service).pathname.replace(/\/$/, '')}/dashboard`;

/** The address of a page of the dashboard: `to('/keys')`. */
export const to = (path: string): string => `${base}${path === '/' ? '' : path}` || '/';

/** The address of anything else that the service has: `serviceUrl('/v1/session')`. */
export const serviceUrl = (path: string): string => `${service}${path}`;

const part = encodeURIComponent;

/** Pages below `/dashboard`. */
export const projectPath = (id: string) => `/projects/${part(id)}`;
export const jobPath = (project: string, id: string) => `${projectPath(project)}/jobs/${part(id)}`;
export const pullPath = (project: string, number: number | string) =>
  `${projectPath(project)}/pulls/${part(String(number))}`;

const isBelow = (folder: string) =>
  location.pathname.startsWith(`${base.replace(/dashboard$/, '')}${folder}/`);

/** A page of `docent start`. */
export const isPreview = isBelow('preview');

/** The token of a shared link, whose address is outside of the dashboard. */
export const shareToken = isBelow('projects')
  ? (new URLSearchParams(location.search).get(shareParameter) ?? '')
  : undefined;
