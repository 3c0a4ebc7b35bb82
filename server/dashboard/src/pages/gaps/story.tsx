/** What became of a gap: its events in order, and the answers before and after. */
import type { GapStory } from '@docent/shared/analytics';
import type { ComponentChildren } from 'preact';
import { to } from '../../base.ts';
import { Notice } from '../../components/badge.tsx';
import { Icon } from '../../components/icons.tsx';
import { Markdown } from '../../components/markdown.tsx';
import { formatNumber } from '../../components/number.tsx';
import { Section } from '../../components/page.tsx';
import { Time } from '../../components/time.tsx';
import { JobLink, Outcome, PageLink, withSite } from '../../components/readers.tsx';
import { GapState } from './state.tsx';

interface Props {
  domain: string;
  gap: GapStory;
}

type After = NonNullable<GapStory['answers'][number]['after']>;

const times = (count: number, one: string, more: string) =>
  count === 1 ? one : `${formatNumber(count)} ${more}`;

/** What remains, in one sentence. */
export function Outcomes({ gap }: Props) {
  const { state, count, answered, waiting, lost, askedSince } = gap;
  const open = count - answered;
  const wasAsked = gap.answers.some(({ after }) => after?.state === 'done');
  if (state === 'open' && !wasAsked && waiting === 0 && !gap.job) return null;
  const tone = state === 'answered' ? 'good' : lost > 0 ? 'bad' : 'info';
  return (
    <Notice tone={tone}>
      <GapState gap={gap} />{' '}
      {wasAsked &&
        (open === 0
          ? `${times(count, 'The question is', 'questions are')} now answered. `
          : `${formatNumber(answered)} of ${formatNumber(count)} now answered, ${formatNumber(open)} still open. `)}
      {waiting > 0 && 'The questions are asked again as soon as the documentation has been read. '}
      {lost > 0 && `${times(lost, 'An answer was', 'answers were')} lost with a change. `}
      {askedSince > 0 && `${formatNumber(askedSince)} without an answer since the merge. `}
      {state === 'in-review' && 'Read the pull request, and merge it. '}
      {gap.job?.status === 'failed' && 'Its job failed. '}
    </Notice>
  );
}

interface Event {
  icon: 'conversations' | 'projects' | 'check' | 'gaps' | 'sites';
  at: string | null;
  text: ComponentChildren;
}

/** From the first question to the last answer. */
export function Story({ domain, gap }: Props) {
  const { job, answers, count, readers } = gap;
  const pull = job?.pullRequest;
  const asked = answers.flatMap(({ after }) => (after?.state === 'done' ? [after] : []));
  const failed = answers.flatMap(({ after }) => after?.error ?? []);
  const rounds = new Map<string, After[]>();
  for (const ask of asked) {
    const name = `${ask.cause} ${ask.indexedAt}`;
    rounds.set(name, [...(rounds.get(name) ?? []), ask]);
  }
  const who = times(readers, 'one reader', 'readers');
  const events: Event[] = [
    {
      icon: 'conversations',
      at: gap.firstAskedAt,
      text: `Asked ${count === 1 ? 'once' : `${formatNumber(count)} times`} by ${who}`,
    },
    ...(job
      ? [
          {
            icon: 'projects' as const,
            at: job.createdAt,
            text: (
              <>
                <JobLink domain={domain} id={job.id}>
                  Job
                </JobLink>{' '}
                {{ active: 'begun', completed: 'done', failed: 'failed' }[job.status]}
              </>
            ),
          },
        ]
      : []),
    ...(job && pull
      ? [
          {
            icon: 'projects' as const,
            at: pull.endedAt ?? job.finishedAt,
            text: (
              <>
                <PageLink url={pull.url}>Pull request {pull.number}</PageLink>{' '}
                {{ open: 'waits for review', merged: 'merged', closed: 'closed' }[pull.state]}
              </>
            ),
          },
        ]
      : []),
    ...[...rounds.values()].flatMap(eventsOfRound),
  ];
  return (
    <Section title="What happened">
      <ol class="list story">
        {events
          .toSorted((a, b) => (a.at ?? '').localeCompare(b.at ?? ''))
          .map(({ icon, at, text }, index) => (
            <li key={index}>
              <Icon name={icon} />
              <span>{text}</span>
              <span class="quiet">{at && <Time at={at} />}</span>
            </li>
          ))}
      </ol>
      {failed.length > 0 && <Notice tone="warn">{failed[0]}</Notice>}
    </Section>
  );
}

function eventsOfRound(asks: After[]): Event[] {
  const [first] = asks;
  if (!first) return [];
  const { indexedAt, commits, isLost } = first;
  const answered = asks.filter(({ outcome }) => outcome === 'answered').length;
  const at = asks.reduce((last, ask) => ((ask.at ?? '') > last ? (ask.at ?? '') : last), '');
  return [
    {
      icon: 'sites',
      at: indexedAt,
      text: (
        <>
          Documentation read
          {commits.map((commit) => (
            <>
              {' '}
              <code title={commit}>{commit.slice(0, 7)}</code>
            </>
          ))}
        </>
      ),
    },
    {
      icon: isLost ? 'gaps' : 'check',
      at,
      text: isLost
        ? times(asks.length, 'An answer was lost', 'answers were lost')
        : `Asked again: ${formatNumber(answered)} of ${times(asks.length, 'one wording', 'wordings')} answered`,
    },
  ];
}

/** So many are open when the page opens. */
const opened = 3;

export function Answers({ domain, gap }: Props) {
  const asked = gap.answers.filter(({ after }) => after !== null);
  if (asked.length === 0) return null;
  const isOpen = ({ after }: (typeof asked)[number]) => after?.outcome !== 'answered';
  const sorted = asked.toSorted((a, b) => Number(isOpen(b)) - Number(isOpen(a)));
  return (
    <Section title="Answers, before and now" description="What remains comes first.">
      <div class="stack">
        {sorted.map(({ messageId, threadId, question, before, after }, index) => (
          <details key={messageId} class="card" open={index < opened}>
            <summary>
              <span class="words" dir="auto">
                {question}
              </span>{' '}
              {after?.state === 'done' && <Outcome of={toOutcome(after.outcome)} />}
            </summary>
            <div class="columns before-and-now">
              <section aria-label={`Before: ${question.slice(0, 100)}`}>
                <h3>
                  <a href={to(withSite(`/conversations/${threadId}`, domain))}>Before</a>
                </h3>
                <Answer of={before} at={before.at} />
              </section>
              <section aria-label={`Now: ${question.slice(0, 100)}`}>
                <h3>Now</h3>
                {after?.state === 'done' ? (
                  <Answer of={after} at={after.at} />
                ) : (
                  <p class="quiet">
                    {after?.state === 'failed'
                      ? `It could not be asked: ${after.error}`
                      : 'Waits for the next time that the documentation is read.'}
                  </p>
                )}
              </section>
            </div>
          </details>
        ))}
      </div>
    </Section>
  );
}

const toOutcome = (outcome: After['outcome']) => ({
  resolutionStatus: outcome,
  status: outcome ?? 'failed',
});

interface AnswerProps {
  of: Pick<After, 'outcome' | 'answer' | 'sources'>;
  at: string | null;
}

function Answer({ of, at }: AnswerProps) {
  return (
    <>
      <p class="row">
        <Outcome of={toOutcome(of.outcome)} />
        <span class="quiet">{at && <Time at={at} />}</span>
      </p>
      {of.answer === '' ? (
        <p class="quiet">None.</p>
      ) : (
        <div dir="auto">
          <Markdown text={of.answer} sources={of.sources} />
        </div>
      )}
      {of.sources.length > 0 && (
        <ul class="list">
          {of.sources.map(({ id, url, title }) => (
            <li key={id}>
              <PageLink url={url}>{title}</PageLink>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
