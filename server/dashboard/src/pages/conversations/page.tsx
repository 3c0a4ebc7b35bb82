/** Readers' questions with their answers: find them, read one, take them along. */
import type { Conversation } from '@docent/shared/analytics';
import { useRoute } from 'preact-iso';
import { toSearch } from '../../api/client.ts';
import { useList } from '../../api/load.ts';
import { serviceUrl } from '../../base.ts';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/empty.tsx';
import { Filters, SearchField, Select, useFilters } from '../../components/filters.tsx';
import { Icon } from '../../components/icons.tsx';
import { formatMoney } from '../../components/number.tsx';
import { Page } from '../../components/page.tsx';
import { OfSite, SiteSelect } from '../../components/site.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { duration, Time } from '../../components/time.tsx';
import {
  ofSite,
  Outcome,
  outcomeOptions,
  outcomeQuery,
  RangeSelect,
  Rating,
  ratingOptions,
  startOf,
  withSite,
} from '../../components/readers.tsx';
import { OneConversation } from './one.tsx';

export default function ConversationsPage() {
  const { id } = useRoute().params;
  return id === undefined ? (
    <OfSite>{(domain) => <List key={domain} domain={domain} />}</OfSite>
  ) : (
    <OneConversation key={id} id={id} />
  );
}

const columns: Column<Conversation>[] = [
  {
    title: 'Question',
    cell: ({ query, currentPath }) => (
      <span class="two-lines">
        <span class="question">{query}</span>
        {currentPath !== null && <span class="quiet question">{currentPath}</span>}
      </span>
    ),
  },
  { title: 'Outcome', cell: (one) => <Outcome of={one} /> },
  {
    title: 'Rating',
    cell: ({ feedback }) => (feedback ? <Rating isUp={feedback.helpful} /> : '—'),
  },
  {
    title: 'First word',
    isNumber: true,
    cell: ({ firstTextMs }) => (firstTextMs === null ? '—' : duration(firstTextMs)),
    sortBy: ({ firstTextMs }) => firstTextMs ?? undefined,
  },
  {
    title: 'Cost',
    isNumber: true,
    cell: ({ costUsd }) => formatMoney(costUsd),
    sortBy: ({ costUsd }) => costUsd,
  },
  {
    title: 'Asked',
    cell: ({ timestamp }) => <Time at={timestamp} />,
    sortBy: ({ timestamp }) => timestamp,
  },
];

const none = { range: '30', outcome: '', rating: '', model: '', page: '', text: '', reader: '' };

function List({ domain }: { domain: string }) {
  const { values, set } = useFilters(none);
  const { range, outcome, rating, model, page, text, reader } = values;
  const query = {
    dateFrom: startOf(range),
    ...outcomeQuery(outcome),
    rating,
    model,
    page,
    text,
    reader,
  };
  const path = ofSite('/v1/analytics', domain, '/assistant');
  const list = useList<Conversation>(path, 'conversations', { ...query, limit: 50 });
  const isFiltered = [outcome, rating, model, page, text, reader].some((value) => value !== '');
  const models = new Set([...(list.rows.value ?? []).map((one) => one.model), model]);
  models.delete('');
  const hasCosts = list.rows.value?.some(({ costUsd }) => costUsd > 0) ?? true;
  const file = (format: string) => serviceUrl(path + toSearch({ ...query, format }));
  return (
    <Page
      title="Conversations"
      description="What readers asked, and the answers they got."
      actions={['csv', 'jsonl'].map((format) => (
        <a key={format} class="button" href={file(format)} download>
          <Icon name="download" />
          {format === 'csv' ? 'CSV' : 'JSON lines'}
        </a>
      ))}
    >
      <Filters>
        <SearchField
          key={`text ${text === ''}`}
          label="Search questions and answers"
          value={text}
          onChange={(value) => set({ text: value })}
        />
        <SearchField
          key={`page ${page === ''}`}
          label="Asked on or citing a page"
          value={page}
          onChange={(value) => set({ page: value })}
        />
        <SiteSelect />
        <RangeSelect value={range} onChange={(value) => set({ range: value })} />
        <Select
          label="Outcome"
          value={outcome}
          options={outcomeOptions}
          onChange={(value) => set({ outcome: value })}
        />
        <Select
          label="Rating"
          value={rating}
          options={ratingOptions}
          onChange={(value) => set({ rating: value })}
        />
        {models.size > 1 || model !== '' ? (
          <Select
            label="Model"
            value={model}
            options={[
              { value: '', label: 'All models' },
              ...[...models].map((value) => ({ value, label: value })),
            ]}
            onChange={(value) => set({ model: value })}
          />
        ) : null}
        {reader !== '' && (
          <Button onClick={() => set({ reader: '' })}>
            One reader
            <Icon name="close" />
          </Button>
        )}
      </Filters>
      <Table
        label="Conversations"
        list={list}
        columns={hasCosts ? columns : columns.filter(({ title }) => title !== 'Cost')}
        keyOf={({ id }) => id}
        hrefOf={({ threadId, id }) =>
          withSite(`/conversations/${threadId}`, domain, { question: id })
        }
        empty={
          !isFiltered ? (
            <Empty icon="conversations" title="No questions in this period">
              Add the widget to your site, or try it in the playground. Questions appear here as
              soon as they’re answered.
            </Empty>
          ) : (
            <Empty
              icon="conversations"
              title={list.hasMore.value ? 'Nothing among the newest questions' : 'Nothing found'}
              actions={
                <>
                  {list.hasMore.value && (
                    <Button kind="primary" onClick={() => list.loadMore()}>
                      Search older questions
                    </Button>
                  )}
                  <Button onClick={() => set({ ...none, range })}>Clear the filters</Button>
                </>
              }
            >
              {list.hasMore.value
                ? 'The search goes through 10,000 questions at a time.'
                : 'No question of this period matches the filters.'}
            </Empty>
          )
        }
      />
    </Page>
  );
}
