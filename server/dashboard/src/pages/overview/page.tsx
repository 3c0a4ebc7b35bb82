import './overview.css';
import type { OverviewReply, Totals } from '@docent/shared/overview';
import { toSearch } from '../../api/client.ts';
import { useGet } from '../../api/load.ts';
import { to } from '../../base.ts';
import { Chart } from '../../components/chart.tsx';
import { Empty, Load } from '../../components/empty.tsx';
import { Icon } from '../../components/icons.tsx';
import { formatMoney, formatNumber, formatShare, Stat } from '../../components/number.tsx';
import { Page } from '../../components/page.tsx';
import { PeriodFilters, toSteps, usePeriod } from '../../components/period.tsx';
import { duration } from '../../components/time.tsx';
import { Attention } from './attention.tsx';

export default function OverviewPage() {
  const { query, set } = usePeriod();
  const overview = useGet<OverviewReply>('/v1/overview', query);
  return (
    <Page title="Overview" actions={<PeriodFilters query={query} set={set} />}>
      <Load from={overview} lines={10}>
        {(data) => {
          const { loop } = data;
          const hasQuestions =
            data.current.questions +
              data.previous.questions +
              loop.current.closed +
              loop.current.lost >
            0;
          const wasAsked = data.steps.some(({ id, isDone }) => id === 'ask' && isDone);
          return (
            <>
              {hasQuestions && <Figures data={data} site={query.site} />}
              {!hasQuestions && wasAsked && (
                <Empty icon="conversations" title="No questions in this period">
                  Choose a longer period.
                </Empty>
              )}
              {hasQuestions && <Attention site={query.site} from={data.from} />}
              <Steps steps={data.steps} isOpen={!wasAsked} />
            </>
          );
        }}
      </Load>
    </Page>
  );
}

const share = (part: number, whole: number) => (whole === 0 ? undefined : part / whole);
const helpfulOf = ({ thumbsUp, thumbsDown }: Totals) => share(thumbsUp, thumbsUp + thumbsDown);

function Figures({ data, site }: { data: OverviewReply; site: string }) {
  const { current, previous } = data;
  const { times, sums, stepOf } = toSteps(data);
  const { loop } = data;
  const marks = times.map((time) => {
    const own = loop.hours.filter((hour) => stepOf(hour.time) === time);
    const sum = (name: 'closed' | 'lost') => own.reduce((all, one) => all + one[name], 0);
    return { closed: sum('closed'), lost: sum('lost') };
  });
  const { questions, unanswered, deflected, firstTextMs, costUsd } = current;
  const ratings = current.thumbsUp + current.thumbsDown;
  const below = (path: string) => to(path + toSearch({ site }));
  return (
    <>
      <div class="figures four">
        <Stat
          label="Asked"
          value={questions}
          before={previous.questions}
          isMoreBetter
          href={below('/conversations')}
        />
        <Stat
          label="Answered"
          value={share(current.answered, questions)}
          before={share(previous.answered, previous.questions)}
          format={formatShare}
          isMoreBetter
          detail={`${formatNumber(unanswered)} unanswered${deflected > 0 ? `, ${formatNumber(deflected)} spared a message` : ''}`}
          href={below('/gaps')}
        />
        <Stat
          label="Gaps closed"
          value={loop.current.closed}
          before={loop.previous.closed}
          isMoreBetter
          detail={`${formatNumber(loop.closedThisMonth)} this month`}
          href={to(`/gaps${toSearch({ site, state: 'answered' })}`)}
        />
        <Stat
          label="Answers lost"
          value={loop.current.lost}
          before={loop.previous.lost}
          isMoreBetter={false}
          href={below('/gaps')}
        />
      </div>
      <Chart
        title="Questions and gaps"
        times={times}
        series={[
          { label: 'Answered', values: sums.map(({ answered }) => answered) },
          { label: 'Unanswered', values: sums.map((one) => one.unanswered) },
          { label: 'Refused', values: sums.map(({ refused }) => refused) },
          { label: 'Incomplete', values: sums.map(({ incomplete }) => incomplete) },
          { label: 'Gaps closed', values: marks.map(({ closed }) => closed), isMark: true },
          { label: 'Answers lost', values: marks.map(({ lost }) => lost), isMark: true },
        ]}
      />
      <div class="figures four">
        <Stat label="Readers" value={current.readers} before={previous.readers} isMoreBetter />
        <Stat
          label="Helpful"
          value={helpfulOf(current)}
          before={helpfulOf(previous)}
          format={formatShare}
          isMoreBetter
          detail={
            ratings === 1 ? 'One rating' : `${ratings === 0 ? 'No' : formatNumber(ratings)} ratings`
          }
          href={below('/feedback')}
        />
        <Stat
          label="Time to first word"
          value={firstTextMs?.p50}
          before={previous.firstTextMs?.p50}
          format={duration}
          isMoreBetter={false}
          {...(firstTextMs && { detail: `95% within ${duration(firstTextMs.p95)}` })}
        />
        <Stat
          label="Cost"
          value={costUsd}
          before={previous.costUsd}
          format={formatMoney}
          href={below('/usage')}
        />
      </div>
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
function Steps({ steps, isOpen }: { steps: readonly Step[]; isOpen: boolean }) {
  const left = steps.filter(({ isDone }) => !isDone).length;
  if (left === 0) return null;
  return (
    <details class="card steps" open={isOpen}>
      <summary>
        Get started: {steps.length - left} of {steps.length} done
      </summary>
      <ol class="list">
        {steps.map(({ id, isDone }) => {
          const { title, text, href } = stepTexts[id];
          return (
            <li key={id} class={isDone ? 'done quiet' : undefined}>
              <span class="step-mark">{isDone && <Icon name="check" />}</span>
              <div>
                {isDone ? title : <a href={to(href)}>{title}</a>}
                {isDone ? <span class="unseen"> (done)</span> : <p class="quiet">{text}</p>}
              </div>
            </li>
          );
        })}
      </ol>
    </details>
  );
}
