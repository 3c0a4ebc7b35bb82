/** How the host of a project's repository is doing, and what its open pull requests wait for. */
import type { HostHealthReply } from '@docent/shared/connections';
import type { ProjectsReply } from '@docent/shared/jobs-list';
import { to } from '../../base.ts';
import { can } from '../../session.ts';
import { useGet } from '../../api/load.ts';
import { Badge, type Tone } from '../../components/badge.tsx';
import { Empty } from '../../components/empty.tsx';
import { Facts } from '../../components/facts.tsx';
import { formatNumber } from '../../components/number.tsx';
import { Section } from '../../components/page.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { type Column, Table, Two } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';

type Pull = HostHealthReply['pulls'][number];

const names: Record<HostHealthReply['forge'], string> = {
  github: 'GitHub',
  gitea: 'Gitea or Forgejo',
  gitlab: 'GitLab',
  local: 'This machine',
  none: 'None',
};

const checks: Record<Pull['checks'], [tone: Tone, label: string]> = {
  passing: ['good', 'Passing'],
  failing: ['bad', 'Failing'],
  running: ['info', 'Running'],
  none: ['neutral', 'No checks'],
  unknown: ['neutral', 'Not visible'],
};
const reviews: Record<Pull['review'], [tone: Tone, label: string]> = {
  approved: ['good', 'Approved'],
  changes_requested: ['warn', 'Changes requested'],
  none: ['neutral', 'Waits for review'],
  unknown: ['neutral', 'Not visible'],
};

const columns: Column<Pull>[] = [
  {
    title: 'Pull request',
    cell: ({ title, number, url }) => (
      <Two
        first={
          <a href={url} target="_blank" rel="noreferrer">
            {title}
          </a>
        }
      >
        #{number}
      </Two>
    ),
  },
  { title: 'Checks', cell: (pull) => <State of={checks[pull.checks]} /> },
  { title: 'Review', cell: (pull) => <State of={reviews[pull.review]} /> },
];

const addressOf = ({ id, url }: NonNullable<HostHealthReply['connection']>, repository: string) =>
  `?${new URLSearchParams({ connection: id, repository: repository.slice(url.length + 1) })}`;

const State = ({ of: [tone, label] }: { of: [tone: Tone, label: string] }) => (
  <Badge tone={tone}>{label}</Badge>
);

interface HostProps {
  project: ProjectsReply['projects'][number];
}

export function Host({ project }: HostProps) {
  const { id, site, repository } = project;
  const path = `/v1/projects/${encodeURIComponent(id)}/host`;
  const { data, isLoading } = useGet<HostHealthReply>(path);
  const host = data.value;
  if (host?.forge === 'none' || (!host && !isLoading.value)) return null;
  if (!host) {
    return (
      <Section title="Host">
        <Skeleton lines={4} />
      </Section>
    );
  }
  const { connection, lastEvent, rateLimit, pulls } = host;
  const problem = host.checks.find(({ passed }) => !passed);
  return (
    <>
      <Section title="Host">
        <Facts
          facts={[
            ['Host', names[host.forge]],
            ['From', connection ? 'Added in the dashboard' : 'Configuration file'],
            [
              'Site',
              site ??
                (connection && can('POST /v1/sites') && (
                  <a href={to(`/sites${addressOf(connection, repository)}`)}>
                    Add a site from this repository
                  </a>
                )),
            ],
            ['Account', connection && `${connection.account} at ${new URL(connection.url).host}`],
            [
              'Access',
              problem ? (
                <Two first={<Badge tone="bad">{problem.says}</Badge>}>{problem.remedy}</Two>
              ) : (
                <Two first={<Badge tone="good">OK</Badge>}>{host.checks.at(-1)?.says}</Two>
              ),
            ],
            [
              'Last webhook',
              lastEvent ? (
                <Two first={lastEvent.name}>
                  <Time at={lastEvent.at} />
                </Two>
              ) : (
                'None yet'
              ),
            ],
            [
              'Requests left',
              rateLimit && (
                <Two first={`${formatNumber(rateLimit.left)} of ${formatNumber(rateLimit.limit)}`}>
                  Again <Time at={rateLimit.resetsAt} />
                </Two>
              ),
            ],
          ]}
        />
      </Section>
      {host.forge !== 'local' && (
        <Section title="Open pull requests">
          <Table
            label="Open pull requests"
            columns={columns}
            rows={pulls}
            keyOf={({ number }) => String(number)}
            empty={<Empty icon="jobs" title="No open pull requests" />}
          />
        </Section>
      )}
    </>
  );
}
