/** Where the service is. A proxy may serve it below a path, which the address of this file tells. */
const [, found] = /^(.*)\/dashboard\/assets\/[^/]*$/.exec(import.meta.url) ?? [];
const service = found ?? location.origin;

export const base = `${new URL(service).pathname.replace(/\/$/, '')}/dashboard`;

/** The address of a page of the dashboard: `to('/keys')`. */
export const to = (path: string): string => `${base}${path === '/' ? '' : path}` || '/';

/** The address of anything else that the service has: `serviceUrl('/v1/session')`. */
export const serviceUrl = (path: string): string => `${service}${path}`;

/** The page of a project, which the server draws. */
export const projectUrl = (id: string) => serviceUrl(`/projects/${encodeURIComponent(id)}`);

export const jobUrl = (project: string, id: string) =>
  `${projectUrl(project)}/jobs/${encodeURIComponent(id)}`;
