/**
 * Addresses of projects, jobs, and pull requests for people. They contain no permission: a session opens them
 * in the dashboard, and a shared link outside of it.
 */
export type PageOf =
  | { kind: 'project'; project: string }
  | { kind: 'job'; project: string; job: string }
  | { kind: 'pull'; project: string; number: number };

/** The whole address of a page. */
export type LinkTo = (page: PageOf) => string;

/** Where a shared link is, below the address of the service; and the page, below that of the dashboard. */
export function pagePath(page: PageOf): string {
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
