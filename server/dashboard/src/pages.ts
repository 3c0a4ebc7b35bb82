/** All pages. The sidebar, the command palette, and the router read this list. */
import type { ComponentType } from 'preact';
import type { IconName } from './components/icons.tsx';

export interface PageEntry {
  /** Below `/dashboard`. `:id?` is a part that only a page of one thing has. */
  path: string;
  title: string;
  /** The name of its folder, too. */
  icon: IconName;
  /** Pages without a group aren't in the sidebar. */
  group?: Group;
  /** Who may not use this endpoint doesn't see the page. */
  permission?: string;
  load: () => Promise<{ default: ComponentType }>;
}

export const groups = ['', 'Readers', 'Documentation', 'Operations'] as const;
type Group = (typeof groups)[number];

const files = import.meta.glob<{ default: ComponentType }>('./pages/*/page.tsx');

function page(path: string, title: string, group?: Group, permission?: string): PageEntry {
  const icon = (path.split('/')[1] || 'overview') as IconName;
  const load = files[`./pages/${icon}/page.tsx`];
  if (!load) throw new Error(`pages/${icon} has no page.tsx`);
  return {
    path,
    title,
    icon,
    ...(group !== undefined && { group }),
    ...(permission && { permission }),
    load,
  };
}

export const pages: readonly PageEntry[] = [
  page('/', 'Overview', '', 'GET /v1/overview'),
  page('/conversations/:id?', 'Conversations', 'Readers', 'GET /v1/analytics/{domain}/assistant'),
  page('/feedback/:id?', 'Feedback', 'Readers', 'GET /v1/analytics/{domain}/feedback'),
  page('/gaps/:id?', 'Gaps', 'Readers', 'GET /v1/analytics/{domain}/unanswered'),
  page('/playground', 'Playground', 'Readers', 'GET /v1/sites'),
  page('/sites/:id?', 'Sites', 'Documentation', 'GET /v1/sites'),
  page('/install', 'Install', 'Documentation', 'GET /v1/sites'),
  page('/jobs', 'Jobs', 'Documentation', 'GET /v1/jobs'),
  page('/automations/:id?', 'Automations', 'Documentation', 'GET /v1/automations'),
  page('/projects/:project?/:kind?/:id?', 'Projects', 'Documentation', 'GET /v1/projects'),
  page('/usage', 'Usage', 'Operations', 'GET /v1/usage'),
  page('/keys', 'API keys', 'Operations', 'GET /v1/keys'),
  page('/webhooks', 'Webhooks', 'Operations', 'GET /v1/webhooks'),
  page('/people', 'People', 'Operations', 'GET /v1/people'),
  page('/audit', 'Audit log', 'Operations', 'GET /v1/audit'),
  page('/settings', 'Settings', 'Operations', 'GET /v1/settings'),
  page('/health', 'Health', 'Operations', 'GET /v1/health'),
  page('/profile', 'Your profile'),
];

/** The path of a page without the parts that only some of its views have. */
export const pathOf = ({ path }: PageEntry): string => path.replace(/\/:.*$/, '') || '/';
