/** One gap: who asks, how often, and in which words; and what people make of it. */
import type { Gap, GapDecision, GapsResponse } from '@docent/shared/analytics';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { type Loaded, useReloadWhile } from '../../api/load.ts';
import { to } from '../../base.ts';
import { Notice } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Empty, Load } from '../../components/empty.tsx';
import { formatNumber, Stat } from '../../components/number.tsx';
import { Page, Section } from '../../components/page.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { can } from '../../session.ts';
import { JobLink, PageLink, withSite } from '../../components/readers.tsx';
import { GapState, questionsOf } from './state.tsx';
import { Trend } from './trend.tsx';
import { WriteIt } from './write-it.tsx';

interface OneGapProps {
  domain: string;
  /** `undefined` until it's loaded, or if it isn't in the period. */
  gap: Gap | undefined;
  from: Loaded<GapsResponse>;
  decide: (decision: GapDecision) => Promise<string>;
}

export function OneGap({ domain, gap, from, decide }: OneGapProps) {
  const { route } = useLocation();
  const [isWriting, setWriting] = useState(false);
  useReloadWhile(gap?.state === 'in-progress', from);
  const isDismissed = gap?.state === 'dismissed';
  const replaces = gap ? [gap.id] : [];
  const questions = gap ? questionsOf(gap) : [];
  const open = (id: string) => route(to(withSite(`/gaps/${id}`, domain)), true);
  const dismiss = async (state: 'open' | 'dismissed') => {
    open(await decide({ gaps: [{ messageIds: questions, state }], replaces }));
    toast(state === 'open' ? 'Open again' : 'Dismissed. New questions like these are, too.');
  };
  const split = async (some: ReadonlySet<string>) => {
    const chosen = questions.filter((id) => some.has(id));
    const others = questions.filter((id) => !some.has(id));
    const gaps = [chosen, others].map((messageIds) => ({ messageIds, state: 'open' as const }));
    open(await decide({ gaps, replaces }));
    toast('Two gaps now. This is the one with the questions that you chose.');
  };
  return (
    <Page
      title={gap?.question ?? 'Gap'}
      parent={{ href: withSite('/gaps', domain), title: 'Gaps' }}
      actions={
        gap && (
          <>
            {can('POST /v1/gaps/{domain}') && (
              <Button onClick={() => dismiss(isDismissed ? 'open' : 'dismissed')}>
                {isDismissed ? 'Open again' : 'Dismiss gap'}
              </Button>
            )}
            {can('POST /v1/analytics/{domain}/unanswered/job') && !isDismissed && (
              <Button kind="primary" onClick={() => setWriting(true)}>
                Write it
              </Button>
            )}
          </>
        )
      }
    >
      <Load from={from} lines={8}>
        {() =>
          gap ? (
            <Detail key={gap.id} domain={domain} gap={gap} onSplit={split} />
          ) : (
            <Empty icon="gaps" title="This gap is no longer here">
              Someone may have merged or split it, or nobody asked in this period.
            </Empty>
          )
        }
      </Load>
      {gap && isWriting && (
        <WriteIt
          domain={domain}
          gap={gap}
          onClose={() => setWriting(false)}
          onMade={() => {
            setWriting(false);
            void from.reload();
          }}
        />
      )}
    </Page>
  );
}

interface DetailProps {
  domain: string;
  gap: Gap;
  onSplit: (messageIds: ReadonlySet<string>) => Promise<void>;
}

function Detail({ domain, gap, onSplit }: DetailProps) {
  const { count, readers, weeks, nearestPages, askedOn, examples } = gap;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const ids = examples
    .filter(({ messageId }) => chosen.has(messageId))
    .flatMap(({ messageIds }) => messageIds);
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  const canSplit = can('POST /v1/gaps/{domain}') && examples.length > 1;
  return (
    <>
      <Progress domain={domain} gap={gap} />
      <div class="figures four">
        <Stat label="Asked" value={count} />
        <Stat label="Readers" value={readers} />
        <div class="stat">
          <span class="stat-label">Per week</span>
          <Trend weeks={weeks} isLarge />
        </div>
        <div class="stat">
          <span class="stat-label">Last asked</span>
          <strong>
            <Time at={gap.lastAskedAt} />
          </strong>
          <span>
            First asked <Time at={gap.firstAskedAt} />
          </span>
        </div>
      </div>
      <Section
        title="Wordings"
        description={canSplit ? 'Choose some to make them a gap of their own.' : undefined}
      >
        <ul class="list wordings">
          {examples.map(({ messageId, question, messageIds }) => (
            <li key={messageId}>
              <label>
                {canSplit && (
                  <input
                    type="checkbox"
                    checked={chosen.has(messageId)}
                    onChange={() => toggle(messageId)}
                  />
                )}
                <span class="question" dir="auto">
                  {question}
                </span>
              </label>
              <a
                class="number"
                title="Its conversations"
                href={to(
                  withSite('/conversations', domain, {
                    text: question.slice(0, 100),
                    range: 'all',
                  }),
                )}
              >
                {formatNumber(messageIds.length)}×
              </a>
            </li>
          ))}
        </ul>
        {chosen.size > 0 && (
          <div class="selection" role="region" aria-label="Chosen wordings">
            <span>{formatNumber(chosen.size)} chosen</span>
            {chosen.size < examples.length && (
              <Button kind="primary" onClick={() => onSplit(new Set(ids))}>
                Split off
              </Button>
            )}
          </div>
        )}
      </Section>
      <div class="columns">
        <Section
          title="Nearest pages"
          description="What the search found for these questions. The answer may belong there."
        >
          {nearestPages.length === 0 ? (
            <p class="quiet">The search found nothing.</p>
          ) : (
            <ul class="list">
              {nearestPages.map(({ url, title }) => (
                <li key={url}>
                  <PageLink url={url}>{title}</PageLink>
                </li>
              ))}
            </ul>
          )}
        </Section>
        {askedOn.length > 0 && (
          <Section title="Asked on">
            <ul class="list">
              {askedOn.map((page) => (
                <li key={page}>
                  <a href={to(withSite('/conversations', domain, { page }))}>{page}</a>
                </li>
              ))}
            </ul>
          </Section>
        )}
      </div>
    </>
  );
}

/** Where its job and its pull request stand. */
function Progress({ domain, gap }: { domain: string; gap: Gap }) {
  const { job, state, askedSince } = gap;
  if (!job) return state === 'dismissed' ? <GapState gap={gap} /> : null;
  const pull = job.pullRequest;
  const tone = state === 'merged' && askedSince === 0 ? 'good' : 'info';
  return (
    <Notice tone={job.status === 'failed' ? 'bad' : tone}>
      <GapState gap={gap} />{' '}
      {state === 'merged' && pull?.endedAt && (
        <>
          Merged <Time at={pull.endedAt} />.{' '}
          {askedSince === 0
            ? 'Nobody has asked without an answer since.'
            : `Questions without an answer since then: ${formatNumber(askedSince)}.`}{' '}
        </>
      )}
      {state === 'open' && pull?.state === 'closed' && 'Its pull request was closed. '}
      {job.status === 'failed' && 'Its job failed. '}
      {pull && (
        <>
          <PageLink url={pull.url}>Pull request {pull.number}</PageLink>
          {' · '}
        </>
      )}
      <JobLink domain={domain} id={job.id}>
        Job
      </JobLink>
    </Notice>
  );
}
