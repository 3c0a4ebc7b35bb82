/** One gap: who asks, how often, and in which words; and what people make of it. */
import type { GapDecision, GapStory } from '@docent/shared/analytics';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { send } from '../../api/client.ts';
import { useGet, useReloadWhile } from '../../api/load.ts';
import { to } from '../../base.ts';
import { Button } from '../../components/button.tsx';
import { Load } from '../../components/empty.tsx';
import { formatNumber, Stat } from '../../components/number.tsx';
import { Page, Section } from '../../components/page.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { can } from '../../session.ts';
import { ofSite, PageLink, withSite } from '../../components/readers.tsx';
import { isUnderWay, questionsOf } from './state.tsx';
import { Answers, Outcomes, Story } from './story.tsx';
import { Trend } from './trend.tsx';
import { WriteIt } from './write-it.tsx';

interface OneGapProps {
  domain: string;
  id: string;
  decide: (decision: GapDecision) => Promise<string>;
}

export function OneGap({ domain, id, decide }: OneGapProps) {
  const { route } = useLocation();
  const [isWriting, setWriting] = useState(false);
  const path = ofSite('/v1/gaps', domain, `/${encodeURIComponent(id)}`);
  const from = useGet<GapStory>(path);
  const gap = from.data.value;
  const isMoving = ['queued', 'drafting', 'in-review', 'merged'].includes(gap?.state ?? '');
  useReloadWhile(isMoving || (gap?.waiting ?? 0) > 0, from);
  const isDismissed = gap?.state === 'dismissed';
  const replaces = gap ? [gap.id] : [];
  const questions = gap ? questionsOf(gap) : [];
  const open = (id: string) => route(to(withSite(`/gaps/${id}`, domain)), true);
  const dismiss = async (state: 'open' | 'dismissed') => {
    open(await decide({ gaps: [{ messageIds: questions, state }], replaces }));
    toast(state === 'open' ? 'Open again' : 'Dismissed. New questions like these are, too.');
  };
  const askAgain = async () => {
    const { questions: count } = await send<{ questions: number }>('POST', `${path}/ask`);
    toast(count === 0 ? 'They’re being asked already' : 'Reading the documentation, then asking');
    await from.reload();
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
            {can('POST /v1/gaps/{domain}/{id}/ask') && !isDismissed && (
              <Button onClick={askAgain}>Ask again</Button>
            )}
            {can('POST /v1/analytics/{domain}/unanswered/job') &&
              !isDismissed &&
              !isUnderWay(gap.state) && (
                <Button
                  {...(gap.state !== 'answered' && { kind: 'primary' as const })}
                  onClick={() => setWriting(true)}
                >
                  Write it
                </Button>
              )}
          </>
        )
      }
    >
      <Load from={from} lines={8}>
        {(story) => <Detail domain={domain} gap={story} onSplit={split} />}
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
  gap: GapStory;
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
      <Outcomes domain={domain} gap={gap} />
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
      <Story domain={domain} gap={gap} />
      <Answers domain={domain} gap={gap} />
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
              {nearestPages.map(({ url, title, source }) => (
                <li key={url}>
                  <PageLink url={url}>{title}</PageLink>
                  {source !== undefined && <code> {source}</code>}
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
