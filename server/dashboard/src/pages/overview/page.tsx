import './overview.css';
import type { OverviewReply, Totals } from '@docent/shared/overview';
import { get, toSearch } from '../../api/client.ts';
import { useLoad } from '../../api/load.ts';
import { to } from '../../base.ts';
import { Chart } from '../../components/chart.tsx';
import { Empty, Load } from '../../components/empty.tsx';
import { Icon } from '../../components/icons.tsx';
import { formatMoney, formatNumber, formatShare, Stat } from '../../components/number.tsx';
import { Page, Section } from '../../components/page.tsx';
import { PeriodFilters, toSteps, usePeriod } from '../../components/period.tsx';
import { duration } from '../../components/time.tsx';

export default function OverviewPage() {
  const filters = usePeriod();
  const query = { period: filters.period, site: filters.site };
  const overview = useLoad(`/v1/overview${toSearch(query)}`, (signal) =>
    get<OverviewReply>('/v1/overview', query, signal),
  );
  return (
    <Page
      title="Overview"
      description="How readers use your documentation, and what needs your attention."
    >
      <PeriodFilters {...filters} />
      <Load from={overview} lines={10}>
        {(data) => (
          <>
            <Steps steps={data.steps} />
            {data.current.questions + data.previous.questions === 0 ? (
              <Empty icon="conversations" title="No questions in this period">
                Figures appear here as soon as readers ask.
              </Empty>
            ) : (
              <Figures data={data} query={query} />
            )}
          </>
        )}
      </Load>
    </Page>
  );
}

/** By how much a figure changed: 0.5 is half more. */
const change = (now: number, before: number): number | undefined =>
  before === 0 ? undefined : (now - before) / before;

const shareOf = ({ answered, questions }: Totals) => (questions === 0 ? 0 : answered / questions);

interface FiguresProps {
  data: OverviewReply;
  query: { period: string; site: string };
}

function Figures({ data, query }: FiguresProps) {
  const { current, previous } = data;
  const { times, sums } = toSteps(data);
  const conversations = (resolutionStatus?: string) =>
    to(
      `/conversations${toSearch({ ...(query.site !== '' && { site: query.site }), resolutionStatus })}`,
    );
  const firstText = current.firstTextMs;
  return (
    <>
      <div class="cards figures">
        <Stat
          label="Questions"
          value={formatNumber(current.questions)}
          change={change(current.questions, previous.questions)}
          href={conversations()}
        />
        <Stat
          label="Readers"
          value={formatNumber(current.readers)}
          change={change(current.readers, previous.readers)}
        />
        <Stat
          label="Answered"
          value={formatShare(shareOf(current))}
          change={change(shareOf(current), shareOf(previous))}
        />
        <Stat
          label="Unanswered"
          value={formatNumber(current.unanswered)}
          change={change(current.unanswered, previous.unanswered)}
          isMoreBetter={false}
          href={to('/gaps')}
        />
        <Stat
          label="Helpful"
          value={
            current.thumbsUp + current.thumbsDown === 0
              ? '—'
              : formatShare(current.thumbsUp / (current.thumbsUp + current.thumbsDown))
          }
          href={to('/feedback')}
        />
        <Stat
          label="Cost"
          value={formatMoney(current.costUsd)}
          change={change(current.costUsd, previous.costUsd)}
          isMoreBetter={false}
          href={to('/usage')}
        />
        <Stat
          label="First word, median"
          value={firstText === null ? '—' : duration(firstText.p50)}
          change={change(firstText?.p50 ?? 0, previous.firstTextMs?.p50 ?? 0)}
          isMoreBetter={false}
        />
        <Stat
          label="First word, p95"
          value={firstText === null ? '—' : duration(firstText.p95)}
          change={change(firstText?.p95 ?? 0, previous.firstTextMs?.p95 ?? 0)}
          isMoreBetter={false}
        />
      </div>
      <p class="quiet">Changes compare with the period before.</p>
      <Section title="Questions">
        <Chart
          title="Questions"
          kind="bars"
          times={times}
          series={[
            { label: 'Answered', values: sums.map(({ answered }) => answered) },
            { label: 'Unanswered', values: sums.map(({ unanswered }) => unanswered) },
            { label: 'Refused', values: sums.map(({ refused }) => refused) },
            { label: 'Incomplete', values: sums.map(({ incomplete }) => incomplete) },
          ]}
        />
      </Section>
    </>
  );
}

type Step = OverviewReply['steps'][number];

const stepTexts: Record<Step['id'], { title: string; text: string; href: string }> = {
  index: {
    title: 'Index your documentation',
    text: 'Docent answers from the pages in its index.',
    href: '/sites',
  },
  ask: {
    title: 'Ask a question',
    text: 'Try the assistant on the Install page, or on the demo site.',
    href: '/install',
  },
  install: {
    title: 'Add the assistant to your site',
    text: 'Paste one script tag, or add a line to your generator’s settings.',
    href: '/install',
  },
  model: {
    title: 'Choose a language model',
    text: 'Without one, answers quote the documentation.',
    href: '/health',
  },
  people: {
    title: 'Invite a colleague',
    text: 'Everyone gets their own account and role.',
    href: '/people',
  },
};

/** Next steps, until all are done. */
function Steps({ steps }: { steps: readonly Step[] }) {
  const left = steps.filter(({ isDone }) => !isDone).length;
  if (left === 0) return null;
  return (
    <details class="card steps" open={left > 2}>
      <summary>
        Get started: {steps.length - left} of {steps.length} done
      </summary>
      <ol>
        {steps.map(({ id, isDone }) => {
          const { title, text, href } = stepTexts[id];
          return (
            <li key={id} class={isDone ? 'done' : undefined}>
              <span class="step-mark">{isDone && <Icon name="check" />}</span>
              <div>
                {isDone ? <span>{title}</span> : <a href={to(href)}>{title}</a>}
                <span class="unseen">{isDone ? ' (done)' : ''}</span>
                {!isDone && <p class="quiet">{text}</p>}
              </div>
            </li>
          );
        })}
      </ol>
    </details>
  );
}
