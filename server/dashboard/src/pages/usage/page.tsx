import type { UsageReply } from '@docent/shared/overview';
import { get, toSearch } from '../../api/client.ts';
import { useLoad } from '../../api/load.ts';
import { Badge } from '../../components/badge.tsx';
import { Chart } from '../../components/chart.tsx';
import { Empty, Load } from '../../components/empty.tsx';
import {
  formatMoney,
  formatNumber,
  formatShare,
  formatShort,
  Num,
} from '../../components/number.tsx';
import { Page, Section } from '../../components/page.tsx';
import { PeriodFilters, toSteps, usePeriod } from '../../components/period.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';

export default function UsagePage() {
  const filters = usePeriod();
  const query = { period: filters.period, site: filters.site };
  const usage = useLoad(`/v1/usage${toSearch(query)}`, (signal) =>
    get<UsageReply>('/v1/usage', query, signal),
  );
  return (
    <Page
      title="Usage"
      description="Questions, tokens, and money, by the prices in the configuration."
    >
      <PeriodFilters {...filters} />
      <Load from={usage} lines={10}>
        {(data) => (
          <>
            <Budgets budgets={data.budgets} />
            {data.hours.length === 0 && data.keys.length === 0 ? (
              <Empty icon="usage" title="No usage in this period">
                Usage appears here as soon as readers ask.
              </Empty>
            ) : (
              <Figures data={data} />
            )}
          </>
        )}
      </Load>
    </Page>
  );
}

function Figures({ data }: { data: UsageReply }) {
  const { times, sums } = toSteps(data);
  const hasCost = sums.some(({ costUsd }) => costUsd > 0);
  return (
    <>
      <Section title="Tokens">
        <Chart
          title="Tokens"
          kind="bars"
          times={times}
          format={formatShort}
          series={[{ label: 'Tokens', values: sums.map(({ tokens }) => tokens) }]}
        />
      </Section>
      {hasCost && (
        <Section title="Cost">
          <Chart
            title="Cost"
            times={times}
            format={formatMoney}
            series={[{ label: 'Cost', values: sums.map(({ costUsd }) => costUsd) }]}
          />
        </Section>
      )}
      <Spending
        title="By site"
        name="Site"
        rows={data.sites.map(({ domain, ...spent }) => ({ name: domain, ...spent }))}
      />
      <Spending
        title="By model"
        name="Model"
        rows={data.models.map(({ model, ...spent }) => ({ name: model, ...spent }))}
      />
      <Spending
        title="By key and person"
        description="Includes jobs. Counts whole days."
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
            cell: (row: Spent) => <Num value={row.questions ?? 0} />,
            sortBy: (row: Spent) => row.questions,
          },
        ]
      : []),
    {
      title: 'Tokens',
      isNumber: true,
      cell: ({ tokens }) => <Num value={tokens} />,
      sortBy: ({ tokens }) => tokens,
    },
    {
      title: 'Cost',
      isNumber: true,
      cell: ({ costUsd }) => <Num value={costUsd} as="money" />,
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

/** The alert levels of budgets. */
const alertLevels = { warn: 0.8, bad: 1 };

function Budgets({ budgets }: Pick<UsageReply, 'budgets'>) {
  if (budgets.length === 0) {
    return (
      <p class="quiet">
        There are no budgets. To limit what answers and jobs can cost, add <code>budgets</code> to
        the configuration file.
      </p>
    );
  }
  return (
    <Section
      title="Budgets"
      description="Webhooks notify you at 50%, 80%, and 100%. At 100%, answers and jobs stop until the period ends."
    >
      <div class="cards">
        {budgets.map((budget) => (
          <BudgetCard
            key={`${budget.of} ${budget.name} ${budget.period} ${budget.unit}`}
            {...budget}
          />
        ))}
      </div>
    </Section>
  );
}

function BudgetCard({ of, name, period, unit, limit, spent, reserved, endsAt }: Budget) {
  const share = limit === 0 ? 1 : spent / limit;
  const format = unit === 'dollars' ? formatMoney : formatNumber;
  const tone = share >= alertLevels.bad ? 'bad' : share >= alertLevels.warn ? 'warn' : 'good';
  return (
    <div class="card">
      <div class="row">
        <strong>{name}</strong>
        <Badge tone={tone}>{formatShare(share)}</Badge>
      </div>
      <p class="quiet">
        {{ key: 'Key', organization: 'Organization', site: 'Site' }[of]}, per {period}
      </p>
      <meter
        aria-label={`Spent of the budget of ${name}`}
        max={1}
        high={alertLevels.warn}
        optimum={0}
        value={Math.min(share, 1)}
      />
      <p>
        {format(spent)} of {format(limit)}
        {unit === 'tokens' && ' tokens'}
        {reserved > 0 && `, ${format(reserved)} in progress`}
      </p>
      <p class="quiet">
        Starts over <Time at={endsAt} />
      </p>
    </div>
  );
}
