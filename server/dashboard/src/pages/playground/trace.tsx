/** One answer with what led to it. */
import type { PlaygroundReply } from '@docent/shared/playground';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { Badge } from '../../components/badge.tsx';
import { Copy } from '../../components/copy.tsx';
import { Markdown } from '../../components/markdown.tsx';
import { formatMoney, formatNumber, formatShare } from '../../components/number.tsx';
import { duration } from '../../components/time.tsx';
import { compareWords } from './compare-words.ts';

const outcomes = {
  answered: ['good', 'Answered'],
  unanswered: ['warn', 'Unanswered'],
  refused: ['bad', 'Refused'],
} as const;

export function Trace({ reply }: { reply: PlaygroundReply }) {
  const { answer, sources, passages, candidates, query, prompt, timings, usage } = reply;
  const [tone, outcome] = outcomes[reply.outcome];
  return (
    <>
      <div class="row">
        <Badge tone={tone}>{outcome}</Badge>
        <Badge>{formatShare(reply.confidence)} confidence</Badge>
        <code class="quiet">{reply.model}</code>
      </div>
      <Part title="Answer">
        <Markdown text={answer} sources={sources} />
      </Part>
      <Part title="Sources" count={sources.length}>
        <ol class="trace-list">
          {sources.map(({ id, title, url }) => (
            <li key={id}>
              <span class="score">[{id}]</span>
              <a href={url} target="_blank" rel="noreferrer">
                {title}
              </a>
            </li>
          ))}
        </ol>
      </Part>
      <Part title="Time and cost">
        <Facts
          facts={[
            ['Search', duration(timings.searchMs)],
            ['First word', timings.firstTextMs === null ? 'None' : duration(timings.firstTextMs)],
            ['In all', duration(timings.totalMs)],
            [
              'Tokens',
              usage
                ? `${formatNumber(usage.inputTokens)} in, ${formatNumber(usage.outputTokens)} out`
                : 'None',
            ],
            ['Cost', formatMoney(reply.costUsd)],
          ]}
        />
      </Part>
      <Part title="Search query">
        <Facts
          facts={[
            ['Text', query.text],
            ...(query.before?.length ? [['Earlier', query.before.join(' · ')] as const] : []),
            ...(query.currentPath ? [['Page', query.currentPath] as const] : []),
            ['Sections', formatNumber(query.pageSize)],
          ]}
        />
      </Part>
      <Part title="Found" count={candidates.length}>
        <ol class="trace-list">
          {candidates.map((page) => (
            <li key={page.path}>
              <Score value={page.score} />
              <div>
                {page.title} <code class="quiet">{page.path}</code>
                <p class="quiet">{page.passages.map(({ heading }) => heading).join(' · ')}</p>
              </div>
            </li>
          ))}
        </ol>
      </Part>
      <Part title="Passages sent" count={passages.length}>
        <div class="trace-list">
          {passages.map(({ number, title, score, markdown }, at) => (
            <details key={at} class="raw">
              <summary>
                <Score value={score} /> [{number}] {title}
              </summary>
              <pre tabIndex={0}>{markdown}</pre>
            </details>
          ))}
        </div>
      </Part>
      <Part title="Prompt" count={prompt.length}>
        {prompt.length === 0 && <p class="quiet">The built-in model quotes without a prompt.</p>}
        {prompt.map(({ role, text }, at) => (
          <details key={at} class="raw">
            <summary>
              {role}, {formatNumber(text.length)} characters
            </summary>
            <pre tabIndex={0}>{text}</pre>
            <Copy value={text} label={`Copy ${role} message`} />
          </details>
        ))}
      </Part>
      <Part title="What the filter changed">
        <Changes raw={reply.rawText} answer={answer} />
      </Part>
    </>
  );
}

interface PartProps {
  title: string;
  count?: number;
  children: ComponentChildren;
}

const Part = ({ title, count, children }: PartProps) => (
  <section class="trace-part">
    <h3>
      {title} {count !== undefined && <span class="count">{count}</span>}
    </h3>
    {count === 0 && title !== 'Prompt' ? <p class="quiet">None.</p> : children}
  </section>
);

const Facts = ({ facts }: { facts: readonly (readonly [string, string])[] }) => (
  <dl class="facts">
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd class="number">{value}</dd>
      </div>
    ))}
  </dl>
);

const score = new Intl.NumberFormat(undefined, {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
const Score = ({ value }: { value: number }) => (
  <span class="number score">{score.format(value)}</span>
);

function Changes({ raw, answer }: { raw: string; answer: string }) {
  const pieces = useMemo(() => compareWords(raw, answer), [raw, answer]);
  if (pieces.every(({ kind }) => kind === 'same')) {
    return <p class="quiet">Nothing: readers see what the model wrote.</p>;
  }
  return (
    <div class="raw">
      <pre class="changes" tabIndex={0}>
        {pieces.map(({ kind, text }, at) =>
          kind === 'same' ? (
            text
          ) : kind === 'left-out' ? (
            <del key={at}>{text}</del>
          ) : (
            <ins key={at}>{text}</ins>
          ),
        )}
      </pre>
    </div>
  );
}
