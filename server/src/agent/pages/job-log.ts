/** The log of a job: the same HTML in the page and in the stream that continues it. */
import type { AgentLogEntry } from '@docent/shared/agent-events';
import { checkTitles, type ChecksReport, toldChecks } from '@docent/shared/agent-checks';
import { Html, markup, visible } from './html.ts';
import { plural } from './layout.ts';
import { renderMarkdown } from './markdown.ts';

/** HTML of an entry. By default, it comes after the others. */
export interface LogPiece {
  html: string;
  /** Continues the text before it. */
  isMoreText?: true;
  /** The id of the tool call that it belongs to. */
  call?: string;
}

const toolNames: Record<string, [done: string, key: string]> = {
  list: ['Listed files', 'glob'],
  search: ['Searched for', 'query'],
  read: ['Read', 'path'],
  write: ['Wrote', 'path'],
  edit: ['Edited', 'path'],
  move: ['Moved', 'from'],
  delete: ['Deleted', 'path'],
  todo: ['Updated the to-do list', ''],
  check: ['Checked the documentation', ''],
  finish: ['Finished the change', ''],
};

/** `undefined`: people don't need to see it. */
export function logPiece(entry: AgentLogEntry): LogPiece | undefined {
  const item = (kind: string, body: Html): LogPiece => ({
    html: markup`<li class="${kind}">${body}</li>`.text,
  });
  switch (entry.type) {
    case 'message':
      return item(
        'said',
        markup`<span class="who">${entry.role === 'user' ? 'Instruction' : entry.role === 'system' ? 'System' : 'Assistant'}</span><div class="bubble">${visible(entry.prompt)}</div>`,
      );
    case 'text':
      return { html: markup`${visible(entry.text)}`.text, isMoreText: true };
    case 'tool-call':
      return item('call', call(entry));
    case 'tool-result': {
      const kind = entry.isError ? 'result bad' : 'result';
      const body = markup`<div class="${kind}"><span class="who">${entry.isError ? 'Refused' : 'Result'}</span><pre tabindex="0">${visible(entry.output)}</pre></div>`;
      return { html: body.text, call: entry.id };
    }
    case 'started':
      return item(
        'note',
        entry.isResumed
          ? markup`Continued after an interruption`
          : markup`Started${entry.round > 1 && markup` work on the follow-up`}`,
      );
    case 'queued':
      // For the first in the queue, the status of the job is enough.
      return entry.position <= 1
        ? undefined
        : item('note', markup`Waiting for ${plural(entry.position - 1, 'other job')}`);
    case 'compacted':
      return item('note', markup`Shortened the conversation with the model`);
    case 'denied':
      return item(
        'note bad',
        markup`Couldn’t write <code>${visible(entry.path)}</code>: ${entry.reason}`,
      );
    case 'checks':
      return item('card', markup`<span class="who">Checks</span>${checkList(entry.report)}`);
    case 'pull-request':
      return item(
        'note good',
        markup`Pull request ${pullLink(entry.url, `#${entry.number}`)}${entry.isDraft && ' (draft)'}`,
      );
    case 'cancel-requested':
      return item('note', markup`Cancellation requested`);
    case 'completed':
      return item(
        'end good',
        markup`<span class="who">Completed</span>${entry.message !== null && markup`<div class="prose">${renderMarkdown(entry.message, { prefix: `said-${entry.seq}`, breaks: true })}</div>`}`,
      );
    case 'failed':
      // The page says why, above the log.
      return item('note bad', markup`Failed`);
    case 'archived':
      return item('note', markup`Archived`);
    // The page shows these next to the log.
    case 'todos':
    case 'step':
      return undefined;
  }
}

const checkSigns = { passed: '✓', failed: '✕', skipped: '–' } as const;
const checkWords = { passed: 'passed', failed: 'failed', skipped: 'not checked' } as const;

/** Results of the documentation checks. */
function checkList(report: ChecksReport): Html {
  const { problems, more } = report;
  return markup`<ul class="checks">${toldChecks(report).map(
    ({ name, status, note }) =>
      markup`<li class="${status}"><span class="sign" aria-hidden="true">${checkSigns[status]}</span><span>${checkTitles[name]} <span class="quiet">${checkWords[status]}${note !== undefined && `: ${note}`}</span></span></li>`,
  )}</ul>${
    problems.length > 0 &&
    markup`<ul class="problems">${problems.map(
      ({ path, line, message }) =>
        markup`<li><code>${visible(path)}${line !== undefined && `:${line}`}</code> ${message}</li>`,
    )}</ul>`
  }${more > 0 && markup`<p class="quiet">and ${plural(more, 'more problem')}</p>`}`;
}

function pullLink(url: string, words: string): Html {
  // Behind a session, our own pages have no host.
  return /^(https?:\/\/|\/(?!\/))/.test(url)
    ? markup`<a href="${url}" rel="noreferrer">${words}</a>`
    : markup`${words}`;
}

function call({ id, name, input }: { id: string; name: string; input: string }): Html {
  const known = Object.hasOwn(toolNames, name) ? toolNames[name] : undefined;
  const [done, key] = known ?? [`Tried “${name}”, which doesn’t exist`, ''];
  const about = key === '' ? '' : fieldOf(input, key);
  return markup`<details data-call="${id}"><summary>${done}${about !== '' && markup` <code>${visible(about.slice(0, 200))}</code>`}</summary><pre tabindex="0">${visible(input)}</pre></details>`;
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

/** All entries. Consecutive texts are joined, and results are part of their calls. */
export function writeLog(entries: readonly AgentLogEntry[]): Html {
  const items: { html: string; isText: boolean; call?: string }[] = [];
  for (const entry of entries) {
    const piece = logPiece(entry);
    if (!piece) continue;
    const last = items.at(-1);
    if (piece.isMoreText) {
      if (last?.isText) last.html += piece.html;
      else items.push({ html: piece.html, isText: true });
    } else if (piece.call !== undefined) {
      const open = items.findLast((item) => item.call === piece.call);
      const end = '</details></li>';
      if (open) open.html = `${open.html.slice(0, -end.length)}${piece.html}${end}`;
    } else {
      items.push({
        html: piece.html,
        isText: false,
        ...(entry.type === 'tool-call' && { call: entry.id }),
      });
    }
  }
  return new Html(
    items.map((item) => (item.isText ? `<li class="words">${item.html}</li>` : item.html)).join(''),
  );
}
