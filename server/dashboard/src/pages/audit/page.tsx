/** The audit log: who did what, when, and from where. */
import type { AuditEntry } from '@docent/shared/audit';
import type { Member } from '@docent/shared/members';
import type { ComponentChildren } from 'preact';
import { get, toSearch } from '../../api/client.ts';
import { useList, useLoad } from '../../api/load.ts';
import { serviceUrl } from '../../base.ts';
import { Raw } from '../../components/copy.tsx';
import { Empty, NoMatch } from '../../components/empty.tsx';
import { Filters, Select, useFilters } from '../../components/filters.tsx';
import { Icon } from '../../components/icons.tsx';
import { Page } from '../../components/page.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { can } from '../../session.ts';
import { sentenceOf, topics } from './sentences.ts';

const none = { actor: '', type: '', from: '', to: '', project: '', job: '' };

export default function AuditPage() {
  const { values, set } = useFilters(none);
  const query = {
    ...values,
    from: startOfDay(values.from, 0),
    // The last day is included.
    to: startOfDay(values.to, 1),
  };
  const list = useList<AuditEntry>('/v1/audit', 'entries', query);
  const people = useLoad('/v1/people', async (signal) =>
    can('GET /v1/people') ? get<{ people: Member[] }>('/v1/people', {}, signal) : { people: [] },
  );
  const actors = [
    { value: '', label: 'Everyone' },
    { value: 'person', label: 'All people' },
    ...(people.data.value?.people ?? []).map(({ id, name }) => ({ value: id, label: name })),
    { value: 'key', label: 'API keys' },
    { value: 'command-line', label: 'Command line' },
    { value: 'reader', label: 'Readers' },
    { value: 'automation', label: 'Automations' },
    { value: 'host', label: 'People at the host of a repository' },
    { value: 'system', label: 'Docent itself' },
  ];
  const types = topics.some(({ value }) => value === values.type)
    ? topics
    : [...topics, { value: values.type, label: values.type }];
  const isFiltered = Object.values(values).some((value) => value !== '');
  const file = (format: string) => serviceUrl(`/v1/audit${toSearch({ ...query, format })}`);

  return (
    <Page
      title="Audit log"
      description="Who did what, when, and from where. Entries can’t be changed or deleted."
      actions={
        <>
          <a class="button" href={file('jsonl')} download>
            <Icon name="download" />
            JSON lines
          </a>
          <a class="button" href={file('csv')} download>
            <Icon name="download" />
            CSV
          </a>
        </>
      }
    >
      <Filters>
        <Select
          label="Who"
          value={values.actor}
          options={
            actors.some(({ value }) => value === values.actor)
              ? actors
              : [...actors, { value: values.actor, label: 'One key or person' }]
          }
          onChange={(actor) => set({ actor })}
        />
        <Select
          label="What"
          value={values.type}
          options={types}
          onChange={(type) => set({ type })}
        />
        <Day label="From" value={values.from} onChange={(from) => set({ from })} />
        <Day label="To" value={values.to} onChange={(to) => set({ to })} />
        {(['project', 'job'] as const).map(
          (name) =>
            values[name] !== '' && (
              <button key={name} type="button" class="button" onClick={() => set({ [name]: '' })}>
                {name === 'job' ? 'One job' : values[name]}
                <Icon name="close" />
                <span class="unseen">Remove this filter</span>
              </button>
            ),
        )}
      </Filters>
      <Table
        label="Audit log"
        list={list}
        columns={columns(set)}
        keyOf={({ seq }) => String(seq)}
        empty={
          isFiltered ? (
            <NoMatch onClear={() => set(none)} />
          ) : (
            <Empty icon="audit" title="Nothing has happened yet">
              Keys, people, jobs, and webhooks write an entry whenever somebody changes something.
            </Empty>
          )
        }
      />
    </Page>
  );
}

type Set = ReturnType<typeof useFilters<keyof typeof none>>['set'];

const columns = (set: Set): readonly Column<AuditEntry>[] => [
  {
    title: 'What',
    cell: (entry) => (
      <span class="two-lines">
        <span>{sentenceOf(entry)}</span>
        <span class="row quiet">
          {entry.project !== null && (
            <Narrow to={() => set({ project: entry.project ?? '' })}>{entry.project}</Narrow>
          )}
          {entry.job !== null && <Narrow to={() => set({ job: entry.job ?? '' })}>This job</Narrow>}
          <Raw title="Data" text={JSON.stringify(entry, undefined, 2)} />
        </span>
      </span>
    ),
  },
  {
    title: 'Who',
    cell: ({ actor }) => (
      <Narrow to={() => set({ actor: actor.id ?? actor.kind })}>
        {nameOf(actor)}
        {actor.kind === 'key' && <span class="quiet"> (key)</span>}
      </Narrow>
    ),
  },
  {
    title: 'Address',
    cell: ({ data }) => {
      const { address } = data as { address?: unknown };
      return typeof address === 'string' ? address : '—';
    },
  },
  { title: 'When', cell: ({ time }) => <Time at={time} /> },
];

/** A part of an entry that shows only the entries with the same. */
const Narrow = ({ to, children }: { to: () => void; children: ComponentChildren }) => (
  <button type="button" class="plain" title="Show only these" onClick={to}>
    {children}
  </button>
);

const kindNames: Record<string, string> = {
  key: 'A key',
  person: 'A person',
  reader: 'A reader',
  host: 'Somebody at the host',
  automation: 'An automation',
  'command-line': 'Command line',
  system: 'Docent',
};

const nameOf = ({ name, kind }: AuditEntry['actor']) => name ?? kindNames[kind] ?? kind;

const Day = ({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) => (
  <label class="day">
    {label}
    <input type="date" value={value} onChange={(event) => onChange(event.currentTarget.value)} />
  </label>
);

/** The beginning of a day in the reader's zone. */
function startOfDay(day: string, later: number): string | undefined {
  const date = new Date(`${day}T00:00`);
  if (day === '' || Number.isNaN(date.getTime())) return undefined;
  date.setDate(date.getDate() + later);
  return date.toISOString();
}
