/** All pages. The sidebar, the command palette, and the router read this list. */
import type { ComponentType } from 'preact';
import type { IconName } from './components/icons.tsx';

export interface PageEntry {
  /** Below `/dashboard`. `:id?` is a part that only a page of one thing has. */
  path: string;
  title: string;
  icon: IconName;
  /** Pages without a group aren't in the sidebar. */
  group?: (typeof groups)[number];
  /** Who may not use this endpoint doesn't see the page: `GET /v1/audit`. */
  permission?: string;
  load: () => Promise<{ default: ComponentType }>;
}

export const groups = ['', 'Readers', 'Documentation', 'Operations'] as const;

export const pages: readonly PageEntry[] = [
  {
    path: '/',
    title: 'Overview',
    icon: 'overview',
    group: '',
    permission: 'GET /v1/overview',
    load: () => import('./pages/overview/page.tsx'),
  },
  {
    path: '/conversations/:id?',
    title: 'Conversations',
    icon: 'conversations',
    group: 'Readers',
    permission: 'GET /v1/analytics/{domain}/assistant',
    load: () => import('./pages/conversations/page.tsx'),
  },
  {
    path: '/feedback/:id?',
    title: 'Feedback',
    icon: 'feedback',
    group: 'Readers',
    permission: 'GET /v1/analytics/{domain}/feedback',
    load: () => import('./pages/feedback/page.tsx'),
  },
  {
    path: '/gaps/:id?',
    title: 'Gaps',
    icon: 'gaps',
    group: 'Readers',
    permission: 'GET /v1/analytics/{domain}/unanswered',
    load: () => import('./pages/gaps/page.tsx'),
  },
  {
    path: '/playground',
    title: 'Playground',
    icon: 'playground',
    group: 'Readers',
    permission: 'GET /v1/sites',
    load: () => import('./pages/playground/page.tsx'),
  },
  {
    path: '/sites/:id?',
    title: 'Sites',
    icon: 'sites',
    group: 'Documentation',
    permission: 'GET /v1/sites',
    load: () => import('./pages/sites/page.tsx'),
  },
  {
    path: '/install',
    title: 'Install',
    icon: 'install',
    group: 'Documentation',
    permission: 'GET /v1/sites',
    load: () => import('./pages/install/page.tsx'),
  },
  {
    path: '/jobs/:id?',
    title: 'Jobs',
    icon: 'jobs',
    group: 'Documentation',
    permission: 'GET /v1/jobs',
    load: () => import('./pages/jobs/page.tsx'),
  },
  {
    path: '/usage',
    title: 'Usage',
    icon: 'usage',
    group: 'Operations',
    permission: 'GET /v1/usage',
    load: () => import('./pages/usage/page.tsx'),
  },
  {
    path: '/keys',
    title: 'API keys',
    icon: 'keys',
    group: 'Operations',
    permission: 'GET /v1/keys',
    load: () => import('./pages/keys/page.tsx'),
  },
  {
    path: '/webhooks',
    title: 'Webhooks',
    icon: 'webhooks',
    group: 'Operations',
    permission: 'GET /v1/webhooks',
    load: () => import('./pages/webhooks/page.tsx'),
  },
  {
    path: '/people',
    title: 'People',
    icon: 'people',
    group: 'Operations',
    permission: 'GET /v1/people',
    load: () => import('./pages/people/page.tsx'),
  },
  {
    path: '/audit',
    title: 'Audit log',
    icon: 'audit',
    group: 'Operations',
    permission: 'GET /v1/audit',
    load: () => import('./pages/audit/page.tsx'),
  },
  {
    path: '/settings',
    title: 'Settings',
    icon: 'settings',
    group: 'Operations',
    permission: 'GET /v1/settings',
    load: () => import('./pages/settings/page.tsx'),
  },
  {
    path: '/health',
    title: 'Health',
    icon: 'health',
    group: 'Operations',
    permission: 'GET /v1/health',
    load: () => import('./pages/health/page.tsx'),
  },
  {
    path: '/profile',
    title: 'Your profile',
    icon: 'profile',
    load: () => import('./pages/profile/page.tsx'),
  },
];

/** The path of a page without the parts that only some of its views have. */
export const pathOf = ({ path }: PageEntry): string => path.replace(/\/:.*$/, '') || '/';
