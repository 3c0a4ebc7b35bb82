/** One answer with what led to it. */
import type { PlaygroundReply } from '@docent/shared/playground';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { Badge, Notice } from '../../components/badge.tsx';
import { Copy } from '../../components/copy.tsx';
import { Facts } from '../../components/facts.tsx';
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
        <code class="quiet">{reply.model}</code>
      </div>
      {reply.notices.map((notice) => (
        <Notice key={notice} tone="warn">
          {notice}
        </Notice>
      ))}
      <div class="trace">
        <div>
          <Markdown text={answer} sources={sources} />
          <Part title="Sources" count={sources.length}>
            <ol class="list">
              {sources.map(({ id, title, url }) => (
                <li key={id}>
                  <span class="cite">{id}</span>
                  <a href={url} target="_blank" rel="noreferrer">
                    {title}
                  </a>
                </li>
              ))}
            </ol>
          </Part>
          <Part title="Changed by the output filter">
            <Changes raw={reply.rawText} answer={answer} />
          </Part>
        </div>
        <div>
          <Facts
            facts={[
              ['Confidence', formatShare(reply.confidence)],
              ['Search', duration(timings.searchMs)],
              ['First word', timings.firstTextMs === null ? null : duration(timings.firstTextMs)],
              ['Whole answer', duration(timings.totalMs)],
              [
                'Tokens',
                usage &&
                  `${formatNumber(usage.inputTokens)} in, ${formatNumber(usage.outputTokens)} out`,
              ],
              ['Cost', formatMoney(reply.costUsd)],
            ]}
          />
          <Part title="Search query">
            <Facts
              facts={[
                ['Text', query.text],
                ['Earlier', query.before?.join(' · ') || null],
                ['Page', query.currentPath || null],
                ['Sections', formatNumber(query.pageSize)],
              ]}
            />
          </Part>
          <Part title="Pages found" count={candidates.length}>
            <ol class="list">
              {candidates.map((page) => (
                <li key={page.path}>
                  <div>
                    {page.title} <code class="quiet">{page.path}</code>
                    <p class="quiet">{page.passages.map(({ heading }) => heading).join(' · ')}</p>
                  </div>
                  <Score value={page.score} />
                </li>
              ))}
            </ol>
          </Part>
          <Part title="Passages sent" count={passages.length}>
            {passages.map(({ number, title, score, markdown }, at) => (
              <details key={at} class="raw">
                <summary>
                  [{number}] {title} <Score value={score} />
                </summary>
                <pre tabIndex={0}>{markdown}</pre>
              </details>
            ))}
          </Part>
          <Part title="Prompt">
            {prompt.length === 0 && (
              <p class="quiet">The built-in model quotes without a prompt.</p>
            )}
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
        </div>
      </div>
    </>
  );
}

interface PartProps {
  title: string;
  count?: number;
  children: ComponentChildren;
}

const Part = ({ title, count, children }: PartProps) => (
  <section class="trace-part stack">
    <h3>
      {title} {count !== undefined && <span class="count">{count}</span>}
    </h3>
    {count === 0 ? <p class="quiet">None.</p> : children}
  </section>
);

const score = new Intl.NumberFormat(undefined, {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
const Score = ({ value }: { value: number }) => (
  <span class="number quiet">{score.format(value)}</span>
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
