import type { SettingsReply } from '@docent/shared/sites';
import { useState } from 'preact/hooks';
import { useGet } from '../../api/load.ts';
import { Badge } from '../../components/badge.tsx';
import { Empty, Load, NoMatch } from '../../components/empty.tsx';
import { Filters, SearchField, Segmented } from '../../components/filters.tsx';
import { Page, Section } from '../../components/page.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { can } from '../../session.ts';
import { Connections } from './connections.tsx';

type Setting = SettingsReply['settings'][number];

const columns: Column<Setting>[] = [
  { title: 'Setting', cell: ({ path }) => <code>{path}</code>, sortBy: ({ path }) => path },
  { title: 'Value', cell: ({ value }) => <code class="value">{wordsOf(value)}</code> },
  {
    title: 'From',
    cell: ({ from }) =>
      from === 'default' ? (
        <span class="quiet">Default</span>
      ) : (
        { file: 'File', dashboard: 'Dashboard' }[from]
      ),
    sortBy: ({ from }) => from,
  },
];

function wordsOf(value: unknown): string {
  const text = Array.isArray(value) ? value.join(', ') : value;
  if (text === '') return '—';
  return typeof text === 'string' ? text : JSON.stringify(text);
}

type Variable = SettingsReply['environment'][number];

const variableColumns: Column<Variable>[] = [
  { title: 'Variable', cell: ({ name }) => <code>{name}</code>, sortBy: ({ name }) => name },
  {
    title: 'State',
    cell: ({ isSet }) => (
      <Badge tone={isSet ? 'good' : 'neutral'}>{isSet ? 'Set' : 'Not set'}</Badge>
    ),
    sortBy: ({ isSet }) => String(isSet),
  },
  { title: 'Used for', cell: ({ usedFor }) => usedFor },
];

export default function SettingsPage() {
  const settings = useGet<SettingsReply>('/v1/settings');
  const file = settings.data.value?.file;
  return (
    <Page
      title="Settings"
      description={
        <>
          To change a value, edit {file == null ? 'the configuration file' : <code>{file}</code>},
          and restart Docent. You can also change starter questions and instructions on the page of
          a site, and add sites and projects on their pages.
        </>
      }
    >
      <Load from={settings} lines={10}>
        {({ settings: all, environment }) => (
          <>
            <Values settings={all} />
            {can('GET /v1/connections') && <Connections />}
            <Section
              title="Environment"
              description="Secrets are read from these variables. Their values are never shown."
            >
              <Table
                label="Environment variables"
                columns={variableColumns}
                rows={environment}
                keyOf={({ name, usedFor }) => name + usedFor}
                empty={<Empty title="No variables" />}
              />
            </Section>
          </>
        )}
      </Load>
    </Page>
  );
}

function Values({ settings }: Pick<SettingsReply, 'settings'>) {
  const [words, setWords] = useState('');
  const [from, setFrom] = useState('file');
  const rows = settings.filter(
    (each) =>
      (from === 'all' || each.from === from) &&
      `${each.path} ${JSON.stringify(each.value)}`.toLowerCase().includes(words.toLowerCase()),
  );
  return (
    <>
      <Filters>
        <SearchField label="Search settings" value={words} onChange={setWords} />
        <Segmented
          label="Where values come from"
          value={from}
          options={[
            { value: 'file', label: 'Set in the file' },
            { value: 'dashboard', label: 'Added here' },
            { value: 'default', label: 'Defaults' },
            { value: 'all', label: 'All' },
          ]}
          onChange={setFrom}
        />
      </Filters>
      <Table
        label="Settings"
        columns={columns}
        rows={rows}
        keyOf={({ path }) => path}
        empty={
          <NoMatch
            onClear={() => {
              setWords('');
              setFrom('all');
            }}
          />
        }
      />
    </>
  );
}
