/** What the pages about readers share: the site, the period, outcomes, and answers. */
import './readers.css';
import type { Conversation } from '@docent/shared/analytics';
import type { ComponentChildren } from 'preact';
import { jobPath, to } from '../base.ts';
import { Badge, type Tone } from './badge.tsx';
import { Select, type Option } from './filters.tsx';
import { sites } from './site.tsx';

/** The path of an endpoint of a site: `/v1/gaps/docs.example`. */
export const ofSite = (before: string, domain: string, after = '') =>
  `${before}/${encodeURIComponent(domain)}${after}`;

/** A page that keeps the site: `/feedback/ID?site=docs.example`. */
export const withSite = (path: string, domain: string, more: Record<string, string> = {}) =>
  `${path}?${new URLSearchParams({ site: domain, ...more })}`;

interface JobLinkProps {
  domain: string;
  id: string;
  children: ComponentChildren;
}

/** The page of a job of the site's project. */
export function JobLink({ domain, id, children }: JobLinkProps) {
  const project = sites.value?.find((site) => site.domain === domain)?.project ?? '';
  return <a href={to(jobPath(project, id))}>{children}</a>;
}

const ranges: Option[] = [
  { value: '1', label: 'Last 24 hours' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
  { value: 'all', label: 'All time' },
];

export const RangeSelect = (props: { value: string; onChange: (value: string) => void }) => (
  <Select label="Period" options={ranges} {...props} />
);

const hourMs = 3_600_000;

/** The start of a period. It stays the same for an hour, so that a list isn't loaded anew while it's read. */
export function startOf(range: string): string {
  if (!/^\d{1,3}$/.test(range)) return '2000-01-01';
  const hours = Math.floor(Date.now() / hourMs) - 24 * Number(range);
  return new Date(hours * hourMs).toISOString();
}

const outcomes: Record<string, [tone: Tone, label: string]> = {
  answered: ['good', 'Answered'],
  unanswered: ['warn', 'Unanswered'],
  refused: ['info', 'Refused'],
  stopped: ['info', 'Stopped'],
  failed: ['bad', 'Failed'],
  interrupted: ['bad', 'Interrupted'],
};

export const outcomeOptions: Option[] = [
  { value: '', label: 'All outcomes' },
  ...Object.entries(outcomes).map(([value, [, label]]) => ({ value, label })),
];

/** Whether a filter is about what the answer says, or about how it ended. */
export const outcomeQuery = (outcome: string) =>
  ['answered', 'unanswered', 'refused'].includes(outcome)
    ? { resolutionStatus: outcome }
    : { status: outcome };

type Ended = Pick<Conversation, 'resolutionStatus' | 'status'> &
  Partial<Pick<Conversation, 'choices'>>;

export function Outcome({ of }: { of: Ended }) {
  if (of.choices) return <Badge tone="info">Asked back</Badge>;
  const [tone, label] = outcomes[of.resolutionStatus ?? of.status] ?? [
    'neutral',
    reasonWords(of.status),
  ];
  return <Badge tone={tone}>{label}</Badge>;
}

export const Rating = ({ isUp }: { isUp: boolean }) => (
  <Badge tone={isUp ? 'good' : 'bad'}>{isUp ? 'Helpful' : 'Not helpful'}</Badge>
);

/** `wrong_source` in words. */
export const reasonWords = (reason: string) =>
  reason.slice(0, 1).toUpperCase() + reason.slice(1).replaceAll('_', ' ');

export const ratingOptions: Option[] = [
  { value: '', label: 'All ratings' },
  { value: 'up', label: 'Helpful' },
  { value: 'down', label: 'Not helpful' },
];

/** Where people can go, if it's an address of the web. Readers choose what stands there. */
export function PageLink({ url, children }: { url: string; children?: ComponentChildren }) {
  const label = children ?? url;
  return /^https?:\/\//.test(url) ? (
    <a href={url} target="_blank" rel="noreferrer noopener">
      {label}
    </a>
  ) : (
    <span class="path">{label}</span>
  );
}
