import type { FindingsReply, ServiceHealthReply } from '@docent/shared/sites';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { useGet } from '../../api/load.ts';
import { Badge, Notice } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Copy } from '../../components/copy.tsx';
import { Empty, Load } from '../../components/empty.tsx';
import { Facts } from '../../components/facts.tsx';
import { formatBytes, formatNumber } from '../../components/number.tsx';
import { Page, Section } from '../../components/page.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { duration, Time } from '../../components/time.tsx';
import { can } from '../../session.ts';

export default function HealthPage() {
  const health = useGet<ServiceHealthReply>('/v1/health');
  const data = health.data.value;
  return (
    <Page
      title="Health"
      description="The state of this service."
      actions={
        <>
          {data && <Copy value={reportOf(data)} label="Copy report" isButton />}
          <Button onClick={health.reload}>Refresh</Button>
        </>
      }
    >
      <Load from={health} lines={8}>
        {(found) => (
          <>
            <State health={found} />
            <Models health={found} reload={health.reload} />
            <Errors errors={found.recentErrors} />
          </>
        )}
      </Load>
    </Page>
  );
}

function State({ health }: { health: ServiceHealthReply }) {
  const { database, disk, search, queue, processes } = health;
  const answers = database.latencyMs < 1 ? 'less than 1 ms' : duration(database.latencyMs);
  const states: Record<string, string> = { ready: 'Ready', fallback: 'Down, the fallback answers' };
  return (
    <Facts
      facts={[
        ['Version', `Docent ${health.version}, Node.js ${health.node}`],
        [
          'Started',
          <>
            <Time at={health.startedAt} />, {formatBytes(health.memoryBytes)} of memory
          </>,
        ],
        [
          'Event loop',
          `Delayed by ${health.eventLoop.p99Ms} ms (99th percentile), at most ${health.eventLoop.maxMs} ms`,
        ],
        ['Processes', processes.length > 1 ? processes.map(({ name }) => name).join(', ') : null],
        [
          'Database',
          <>
            {database.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'}, answers in {answers}
            {database.bytes !== null && `, ${formatBytes(database.bytes)}`}
          </>,
        ],
        [
          'Disk',
          disk === null ? (
            'The data is in memory'
          ) : (
            <>
              {formatBytes(disk.freeBytes)} of {formatBytes(disk.totalBytes)} free{' '}
              {disk.freeBytes < 500e6 && <Badge tone="bad">Almost full</Badge>}
            </>
          ),
        ],
        [
          'Search',
          <>
            {search.engine}{' '}
            <Badge tone={search.state === 'ready' ? 'good' : 'bad'}>
              {states[search.state] ?? 'Unavailable'}
            </Badge>
          </>,
        ],
        ['Embedder', search.embedder && <Embedder {...search.embedder} />],
        [
          'In progress',
          `${formatNumber(queue.runningAnswers)} answers, ${formatNumber(queue.activeJobs)} jobs (${formatNumber(queue.waitingJobs)} waiting), ${formatNumber(queue.pendingDeliveries)} webhook deliveries`,
        ],
      ]}
    />
  );
}

const embedderStates = {
  unknown: ['neutral', 'Not asked yet'],
  ready: ['good', 'Ready'],
  'warming-up': ['warn', 'Warming up'],
  unavailable: ['bad', 'Unavailable'],
} as const;

function Embedder({ model, state }: NonNullable<ServiceHealthReply['search']['embedder']>) {
  const [tone, text] = embedderStates[state];
  const isAway = state === 'warming-up' || state === 'unavailable';
  return (
    <>
      {model} <Badge tone={tone}>{text}</Badge>
      {isAway && <span class="quiet"> Questions are answered by words meanwhile.</span>}
    </>
  );
}

function Models({ health, reload }: { health: ServiceHealthReply; reload: () => Promise<void> }) {
  const { models, search } = health;
  return (
    <Section
      title="Models"
      description="A check asks a model for a word or two, and an embedder for some vectors, which may cost a little."
    >
      {models.length === 0 && (
        <Empty icon="info" title="No language model">
          Answers quote the documentation. To get written answers, add one to <code>models</code> in
          the configuration file.
        </Empty>
      )}
      <div class="stack">
        {models.map(({ name, model, server, contextTokens, notice }) => (
          <Checked key={name} body={{ model: name }} reload={reload} notice={notice}>
            <strong>{name}</strong> <code>{model}</code>{' '}
            {server !== null && <Badge>{server}</Badge>}{' '}
            {contextTokens !== null && (
              <span class="quiet">{formatNumber(contextTokens)} tokens of context</span>
            )}
          </Checked>
        ))}
        {search.embedder && (
          <Checked body={{ embedder: true }} reload={reload} notice={null}>
            <strong>Embedder</strong> <code>{search.embedder.model}</code>
          </Checked>
        )}
      </div>
    </Section>
  );
}

interface CheckedProps {
  body: { model: string } | { embedder: true };
  reload: () => Promise<void>;
  notice: string | null;
  children: ComponentChildren;
}

/** What the configuration names, with a button that asks it. */
function Checked({ body, reload, notice, children }: CheckedProps) {
  const [found, setFound] = useState<FindingsReply['findings']>([]);
  const check = async () => {
    const { findings } = await send<FindingsReply>('POST', '/v1/health/model', body);
    setFound(findings);
    // What it knows of the server's context may be new.
    await reload();
  };
  return (
    <div class="card stack">
      <div class="row">
        <div>{children}</div>
        {can('POST /v1/health/model') && <Button onClick={check}>Check</Button>}
      </div>
      {notice !== null && <Notice tone="warn">{notice}</Notice>}
      <div role="status" class="stack">
        {found.map(({ kind, text, fix }) => (
          <Notice key={text} tone={tones[kind]}>
            {text} {fix}
          </Notice>
        ))}
      </div>
    </div>
  );
}

const tones = { fine: 'good', note: 'info', problem: 'bad' } as const;

type RecentError = ServiceHealthReply['recentErrors'][number];

const errorColumns: Column<RecentError>[] = [
  { title: 'Message', cell: ({ message }) => message },
  {
    title: 'Level',
    cell: ({ level }) => (
      <Badge tone={level === 'warn' ? 'warn' : 'bad'}>
        {level === 'warn' ? 'Warning' : 'Error'}
      </Badge>
    ),
  },
  { title: 'Time', cell: ({ time }) => <Time at={time} /> },
];

const Errors = ({ errors }: { errors: RecentError[] }) => (
  <Section
    title="Recent errors"
    description="Warnings and errors of this process since its start. The log has all of them."
  >
    <Table
      label="Recent errors"
      columns={errorColumns}
      rows={errors}
      keyOf={({ time, message }) => time + message}
      empty={<Empty icon="check" title="No warnings and no errors" />}
    />
  </Section>
);

/** For a bug report: names and numbers, and nothing that readers wrote. */
const reportOf = (health: ServiceHealthReply): string => JSON.stringify(health, null, 2);
