/** The log of a job, as it grows. */
import type { ChecksReport } from '@docent/shared/agent-checks';
import type { AgentLogEntry } from '@docent/shared/agent-events';
import { checkTitles, toldChecks } from '@docent/shared/check-words';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { follow } from '../../api/client.ts';
import { Prose, Visible } from '../../components/foreign.tsx';
import { counted } from './diff.tsx';

type Entry<Type extends AgentLogEntry['type']> = Extract<AgentLogEntry, { type: Type }>;

/** What one line of the log shows: an entry, consecutive texts, or a call with its results. */
interface Item {
  entry: AgentLogEntry;
  text: string;
  results: Entry<'tool-result'>[];
}

/** Adds an entry. A changed item is a new object, so that only it is drawn again. */
function add(items: Item[], entry: AgentLogEntry): void {
  const last = items.at(-1);
  if (entry.type === 'text' && last?.entry.type === 'text') {
    items[items.length - 1] = { ...last, text: last.text + entry.text };
  } else if (entry.type === 'tool-result') {
    const at = items.findLastIndex(
      (item) => item.entry.type === 'tool-call' && item.entry.id === entry.id,
    );
    const call = items[at];
    if (call) items[at] = { ...call, results: [...call.results, entry] };
  } else {
    items.push({ entry, text: entry.type === 'text' ? entry.text : '', results: [] });
  }
}

/** Events that change what stands around the log. */
const changing: ReadonlySet<AgentLogEntry['type']> = new Set([
  'todos',
  'step',
  'started',
  'pull-request',
  'completed',
  'failed',
  'cancel-requested',
]);

/** Follows a log to its end, and on after a break of the connection. */
function useLog(path: string, round: number, onChange: () => void): readonly Item[] {
  const items = useRef<Item[]>([]);
  const [, setVersion] = useState(0);
  const seen = useRef(0);
  const changed = useRef(onChange);
  changed.current = onChange;
  useEffect(() => {
    const stop = new AbortController();
    let isDrawn = true;
    const take = (entry: AgentLogEntry) => {
      if (stop.signal.aborted || entry.seq <= seen.current) return;
      seen.current = entry.seq;
      add(items.current, entry);
      if (changing.has(entry.type)) changed.current();
      if (!isDrawn) return;
      isDrawn = false;
      // Many entries come at once. Not with the next frame, which tabs in the background don't get.
      setTimeout(() => {
        isDrawn = true;
        if (!stop.signal.aborted) setVersion((version) => version + 1);
      }, 50);
    };
    void follow(
      path,
      () => seen.current,
      (data) => take(data as AgentLogEntry),
      stop.signal,
    );
    return () => stop.abort();
  }, [path, round]);
  return items.current;
}

interface LogProps {
  /** Of the stream with its events. */
  path: string;
  /** A follow-up begins another one, with more events. */
  round: number;
  isActive: boolean;
  /** Our page of a pull request, or the host's. */
  pullUrl: (entry: Entry<'pull-request'>) => string | undefined;
  /** Something around the log has changed. */
  onChange: () => void;
}

export function Log({ path, round, isActive, pullUrl, onChange }: LogProps) {
  const items = useLog(path, round, onChange);
  return (
    <details class="card log-box" open={isActive}>
      <summary>Log</summary>
      <div role="log" aria-label="Log of the job">
        <ol class="log">
          {items.map((item) => (
            <Line key={item.entry.seq} item={item} pullUrl={pullUrl} />
          ))}
        </ol>
      </div>
    </details>
  );
}

const who = { user: 'Instruction', system: 'System', assistant: 'Assistant' } as const;

function Line({ item, pullUrl }: { item: Item } & Pick<LogProps, 'pullUrl'>) {
  const { entry, text, results } = item;
  switch (entry.type) {
    case 'message':
      return (
        <li>
          <span class="who">{who[entry.role]}</span>
          <div class="bubble" dir="auto">
            <Visible text={entry.prompt} />
          </div>
        </li>
      );
    case 'text':
      return (
        <li class="words" dir="auto">
          <Visible text={text} />
        </li>
      );
    case 'tool-call':
      return <Call entry={entry} results={results} />;
    case 'started':
      return (
        <Note>
          {entry.isResumed
            ? 'Continued after an interruption'
            : `Started${entry.round > 1 ? ' work on the follow-up' : ''}`}
        </Note>
      );
    case 'queued':
      // For the first in the queue, the state of the job is enough.
      return entry.position <= 1 ? null : (
        <Note>Waiting for {counted(entry.position - 1, 'other job')}</Note>
      );
    case 'compacted':
      return <Note>Shortened the conversation with the model</Note>;
    case 'denied':
      return (
        <Note isBad>
          Couldn’t write{' '}
          <code>
            <Visible text={entry.path} />
          </code>
          : {entry.reason}
        </Note>
      );
    case 'checks':
      return (
        <li>
          <span class="who">Checks</span>
          <Checks report={entry.report} />
        </li>
      );
    case 'pull-request': {
      const url = pullUrl(entry);
      const name = `#${entry.number}`;
      return (
        <Note>
          Pull request{' '}
          {url === undefined ? (
            name
          ) : (
            <a href={url} rel="noreferrer">
              {name}
            </a>
          )}
          {entry.isDraft && ' (draft)'}
        </Note>
      );
    }
    case 'cancel-requested':
      return <Note>Cancellation requested</Note>;
    case 'completed':
      return (
        <li>
          <span class="who">Completed</span>
          {entry.message !== null && <Prose text={entry.message} />}
        </li>
      );
    case 'failed':
      // The page says why, above the log.
      return <Note isBad>Failed</Note>;
    case 'archived':
      return <Note>Archived</Note>;
    // The page shows these beside the log.
    case 'todos':
    case 'step':
    case 'tool-result':
      return null;
  }
}

const Note = ({ isBad = false, children }: { isBad?: boolean; children: ComponentChildren }) => (
  <li class={isBad ? 'note bad' : 'note'}>{children}</li>
);

const tools = new Map<string, [done: string, key?: string]>([
  ['list', ['Listed files', 'glob']],
  ['search', ['Searched for', 'query']],
  ['read', ['Read', 'path']],
  ['code_list', ['Listed code', 'repository']],
  ['code_search', ['Searched the code for', 'query']],
  ['code_read', ['Read the code', 'path']],
  ['write', ['Wrote', 'path']],
  ['edit', ['Edited', 'path']],
  ['correct', ['Corrected', 'path']],
  ['move', ['Moved', 'from']],
  ['delete', ['Deleted', 'path']],
  ['todo', ['Updated the to-do list']],
  ['check', ['Checked the documentation']],
  ['finish', ['Finished the change']],
]);

function Call({ entry, results }: { entry: Entry<'tool-call'>; results: Item['results'] }) {
  const { name, input } = entry;
  const [done, key] = tools.get(name) ?? [`Tried “${name}”, which doesn’t exist`];
  const about = key === undefined ? '' : fieldOf(input, key);
  return (
    <li class="call">
      <details>
        <summary>
          {done}
          {about !== '' && (
            <>
              {' '}
              <code>
                <Visible text={about.slice(0, 200)} />
              </code>
            </>
          )}
        </summary>
        <pre tabIndex={0}>
          <Visible text={input} />
        </pre>
        {results.map(({ seq, isError, output }) => (
          <div key={seq} class={isError ? 'bad' : undefined}>
            <span class="who">{isError ? 'Refused' : 'Result'}</span>
            <pre tabIndex={0}>
              <Visible text={output} />
            </pre>
          </div>
        ))}
      </details>
    </li>
  );
}

/** A field of JSON that may be cut off. */
function fieldOf(input: string, key: string): string {
  const [, text = ''] = new RegExp(`"${key}"\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)"`).exec(input) ?? [];
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}

const checkSigns = { passed: '✓', failed: '✕', skipped: '–' } as const;
const checkWords = { passed: 'passed', failed: 'failed', skipped: 'not checked' } as const;

function Checks({ report }: { report: ChecksReport }) {
  const { problems, more } = report;
  return (
    <>
      <ul class="checks">
        {toldChecks(report).map(({ name, status, note }) => (
          <li key={name} class={status}>
            <span aria-hidden="true">{checkSigns[status]}</span> {checkTitles[name]}{' '}
            <span class="quiet">
              {checkWords[status]}
              {note !== undefined && `: ${note}`}
            </span>
          </li>
        ))}
      </ul>
      {problems.length > 0 && (
        <ul class="checks">
          {problems.map(({ path, line, message }, index) => (
            <li key={index}>
              <code>
                <Visible text={path} />
                {line !== undefined && `:${line}`}
              </code>{' '}
              {message}
            </li>
          ))}
        </ul>
      )}
      {more > 0 && <p class="quiet">and {counted(more, 'more problem')}</p>}
    </>
  );
}
