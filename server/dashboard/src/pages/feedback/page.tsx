/** Readers' feedback as an inbox. */
import type { FeedbackEntry } from '@docent/shared/analytics';
import type { FeedbackState } from '@docent/shared/feedback';
import { useRoute } from 'preact-iso';
import { get } from '../../api/client.ts';
import { useList, useLoad } from '../../api/load.ts';
import { Empty } from '../../components/empty.tsx';
import { Filters, Segmented, Select, useFilters } from '../../components/filters.tsx';
import { formatNumber } from '../../components/number.tsx';
import { Page } from '../../components/page.tsx';
import { OfSite, SiteSelect } from '../../components/site.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { session } from '../../session.ts';
import { ofSite, Rating, ratingOptions, reasonWords, withSite } from '../../components/readers.tsx';
import { OneFeedback } from './one.tsx';
import { feedbackStates, stateNames } from './states.ts';

export default function FeedbackPage() {
  const { id } = useRoute().params;
  return id === undefined ? (
    <Page title="Feedback" description="What readers think of answers and pages.">
      <OfSite>{(domain) => <List key={domain} domain={domain} />}</OfSite>
    </Page>
  ) : (
    <OneFeedback key={id} id={id} />
  );
}

const columns: Column<FeedbackEntry>[] = [
  {
    title: 'Feedback',
    cell: ({ comment, reasons, question, path }) => (
      <span class="two-lines">
        <span class="question">
          {comment ?? (reasons.map(reasonWords).join(', ') || 'No comment')}
        </span>
        <span class="quiet question">{question ?? path}</span>
      </span>
    ),
  },
  { title: 'Rating', cell: ({ helpful }) => <Rating isUp={helpful} /> },
  { title: 'About', cell: ({ source }) => (source === 'page' ? 'Page' : 'Answer') },
  { title: 'Assignee', cell: ({ assignee }) => assignee?.name ?? '—' },
  {
    title: 'Received',
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
];

/** The inbox has no period: what's open stays open. */
const allTime = { dateFrom: '2000-01-01' };

function List({ domain }: { domain: string }) {
  const { values, set } = useFilters({ state: 'open', rating: '', assignee: '' });
  const { state, rating, assignee } = values;
  const path = ofSite('/v1/analytics', domain, '/feedback');
  const list = useList<FeedbackEntry>(path, 'feedback', {
    ...allTime,
    state: state === 'all' ? '' : state,
    rating,
    assignee,
    limit: 50,
  });
  const counts = useLoad(`${path}?counts`, (signal) =>
    get<{ counts: Record<FeedbackState, number> }>(path, { limit: 1 }, signal),
  ).data.value?.counts;
  const isFiltered = rating !== '' || assignee !== '';
  const me = session.value?.person;
  return (
    <>
      <Filters>
        <Segmented
          label="State"
          value={state}
          options={[
            ...feedbackStates.map((value) => ({
              value,
              label: `${stateNames[value]} ${counts ? formatNumber(counts[value]) : ''}`.trim(),
            })),
            { value: 'all', label: 'All' },
          ]}
          onChange={(value) => set({ state: value })}
        />
        <SiteSelect />
        <Select
          label="Rating"
          value={rating}
          options={ratingOptions}
          onChange={(value) => set({ rating: value })}
        />
        {me && (
          <Select
            label="Assignee"
            value={assignee}
            options={[
              { value: '', label: 'Everyone’s' },
              { value: me.id, label: 'Assigned to you' },
            ]}
            onChange={(value) => set({ assignee: value })}
          />
        )}
      </Filters>
      <Table
        label="Feedback"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => withSite(`/feedback/${id}`, domain)}
        empty={
          isFiltered || state !== 'open' ? (
            <Empty icon="feedback" title="Nothing here">
              No feedback has this state and matches the filters.
            </Empty>
          ) : (
            <Empty icon="check" title="No open feedback">
              Readers rate answers in the widget, and pages too if the site shows the question.
              Ratings that say what’s wrong, or have a comment, appear here.
            </Empty>
          )
        }
      />
    </>
  );
}
