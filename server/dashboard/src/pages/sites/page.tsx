import type { SitesReply, SiteSummary } from '@docent/shared/sites';
import { useRoute } from 'preact-iso';
import { useState } from 'preact/hooks';
import { useGet, useReloadWhile } from '../../api/load.ts';
import { Button } from '../../components/button.tsx';
import { Load } from '../../components/empty.tsx';
import { formatNumber } from '../../components/number.tsx';
import { Page } from '../../components/page.tsx';
import { NoSites } from '../../components/site.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { can } from '../../session.ts';
import { AddSite, chosenRepository } from './add.tsx';
import { OneSite } from './one.tsx';
import { isBusy, RunState } from './run.tsx';

export default function SitesPage() {
  const { id } = useRoute().params;
  return id === undefined ? <SiteList /> : <OneSite key={id} domain={id} />;
}

const columns: Column<SiteSummary>[] = [
  { title: 'Site', cell: ({ name }) => name, sortBy: ({ name }) => name },
  { title: 'Domain', cell: ({ domain }) => <code>{domain}</code>, sortBy: ({ domain }) => domain },
  { title: 'State', cell: ({ run }) => <RunState run={run} /> },
  {
    title: 'Pages',
    isNumber: true,
    cell: ({ pages }) => formatNumber(pages),
    sortBy: ({ pages }) => pages,
  },
  {
    title: 'Last run',
    cell: ({ run }) => (run.finishedAt === null ? '—' : <Time at={run.finishedAt} />),
    sortBy: ({ run }) => run.finishedAt ?? '',
  },
  {
    title: 'Next run',
    cell: ({ nextRunAt }) => (nextRunAt === null ? 'On request' : <Time at={nextRunAt} />),
  },
  { title: 'From', cell: ({ from }) => (from === 'file' ? 'File' : 'Dashboard') },
];

function SiteList() {
  const sites = useGet<SitesReply>('/v1/sites');
  const [isAdding, setAdding] = useState(chosenRepository() !== undefined);
  const mayAdd = can('POST /v1/sites');
  useReloadWhile(sites.data.value?.sites.some(({ run }) => isBusy(run)) ?? false, sites);
  return (
    <Page
      title="Sites"
      description="The documentation that Docent answers from."
      actions={
        mayAdd && (
          <Button kind="primary" onClick={() => setAdding(true)}>
            Add a site
          </Button>
        )
      }
    >
      {isAdding && mayAdd && <AddSite onClose={() => setAdding(false)} />}
      <Load from={sites}>
        {({ sites: all }) => (
          <Table
            label="Sites"
            columns={columns}
            rows={all}
            keyOf={({ domain }) => domain}
            hrefOf={({ domain }) => `/sites/${encodeURIComponent(domain)}`}
            empty={<NoSites />}
          />
        )}
      </Load>
    </Page>
  );
}
