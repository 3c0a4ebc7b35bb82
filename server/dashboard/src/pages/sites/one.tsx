/** One site: its last run, its sources, and what may change while the service runs. */
import type { SiteReply } from '@docent/shared/sites';
import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { useGet, useReloadWhile } from '../../api/load.ts';
import { to } from '../../base.ts';
import { Badge, Notice, type Tone } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { confirm } from '../../components/confirm.tsx';
import { Snippet } from '../../components/copy.tsx';
import { Empty, Load } from '../../components/empty.tsx';
import { Facts } from '../../components/facts.tsx';
import { formatNumber } from '../../components/number.tsx';
import { Page, Section } from '../../components/page.tsx';
import { loadSites } from '../../components/site.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { duration, Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { can } from '../../session.ts';
import { EditSite } from './add.tsx';
import { isBusy, type Run, RunState } from './run.tsx';
import { SiteSettings } from './site-settings.tsx';
import { Words } from './words.tsx';

export function OneSite({ domain }: { domain: string }) {
  const path = `/v1/sites/${encodeURIComponent(domain)}`;
  const site = useGet<SiteReply>(path);
  const { name = domain, run } = site.data.value ?? {};
  useReloadWhile(run !== undefined && isBusy(run), site);
  return (
    <Page
      title={name}
      parent={{ href: '/sites', title: 'Sites' }}
      actions={site.data.value && <Actions site={site.data.value} reload={site.reload} />}
    >
      <Load from={site} lines={8}>
        {(data) => (
          <>
            <RunReport site={data} reload={site.reload} />
            <Sources site={data} />
            <SiteSettings domain={domain} />
            <Words domain={domain} />
          </>
        )}
      </Load>
    </Page>
  );
}

interface WithReload {
  site: SiteReply;
  reload: () => Promise<void>;
}

const startRun = (domain: string, search = '') =>
  send('POST', `/v1/index/${encodeURIComponent(domain)}${search}`);

function IndexButton({ site: { domain, run }, reload }: WithReload) {
  if (!can('POST /v1/index/{domain}')) return null;
  return (
    <Button
      kind="primary"
      isBusy={isBusy(run)}
      onClick={async () => {
        await startRun(domain);
        await reload();
      }}
    >
      Index now
    </Button>
  );
}

function Actions({ site, reload }: WithReload) {
  const { domain, name, from } = site;
  const { route } = useLocation();
  const [isEditing, setEditing] = useState(false);
  const remove = () =>
    confirm({
      title: `Remove ${name}?`,
      consequences:
        'The assistant stops on its pages. Its index, conversations, feedback, and keys are deleted for good. The repository and its project stay as they are.',
      action: 'Remove site',
      typeName: domain,
      run: async () => {
        await send('DELETE', `/v1/sites/${encodeURIComponent(domain)}`);
        loadSites();
        route(to('/sites'));
      },
    });
  return (
    <>
      {from === 'dashboard' && can('PATCH /v1/sites/{domain}') && (
        <>
          <Button onClick={remove}>Remove</Button>
          <Button onClick={() => setEditing(true)}>Change</Button>
          {isEditing && <EditSite site={site} onClose={() => setEditing(false)} onSaved={reload} />}
        </>
      )}
      {can('POST /v1/sites/{domain}/tag') && (
        <a class="button" href={to(`/install?site=${encodeURIComponent(domain)}`)}>
          Script tag
        </a>
      )}
      <IndexButton site={site} reload={reload} />
    </>
  );
}

function RunReport({ site, reload }: WithReload) {
  const { run, pages, domain } = site;
  const { report, error } = run;
  return (
    <Section title="Index">
      <Facts
        facts={[
          ['State', <RunState run={run} />],
          ['Pages', formatNumber(pages)],
          [
            'Last run',
            run.finishedAt === null ? (
              'None yet'
            ) : (
              <>
                <Time at={run.finishedAt} />
                {report && <>, took {duration(report.seconds * 1000)}</>}
              </>
            ),
          ],
          ['Next run', site.nextRunAt === null ? 'On request' : <Time at={site.nextRunAt} />],
          [
            'Changes',
            report &&
              `${report.added} added, ${report.changed} changed, ${report.removed} removed, ${report.passages} passages written`,
          ],
          [
            'Published at',
            site.baseUrl === null ? (
              'Not set'
            ) : (
              <a href={site.baseUrl} target="_blank" rel="noreferrer">
                {site.baseUrl}
              </a>
            ),
          ],
        ]}
      />
      {run.status === 'running' && <Progress run={run} />}
      {run.status === 'waiting' && (
        <Notice tone="warn">
          {error}{' '}
          {can('POST /v1/index/{domain}') && (
            <button
              type="button"
              class="button"
              onClick={() =>
                confirm({
                  title: 'Remove these pages from the index?',
                  consequences:
                    'Readers no longer get answers from the pages that are gone from the sources. The next run adds pages that come back.',
                  action: 'Approve and index',
                  run: () =>
                    startRun(domain, '?acceptFewer=true').then(async () => {
                      toast('Approved');
                      await reload();
                    }),
                })
              }
            >
              Approve this run
            </button>
          )}
        </Notice>
      )}
      {run.status === 'failed' && error !== null && <Notice tone="bad">{error}</Notice>}
      {report && (
        <>
          <Lines tone="bad" title="Sources that couldn’t be read" lines={report.failures} />
          <Lines tone="warn" title="Warnings" lines={report.warnings} />
          <Lines tone="neutral" title="Notes" lines={report.notes} />
        </>
      )}
    </Section>
  );
}

interface Embedding {
  done: number;
  total: number;
  perSecond?: number;
}

function Progress({ run }: { run: Run }) {
  const {
    done = 0,
    total = 0,
    path,
    embedding,
  } = (run.progress ?? {}) as {
    done?: number;
    total?: number;
    path?: string;
    embedding?: Embedding;
  };
  if (embedding) return <EmbeddingProgress {...embedding} />;
  return (
    <div class="stack" role="status">
      <progress aria-label="Pages read" max={total || 1} value={total > 0 ? done : undefined} />
      <p class="quiet">
        {total > 0 ? `${done} of ${total} pages` : 'Reading the sources'}
        {path !== undefined && (
          <>
            {' · '}
            <code>{path}</code>
          </>
        )}
      </p>
    </div>
  );
}

function EmbeddingProgress({ done, total, perSecond }: Embedding) {
  return (
    <div class="stack" role="status">
      <progress aria-label="Texts embedded" max={total || 1} value={done} />
      <p class="quiet">
        {`${formatNumber(done)} of ${formatNumber(total)} texts embedded`}
        {done === total
          ? ' · writing the index'
          : perSecond === undefined
            ? ' · waiting for the embeddings server'
            : ` · ${formatNumber(Number(perSecond.toFixed(perSecond < 10 ? 1 : 0)))} per second · about ${duration(((total - done) / perSecond) * 1000)} left`}
      </p>
    </div>
  );
}

function Lines({ title, lines, tone }: { title: string; lines: readonly string[]; tone: Tone }) {
  if (lines.length === 0) return null;
  return (
    <details open={tone === 'bad'}>
      <summary>
        {title} <Badge tone={tone}>{lines.length}</Badge>
      </summary>
      <ul class="lines">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </details>
  );
}

type Source = SiteReply['sources'][number];

const sourceColumns: Column<Source>[] = [
  { title: 'Source', cell: ({ name }) => <code>{name}</code>, sortBy: ({ name }) => name },
  { title: 'Type', cell: ({ type }) => type, sortBy: ({ type }) => type },
  {
    title: 'Pages',
    isNumber: true,
    cell: ({ pages }) => (pages === null ? '—' : formatNumber(pages)),
    sortBy: ({ pages }) => pages ?? undefined,
  },
  {
    title: 'Pages changed',
    cell: ({ changedAt }) => (changedAt === null ? 'Not read yet' : <Time at={changedAt} />),
    sortBy: ({ changedAt }) => changedAt ?? '',
  },
];

const Sources = ({ site: { sources, from } }: Pick<WithReload, 'site'>) => (
  <Section
    title="Sources"
    description={
      from === 'file'
        ? 'From the configuration file. To add a source, edit the file, and restart Docent.'
        : 'A repository that was connected in the dashboard.'
    }
  >
    <Table
      label="Sources"
      columns={sourceColumns}
      rows={sources}
      keyOf={({ type, name }) => `${type} ${name}`}
      empty={
        <Empty icon="sites" title="No sources">
          <Snippet text="docs: { folder: './docs' }" />
        </Empty>
      }
    />
  </Section>
);
