/** Webhooks: where Docent sends events, what was sent, and what came back. */
import type { WebhookDelivery, WebhookEndpoint, WebhooksResponse } from '@docent/shared/webhooks';
import { useEffect, useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { useGet, useList } from '../../api/load.ts';
import { Badge, type Tone } from '../../components/badge.tsx';
import { IconButton } from '../../components/button.tsx';
import { Raw, Snippet } from '../../components/copy.tsx';
import { Empty, Load, NoMatch } from '../../components/empty.tsx';
import { Filters, type Option, Select, useFilters } from '../../components/filters.tsx';
import { formatNumber } from '../../components/number.tsx';
import { Page, Section } from '../../components/page.tsx';
import { type Column, Table, Two } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { can } from '../../session.ts';

const configuration = `projects: [
  {
    // …
    webhooks: [
      { url: 'https://ops.example.com/hooks/docs', secretEnv: 'DOCS_WEBHOOK_SECRET' },
    ],
  },
],
budgets: {
  alerts: { webhook: 'https://ops.example.com/hooks/budgets', secretEnv: 'DOCS_WEBHOOK_SECRET' },
},`;

export default function WebhooksPage() {
  const all = useGet<WebhooksResponse>('/v1/webhooks', { limit: 1 });
  return (
    <Page title="Webhooks" description="Docent tells these addresses about jobs and budgets.">
      <Load from={all} lines={8}>
        {({ endpoints, deliveries }) =>
          endpoints.length === 0 && deliveries.length === 0 ? (
            <>
              <Empty icon="webhooks" title="No webhooks yet">
                Docent can tell your systems about jobs and budgets. Add an address to the
                configuration file, put the signing secret into the environment variable, and
                restart Docent.
              </Empty>
              <Snippet text={configuration} label="Copy configuration" />
            </>
          ) : (
            <>
              <Section
                title="Endpoints"
                description="They come from the configuration file. Paths aren’t shown, because they can contain a secret."
              >
                <Table
                  label="Endpoints"
                  columns={endpointColumns}
                  rows={endpoints}
                  keyOf={({ id, project }) => `${project} ${id}`}
                  empty={<Empty title="The configuration file no longer has a webhook" />}
                />
              </Section>
              <Deliveries endpoints={endpoints} onTried={all.reload} />
            </>
          )
        }
      </Load>
    </Page>
  );
}

const ownerOf = (project: string | null) => project ?? 'Budget alerts';

const endpointColumns: Column<WebhookEndpoint>[] = [
  {
    title: 'Endpoint',
    cell: ({ origin, project }) => <Two first={origin}>{ownerOf(project)}</Two>,
  },
  {
    title: 'State',
    cell: ({ failingSince, failures, lastSuccessAt }) => {
      if (failingSince === null) {
        return lastSuccessAt === null ? <Badge>Not used yet</Badge> : <Badge tone="good">OK</Badge>;
      }
      return (
        <Two first={<Badge tone="warn">Failing</Badge>}>
          {formatNumber(failures)} attempts failed since <Time at={failingSince} />
        </Two>
      );
    },
  },
  { title: 'Events', cell: ({ events }) => <span class="quiet">{events.join(', ')}</span> },
  {
    title: 'Last success',
    cell: ({ lastSuccessAt }) => (lastSuccessAt === null ? '—' : <Time at={lastSuccessAt} />),
  },
];

const states: Record<WebhookDelivery['status'], [tone: Tone, label: string]> = {
  pending: ['info', 'Pending'],
  delivered: ['good', 'Delivered'],
  failed: ['bad', 'Failed'],
};
const statuses = Object.entries(states).map(([value, [, label]]) => ({ value, label }));
/** Also the one in the address, which the configuration may no longer have. */
const optionsOf = (known: string[], value: string): Option[] =>
  [...new Set([...known, value])].filter(Boolean).map((each) => ({ value: each, label: each }));
const none = { project: '', status: '', type: '' };
const pollMs = 1500;
const replay = 'POST /v2/agent/{projectId}/webhooks/{deliveryId}/replay';

interface DeliveriesProps {
  endpoints: readonly WebhookEndpoint[];
  onTried: () => Promise<void>;
}

function Deliveries({ endpoints, onTried }: DeliveriesProps) {
  const { values, set } = useFilters(none);
  const projects = endpoints.flatMap(({ project }) => project ?? []);
  const events = endpoints.flatMap(({ events }) => events);
  const list = useList<WebhookDelivery>('/v1/webhooks', 'deliveries', { ...values });
  /** The one that was resent, as it was before. */
  const [resent, setResent] = useState<WebhookDelivery>();
  const current = list.rows.value?.find(({ id }) => id === resent?.id);
  useEffect(() => {
    if (resent === undefined || current === undefined) return undefined;
    if (current.lastAttemptAt !== resent.lastAttemptAt) return void onTried();
    const timer = setTimeout(() => void list.reload(), pollMs);
    return () => clearTimeout(timer);
  }, [resent, current]);

  const resend = async (delivery: WebhookDelivery) => {
    const project = encodeURIComponent(delivery.project ?? '');
    await send('POST', `/v2/agent/${project}/webhooks/${delivery.id}/replay`);
    toast('Resent with the same ID');
    setResent(delivery);
    await list.reload();
  };
  const select = (name: keyof typeof none, label: string, all: string, known: Option[]) => (
    <Select
      label={label}
      value={values[name]}
      options={[{ value: '', label: all }, ...known]}
      onChange={(value) => set({ [name]: value })}
    />
  );
  return (
    <Section
      title="Deliveries"
      description="Kept for 30 days. A receiver recognizes a repetition by its ID."
    >
      <Filters>
        {select('project', 'Project', 'All projects', optionsOf(projects, values.project))}
        {select('status', 'Status', 'Any status', statuses)}
        {select('type', 'Event', 'All events', optionsOf(events, values.type))}
      </Filters>
      <Table
        label="Deliveries"
        list={list}
        columns={columns(endpoints, resend)}
        keyOf={({ id }) => id}
        empty={
          Object.values(values).some((value) => value !== '') ? (
            <NoMatch onClear={() => set(none)} />
          ) : (
            <Empty icon="webhooks" title="Nothing was sent yet">
              The next event of a job or a budget is listed here.
            </Empty>
          )
        }
      />
    </Section>
  );
}

const columns = (
  endpoints: readonly WebhookEndpoint[],
  resend: (delivery: WebhookDelivery) => Promise<void>,
): Column<WebhookDelivery>[] => [
  {
    title: 'Event',
    cell: ({ type, project, endpoint, body }) => (
      <Two first={type}>
        <span class="row">
          {`${ownerOf(project)} → ${endpoints.find(({ id }) => id === endpoint)?.origin ?? 'removed'}`}
          <Raw title="JSON" text={pretty(body)} />
        </span>
      </Two>
    ),
  },
  {
    title: 'Status',
    cell: ({ status, dueAt }) => (
      <Two first={<Badge tone={states[status][0]}>{states[status][1]}</Badge>}>
        {status === 'pending' && dueAt !== null && (
          <>
            Next attempt <Time at={dueAt} />
          </>
        )}
      </Two>
    ),
  },
  {
    title: 'Response',
    cell: ({ lastStatus, lastFault, lastResponse }) => (
      <Two first={lastFault ?? lastStatus ?? '—'}>
        {lastResponse !== null && <Raw title="Body" text={lastResponse} />}
      </Two>
    ),
  },
  { title: 'Attempts', isNumber: true, cell: ({ attempts }) => formatNumber(attempts) },
  { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    title: 'Actions',
    isActions: true,
    // Alerts are tried again by themselves, and belong to no project.
    cell: (delivery) =>
      delivery.project !== null &&
      can(replay) && <IconButton icon="reload" label="Resend" onClick={() => resend(delivery)} />,
  },
];

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2);
  } catch {
    return json;
  }
}
