/** What the host of a repository told Docent, and why something came of it, or nothing. */
import type { HostEvent, HostEventsReply } from '@docent/shared/host-events';
import { useGet } from '../../api/load.ts';
import { jobPath } from '../../base.ts';
import { Badge, type Tone } from '../../components/badge.tsx';
import { Snippet } from '../../components/copy.tsx';
import { Empty, Load } from '../../components/empty.tsx';
import { Section } from '../../components/page.tsx';
import { type Column, Table, Two } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';

const states: Record<HostEvent['status'], [tone: Tone, label: string]> = {
  waiting: ['info', 'Waiting'],
  working: ['info', 'Working'],
  done: ['good', 'Done'],
  ignored: ['neutral', 'Nothing to do'],
  failed: ['bad', 'Failed'],
};

const columns: Column<HostEvent>[] = [
  {
    title: 'Event',
    cell: ({ name, pull }) => <Two first={name}>{pull === null ? '' : `#${pull}`}</Two>,
  },
  {
    title: 'State',
    cell: ({ status, reason }) => {
      const [tone, label] = states[status];
      return <Two first={<Badge tone={tone}>{label}</Badge>}>{reason ?? ''}</Two>;
    },
  },
  { title: 'Received', cell: ({ createdAt }) => <Time at={createdAt} /> },
];

const path = (of: 'projects' | 'connections', id: string) =>
  `/v1/${of}/${encodeURIComponent(id)}/host-events`;

export const Events = ({ reply, project }: { reply: HostEventsReply; project?: string }) => (
  <Table
    label="Events"
    columns={columns}
    rows={reply.events}
    keyOf={({ id }) => id}
    hrefOf={({ job }) => (job === null || !project ? undefined : jobPath(project, job))}
    empty={<Empty icon="webhooks" title="The host hasn’t sent anything yet" />}
  />
);

/** Of repositories without a project. */
export const ConnectionEvents = ({ id }: { id: string }) => (
  <Load from={useGet<HostEventsReply>(path('connections', id))}>
    {(reply) => <Events reply={reply} />}
  </Load>
);

export function HostEvents({ project }: { project: string }) {
  const data = useGet<HostEventsReply>(path('projects', project)).data.value;
  if (!data || data.address === null) return null;
  return (
    <Section
      title="Conversation"
      description="Mentions in pull requests, failed checks, and pushes that the repository’s host reported. Set this address in its webhook:"
    >
      <Snippet text={data.address} label="Copy the address" />
      <Events reply={data} project={project} />
    </Section>
  );
}
