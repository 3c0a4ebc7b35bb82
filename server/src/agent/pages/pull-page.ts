import type { Commit } from '../forge/forge.ts';
import type { LocalPull } from '../forge/local/pulls.ts';
import { type DiffView, writeDiff } from './diff-view.ts';
import { type Html, markup, visible } from './html.ts';
import { plural, when } from './layout.ts';
import { renderMarkdown } from './markdown.ts';

export interface PullPage {
  pull: LocalPull;
  now: Date;
  /** Of this page. Its forms are below. */
  path: string;
  /** Whether it has its forms. */
  mayAct: boolean;
  /** The commit that the page shows and that a merge takes. */
  head: string | undefined;
  commits: readonly Commit[];
  /** Or why there is none. */
  diff: DiffView | { why: string };
  /** `undefined`: a branch is gone. */
  merge: { conflicts: string[] } | undefined;
  job: { title: string; link: string } | undefined;
  notice: Html | undefined;
}

const states = { open: 'Open', merged: 'Merged', closed: 'Closed' } as const;

export function writePull(page: PullPage): Html {
  const { pull, now, commits, diff } = page;
  const state = pull.state === 'open' && pull.isDraft ? 'draft' : pull.state;
  const name = state === 'draft' ? 'Draft' : states[pull.state];
  return markup`<div><h1>${visible(pull.title)} <span class="number">#${pull.number}</span></h1>
<p class="byline"><span class="badge ${state}">${name}</span> <span class="branches"><code>${visible(pull.base)}</code> <span aria-label="from">←</span> <code>${visible(pull.branch)}</code></span> <span class="quiet">${timeOf(pull, now)}</span></p></div>
${page.notice}
<div class="columns">
<div>
<section class="card" aria-labelledby="what"><h2 id="what" class="hidden">Description</h2><div class="prose">${pull.body.trim() === '' ? markup`<p class="quiet">No description.</p>` : renderMarkdown(pull.body, { prefix: 'body', breaks: true })}</div></section>
${pull.state !== 'merged' && mergeBox(page)}
</div>
<aside aria-label="About this pull request">
${page.job && markup`<section><h2>Job</h2><p><a href="${page.job.link}">${page.job.title}</a></p></section>`}
<section><h2>${plural(commits.length, 'commit')}</h2>${commitList(commits)}</section>
</aside>
</div>
<section class="changes" aria-labelledby="changes"><h2 id="changes">Changes</h2>
${'why' in diff ? markup`<p class="note">${diff.why}</p>` : writeDiff(diff)}
</section>`;
}

function timeOf(pull: LocalPull, now: Date): Html {
  if (pull.endedAt === undefined) return markup`opened ${when(pull.createdAt, now)}`;
  return markup`${pull.state === 'merged' ? 'merged' : 'closed'} ${when(pull.endedAt, now)}`;
}

function commitList(commits: readonly Commit[]): Html {
  return markup`<ol class="commits">${commits.map(({ id, author, message }) => {
    const [title = ''] = message.split('\n');
    return markup`<li><span>${visible(title)}</span><span class="quiet">${visible(author)} · <code>${id.slice(0, 7)}</code></span></li>`;
  })}</ol>`;
}

/** The buttons, and what prevents a merge. */
function mergeBox({ pull, path, mayAct, head, merge }: PullPage): Html {
  const button = (name: string, words: string, kind = '') =>
    markup`<form method="post" action="${path}/${name}"><input type="hidden" name="head" value="${head}"><button class="${kind}">${words}</button></form>`;
  const box = (kind: string, words: Html, ...buttons: Html[]) =>
    markup`<section class="card ${kind}" aria-label="Merge">${words}${mayAct && buttons.length > 0 && markup`<div class="buttons">${buttons}</div>`}</section>`;
  if (pull.state === 'closed') {
    const words = markup`<p><strong>Closed without a merge.</strong> ${merge === undefined && 'Its branch is gone.'}</p>`;
    return box('', words, ...(merge ? [button('reopen', 'Reopen')] : []));
  }
  const close = button('close', 'Close without merging');
  if (merge === undefined || head === undefined) {
    const words = markup`<p><strong>The branch is gone.</strong> Somebody deleted <code>${pull.branch}</code> or <code>${pull.base}</code>, so it can’t be merged.</p>`;
    return box('bad', words, close);
  }
  if (merge.conflicts.length > 0) {
    const words = markup`<p><strong>This conflicts with <code>${visible(pull.base)}</code>.</strong> Both changed the same lines of:</p><ul>${merge.conflicts.map((path) => markup`<li><code>${visible(path)}</code></li>`)}</ul>${mayAct && markup`<p class="quiet">Close this and send the job a message: it starts again on the current <code>${visible(pull.base)}</code>, in a new pull request. Or merge it with git.</p>`}`;
    return box('bad', words, close);
  }
  if (pull.isDraft) {
    const words = markup`<p><strong>This is a draft.</strong> ${mayAct && 'Read it, then mark it as ready to merge it.'}</p>`;
    return box('', words, button('ready', 'Mark as ready', 'primary'), close);
  }
  const words = markup`<p><strong>No conflicts with <code>${visible(pull.base)}</code>.</strong> ${mayAct && 'You can merge it now.'}</p>`;
  return box('good', words, button('merge', 'Merge', 'primary'), close);
}
