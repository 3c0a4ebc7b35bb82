import type { UsageReply } from '@docent/shared/overview';
import { useState } from 'preact/hooks';
import { useGet } from '../../api/load.ts';
import { Chart } from '../../components/chart.tsx';
import { Empty, Load } from '../../components/empty.tsx';
import { Segmented } from '../../components/filters.tsx';
import { formatMoney, formatNumber, formatShare, formatShort } from '../../components/number.tsx';
import { Page, Section } from '../../components/page.tsx';
import { PeriodFilters, toSteps, usePeriod } from '../../components/period.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';

export default function UsagePage() {
  const { query, set } = usePeriod();
  const usage = useGet<UsageReply>('/v1/usage', query);
  return (
    <Page
      title="Usage"
      description="Costs use the prices in the configuration file."
      actions={<PeriodFilters query={query} set={set} />}
    >
      <Load from={usage} lines={10}>
        {(data) => (
          <>
            {data.budgets.length > 0 && <Budgets budgets={data.budgets} />}
            {data.hours.length === 0 && data.keys.length === 0 ? (
              <Empty icon="usage" title="No usage in this period">
                Usage appears here as soon as readers ask.
              </Empty>
            ) : (
              <Figures data={data} />
            )}
            {data.budgets.length === 0 && (
              <p class="quiet">
                There are no budgets. To limit what answers and jobs can cost, add{' '}
                <code>budgets</code> to the configuration file.
              </p>
            )}
          </>
        )}
      </Load>
    </Page>
  );
}

/** What the chart can show. */
const measures = {
  cost: { label: 'Cost', format: formatMoney },
  tokens: { label: 'Tokens', format: formatShort },
  questions: { label: 'Questions', format: formatNumber },
};
type Measure = keyof typeof measures;

function Figures({ data }: { data: UsageReply }) {
  const { times, sums } = toSteps(data);
  const [chosen, setChosen] = useState<Measure>();
  const values: Record<Measure, number[]> = {
    cost: sums.map(({ costUsd }) => costUsd),
    tokens: sums.map(({ tokens }) => tokens),
    questions: sums.map((one) => one.answered + one.unanswered + one.refused + one.incomplete),
  };
  const used = (Object.keys(measures) as Measure[]).filter((name) => values[name].some(Boolean));
  const measure = chosen && used.includes(chosen) ? chosen : used[0];
  return (
    <>
      {measure && (
        <Section
          title="Over time"
          actions={
            used.length > 1 && (
              <Segmented
                label="What the chart shows"
                value={measure}
                options={used.map((value) => ({ value, label: measures[value].label }))}
                onChange={(value) => setChosen(value as Measure)}
              />
            )
          }
        >
          <Chart
            title={measures[measure].label}
            times={times}
            format={measures[measure].format}
            series={[{ label: measures[measure].label, values: values[measure] }]}
          />
        </Section>
      )}
      {data.sites.length > 1 && (
        <Spending
          title="By site"
          name="Site"
          rows={data.sites.map(({ domain, ...spent }) => ({ name: domain, ...spent }))}
        />
      )}
      <Spending
        title="By model"
        name="Model"
        rows={data.models.map(({ model, ...spent }) => ({ name: model, ...spent }))}
      />
      <Spending
        title="By key and person"
        description="With agent jobs, and by whole days."
        name="Key or person"
        rows={data.keys}
      />
    </>
  );
}

interface Spent {
  name: string;
  questions?: number;
  tokens: number;
  costUsd: number;
}

interface SpendingProps {
  title: string;
  description?: string;
  name: string;
  rows: readonly Spent[];
}

function Spending({ title, description, name, rows }: SpendingProps) {
  if (rows.length === 0) return null;
  const hasQuestions = rows.some(({ questions }) => questions !== undefined);
  const columns: Column<Spent>[] = [
    { title: name, cell: (row) => row.name, sortBy: (row) => row.name },
    ...(hasQuestions
      ? [
          {
            title: 'Questions',
            isNumber: true,
            cell: (row: Spent) => formatNumber(row.questions ?? 0),
            sortBy: (row: Spent) => row.questions,
          },
        ]
      : []),
    {
      title: 'Tokens',
      isNumber: true,
      cell: ({ tokens }) => formatNumber(tokens),
      sortBy: ({ tokens }) => tokens,
    },
    {
      title: 'Cost',
      isNumber: true,
      cell: ({ costUsd }) => formatMoney(costUsd),
      sortBy: ({ costUsd }) => costUsd,
    },
  ];
  return (
    <Section title={title} {...(description !== undefined && { description })}>
      <Table label={title} columns={columns} rows={rows} keyOf={(row) => row.name} empty={null} />
    </Section>
  );
}

type Budget = UsageReply['budgets'][number];

const owners = { key: 'Key', organization: 'Organization', site: 'Site' };

const budgetColumns: Column<Budget>[] = [
  {
    title: 'Budget',
    cell: ({ of, name, period }) => (
      <span class="two-lines">
        <span>{name}</span>
        <span class="quiet">
          {owners[of]}, per {period}
        </span>
      </span>
    ),
  },
  {
    title: 'Spent',
    isNumber: true,
    cell: ({ unit, limit, spent, reserved }) => {
      const format = unit === 'dollars' ? formatMoney : formatNumber;
      return (
        <span class="two-lines">
          <span>
            {format(spent)} of {format(limit)}
            {unit === 'tokens' && ' tokens'}
          </span>
          {reserved > 0 && <span class="quiet">{format(reserved)} in progress</span>}
        </span>
      );
    },
  },
  {
    title: 'Share',
    isNumber: true,
    cell: (budget) => (
      <span class="row">
        {/* The levels at which webhooks tell. */}
        <meter
          aria-label={`Spent of the budget of ${budget.name}`}
          high={0.8}
          max={1}
          optimum={0}
          value={Math.min(shareOf(budget), 1)}
        />
        {formatShare(shareOf(budget))}
      </span>
    ),
    sortBy: (budget) => shareOf(budget),
  },
  { title: 'Starts over', cell: ({ endsAt }) => <Time at={endsAt} /> },
];

const shareOf = ({ limit, spent }: Budget) => (limit === 0 ? 1 : spent / limit);

function Budgets({ budgets }: Pick<UsageReply, 'budgets'>) {
  return (
    <Section
      title="Budgets"
      description="Webhooks notify you at 50%, 80%, and 100%. At 100%, answers and jobs stop until the period ends."
    >
      <Table
        label="Budgets"
        columns={budgetColumns}
        rows={budgets}
        keyOf={({ of, name, period, unit }) => `${of} ${name} ${period} ${unit}`}
        empty={null}
      />
    </Section>
  );
}
