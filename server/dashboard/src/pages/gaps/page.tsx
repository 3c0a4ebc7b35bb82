/** Questions that the documentation doesn't answer, those that ask for the same together. */
import type { Gap, GapDecision, GapsResponse } from '@docent/shared/analytics';
import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { send } from '../../api/client.ts';
import { useGet } from '../../api/load.ts';
import { Button } from '../../components/button.tsx';
import { Empty, Load } from '../../components/empty.tsx';
import { Filters, Segmented, useFilters } from '../../components/filters.tsx';
import { formatNumber } from '../../components/number.tsx';
import { Page } from '../../components/page.tsx';
import { OfSite, SiteSelect } from '../../components/site.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { can } from '../../session.ts';
import { ofSite, RangeSelect, startOf, withSite } from '../../components/readers.tsx';
import { OneGap } from './one.tsx';
import { GapState, questionsOf, viewOf } from './state.tsx';
import { Trend } from './trend.tsx';

export default function GapsPage() {
  const { id } = useRoute().params;
  return (
    <OfSite>
      {(domain) => <Gaps key={domain} domain={domain} {...(id !== undefined && { id })} />}
    </OfSite>
  );
}

function Gaps({ domain, id }: { domain: string; id?: string }) {
  const { values, set } = useFilters({ range: '90', state: 'open' });
  const path = ofSite('/v1/analytics', domain, '/unanswered');
  const dateFrom = startOf(values.range);
  const loaded = useGet<GapsResponse>(path, { dateFrom });
  /** Gives back the first of the new gaps. */
  const decide = async (decision: GapDecision) => {
    const reply = await send<{ gaps: { id: string }[] }>(
      'POST',
      ofSite('/v1/gaps', domain),
      decision,
    );
    await loaded.reload();
    return reply.gaps[0]?.id ?? '';
  };
  if (id !== undefined) {
    return <OneGap key={id} domain={domain} id={id} decide={decide} />;
  }
  return (
    <Page title="Gaps" description="Questions that your documentation doesn’t answer.">
      <Filters>
        <Segmented
          label="State"
          value={values.state}
          options={[
            { value: 'open', label: 'Open' },
            { value: 'under-way', label: 'Under way' },
            { value: 'answered', label: 'Answered' },
            { value: 'dismissed', label: 'Dismissed' },
          ]}
          onChange={(state) => set({ state })}
        />
        <SiteSelect />
        <RangeSelect value={values.range} onChange={(range) => set({ range })} />
      </Filters>
      <Load from={loaded} lines={8}>
        {({ gaps }) => (
          <List
            key={values.state}
            domain={domain}
            gaps={gaps.filter((gap) => viewOf(gap) === values.state)}
            isEmpty={gaps.length === 0}
            decide={decide}
          />
        )}
      </Load>
    </Page>
  );
}

interface ListProps {
  domain: string;
  gaps: Gap[];
  /** Whether the site has no gaps at all. */
  isEmpty: boolean;
  decide: (decision: GapDecision) => Promise<string>;
}

const otherWordings = (count: number) =>
  count === 1 ? 'and another wording' : `and ${formatNumber(count)} other wordings`;

const columns: Column<Gap>[] = [
  {
    title: 'Question',
    cell: (gap) => (
      <span class="two-lines">
        <span class="question">{gap.question}</span>
        {gap.examples.length > 1 && (
          <span class="quiet">{otherWordings(gap.examples.length - 1)}</span>
        )}
        <GapState gap={gap} isListed />
      </span>
    ),
  },
  {
    title: 'Asked',
    isNumber: true,
    cell: ({ count }) => formatNumber(count),
    sortBy: ({ count }) => count,
  },
  {
    title: 'Readers',
    isNumber: true,
    cell: ({ readers }) => formatNumber(readers),
    sortBy: ({ readers }) => readers,
  },
  { title: 'Per week', cell: ({ weeks }) => <Trend weeks={weeks} /> },
  {
    title: 'Last asked',
    cell: ({ lastAskedAt }) => <Time at={lastAskedAt} />,
    sortBy: ({ lastAskedAt }) => lastAskedAt,
  },
];

function List({ domain, gaps, isEmpty, decide }: ListProps) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const some = gaps.filter((gap) => chosen.has(gap.id));
  const toggle = (key: string) => {
    const next = new Set(chosen);
    if (!next.delete(key)) next.add(key);
    setChosen(next);
  };
  const choose: Column<Gap> = {
    title: 'Choose',
    isActions: true,
    cell: (gap) => (
      <input
        type="checkbox"
        aria-label={`Choose “${gap.question.slice(0, 80)}”`}
        checked={chosen.has(gap.id)}
        onChange={() => toggle(gap.id)}
      />
    ),
  };
  const decideAll = async (state: 'open' | 'dismissed') => {
    const replaces = some.map(({ id }) => id);
    const own =
      state === 'open'
        ? [{ messageIds: some.flatMap(questionsOf), state }]
        : some.map((gap) => ({ messageIds: questionsOf(gap), state }));
    await decide({ gaps: own, replaces });
    setChosen(new Set());
    toast(state === 'open' ? 'Merged' : 'Dismissed. New questions like these are, too.');
  };
  return (
    <>
      <Table
        label="Gaps"
        rows={gaps}
        columns={can('POST /v1/gaps/{domain}') ? [choose, ...columns] : columns}
        keyOf={({ id }) => id}
        hrefOf={(gap) => withSite(`/gaps/${gap.id}`, domain)}
        empty={
          isEmpty ? (
            <Empty icon="gaps" title="No gaps in this period">
              Questions that the documentation doesn’t answer are grouped here as soon as readers
              ask them.
            </Empty>
          ) : (
            <Empty icon="check" title="No gap has this state">
              Choose another state or a longer period.
            </Empty>
          )
        }
      />
      {some.length > 0 && (
        <div class="selection" role="region" aria-label="Chosen gaps">
          <span>{formatNumber(some.length)} chosen</span>
          <span class="row">
            <Button onClick={() => decideAll('dismissed')}>Dismiss</Button>
            {some.length > 1 && (
              <Button kind="primary" onClick={() => decideAll('open')}>
                Merge
              </Button>
            )}
          </span>
        </div>
      )}
    </>
  );
}
