/** Addresses of the pages of projects, jobs, and pull requests. They contain no permission. */
export type PageOf =
  | { kind: 'project'; project: string }
  | { kind: 'job'; project: string; job: string }
  | { kind: 'pull'; project: string; number: number };

/** The whole address of a page, or its path for links between pages. */
export type LinkTo = (page: PageOf) => string;

/** Where the page is below the address of the service. */
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
