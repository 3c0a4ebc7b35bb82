/** One conversation: what its reader saw, and beside it what the owner wants to know. */
import type { ForgetResponse, ThreadResponse, Turn } from '@docent/shared/analytics';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { send } from '../../api/client.ts';
import { useGet } from '../../api/load.ts';
import { to } from '../../base.ts';
import { Button } from '../../components/button.tsx';
import { Badge, Notice } from '../../components/badge.tsx';
import { confirm } from '../../components/confirm.tsx';
import { Load } from '../../components/empty.tsx';
import { type Fact, Facts } from '../../components/facts.tsx';
import { Markdown } from '../../components/markdown.tsx';
import { formatMoney, formatNumber, formatShare } from '../../components/number.tsx';
import { Page } from '../../components/page.tsx';
import { duration, Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { can } from '../../session.ts';
import { OfSite } from '../../components/site.tsx';
import {
  JobLink,
  ofSite,
  Outcome,
  PageLink,
  Rating,
  reasonWords,
  withSite,
} from '../../components/readers.tsx';

/** Readers who have no name can't be told apart. */
const anonymous = 'anonymous';

export const OneConversation = ({ id }: { id: string }) => (
  <OfSite>{(domain) => <Conversation key={domain} domain={domain} id={id} />}</OfSite>
);

function Conversation({ domain, id }: { domain: string; id: string }) {
  const { route } = useLocation();
  const path = ofSite('/v1/analytics', domain, `/assistant/${encodeURIComponent(id)}`);
  const thread = useGet<ThreadResponse>(path);
  const reader = thread.data.value?.reader ?? anonymous;
  const list = withSite('/conversations', domain);
  return (
    <Page
      title="Conversation"
      parent={{ href: list, title: 'Conversations' }}
      actions={
        reader !== anonymous && (
          <>
            <a
              class="button"
              href={to(withSite('/conversations', domain, { reader, range: 'all' }))}
            >
              More from this reader
            </a>
            {can('POST /v1/readers/{domain}/forget') && (
              <Button onClick={() => askToForget(domain, reader, () => route(to(list)))}>
                Delete the reader’s data
              </Button>
            )}
          </>
        )
      }
    >
      <Load from={thread} lines={8}>
        {({ turns, hasEarlier }) => <Turns domain={domain} turns={turns} hasEarlier={hasEarlier} />}
      </Load>
    </Page>
  );
}

function askToForget(domain: string, reader: string, then: () => void): void {
  confirm({
    title: 'Delete all data of this reader?',
    consequences:
      'All their conversations and feedback on this site are deleted, their words are removed from agent jobs, and figures no longer count them. Pull requests stay as they are. This can’t be undone.',
    action: 'Delete data',
    typeName: domain,
    run: async () => {
      const path = ofSite('/v1/readers', domain, '/forget');
      const { questions, feedback } = await send<ForgetResponse>('POST', path, { reader });
      toast(`Deleted ${formatNumber(questions)} questions and ${formatNumber(feedback)} ratings`);
      then();
    },
  });
}

interface TurnsProps extends Pick<ThreadResponse, 'turns' | 'hasEarlier'> {
  domain: string;
}

function Turns({ domain, turns, hasEarlier }: TurnsProps) {
  const { question } = useLocation().query;
  useEffect(() => {
    if (turns[0]?.id !== question) document.getElementById(question ?? '')?.scrollIntoView();
  }, [question]);
  return (
    <div class="turns">
      {hasEarlier && <Notice>Only the last 200 questions of this conversation are shown.</Notice>}
      {turns.map((turn) => (
        <OneTurn key={turn.id} domain={domain} turn={turn} />
      ))}
    </div>
  );
}

function OneTurn({ domain, turn }: { domain: string; turn: Turn }) {
  const { id, query, response, sources, context, feedback, jobId } = turn;
  const isReplaced = turn.replacedBy !== null;
  return (
    <article
      id={id}
      class={isReplaced ? 'turn replaced two-columns' : 'turn two-columns'}
      aria-label={query.slice(0, 100)}
    >
      <div class="stack">
        <p class="asked" dir="auto">
          {query}
        </p>
        {context.map(({ value, path }, index) => (
          <div key={index} class="stack">
            <blockquote class="quoted" dir="auto" tabIndex={0}>
              {value}
            </blockquote>
            {path !== undefined && <PageLink url={path} />}
          </div>
        ))}
        {response === '' ? (
          <p class="quiet">There is no answer.</p>
        ) : (
          <div dir="auto">
            <Markdown text={response} sources={sources} />
          </div>
        )}
        <Found of={turn} />
      </div>
      <div class="stack">
        <div class="row">
          <Outcome of={turn} />
          {isReplaced && <Badge>Asked again</Badge>}
        </div>
        {feedback && (
          <div class="card stack tight">
            <Rating isUp={feedback.helpful} />
            {feedback.reasons.length > 0 && <p>{feedback.reasons.map(reasonWords).join(', ')}</p>}
            {feedback.comment !== null && (
              <p class="words" dir="auto">
                {feedback.comment}
              </p>
            )}
            <a href={to(withSite(`/feedback/${feedback.id}`, domain))}>Open the feedback</a>
          </div>
        )}
        <TurnFacts turn={turn} />
        {jobId !== null && (
          <JobLink domain={domain} id={jobId}>
            Open its job
          </JobLink>
        )}
      </div>
    </article>
  );
}

/** The sources as the reader saw them, and what else the search found, with scores. */
function Found({ of: { sources, passages } }: { of: Turn }) {
  const scoreOf = new Map(passages.toReversed().map(({ url, score }) => [url, score]));
  const cited = new Set(sources.map(({ url }) => url));
  const others = [...new Map(passages.map((one) => [one.url, one])).values()].filter(
    ({ url }) => !cited.has(url),
  );
  const entry = (name: string, { url, title }: { url: string; title: string }) => (
    <li key={url}>
      {name !== '' && <span class="cite">{name}</span>}
      <PageLink url={url}>{title}</PageLink>
      <span class="number quiet">{scoreOf.get(url)?.toFixed(2)}</span>
    </li>
  );
  return (
    <>
      {sources.length > 0 && (
        <div>
          <h2 class="scored">
            Sources <span>Score</span>
          </h2>
          <ol class="list" aria-label="Sources">
            {sources.map((source) => entry(source.id, source))}
          </ol>
        </div>
      )}
      {others.length > 0 && (
        <details>
          <summary>
            {sources.length > 0 ? 'Also found' : 'What the search found'} ({others.length})
          </summary>
          <ul class="list">{others.map((passage) => entry('', passage))}</ul>
        </details>
      )}
    </>
  );
}

function TurnFacts({ turn }: { turn: Turn }) {
  const { timestamp, finishedAt, firstTextMs, searchMs, inputTokens, outputTokens } = turn;
  const facts: Fact[] = [
    ['Asked', <Time at={timestamp} isExact />],
    ['On page', turn.currentPath === null ? null : <PageLink url={turn.currentPath} />],
    ['Model', turn.model],
    ['First word', firstTextMs === null ? null : duration(firstTextMs)],
    ['Search', searchMs === null ? null : duration(searchMs)],
    [
      'Whole answer',
      finishedAt === null ? null : duration(Date.parse(finishedAt) - Date.parse(timestamp)),
    ],
    [
      'Tokens',
      !inputTokens
        ? null
        : `${formatNumber(inputTokens)} in, ${formatNumber(outputTokens ?? 0)} out`,
    ],
    ['Cost', formatMoney(turn.costUsd)],
    ['Confidence', turn.confidence === null ? null : formatShare(turn.confidence)],
    ['Finish reason', turn.finishReason === 'stop' ? null : turn.finishReason],
  ];
  return <Facts facts={facts} />;
}
