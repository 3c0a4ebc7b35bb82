import { toDollars } from '../../budgets/cost.ts';
import type { AgentLogEntry } from '@docent/shared/agent-events';
import type { JobInQueue } from '../jobs/read-jobs.ts';
import type { LocalPull } from '../forge/local/pulls.ts';
import { type DiffView, writeDiff } from './diff-view.ts';
import { type Html, markup, visible } from './html.ts';
import { writeCommandForms, writeOnce, writePromptForm } from './instruction-forms.ts';
import { writeLog } from './job-log.ts';
import { plural, when } from './layout.ts';
import { renderMarkdown } from './markdown.ts';

export interface JobPage {
  job: JobInQueue;
  now: Date;
  /** Of this page. Its forms and its live log are below. */
  path: string;
  /** Whether it has its forms. */
  mayAct: boolean;
  /** The first instruction if the job has no title yet. */
  title: string;
  entries: readonly AgentLogEntry[];
  /** Our page of the pull request, or the host's. */
  pullLink: string | undefined;
  /** Known only for a repository on this machine. */
  pullState: LocalPull['state'] | undefined;
  /** Changes of a failed or running job. */
  diff: DiffView | undefined;
  notice: Html | undefined;
}

export function statusOf(job: JobInQueue): { name: string; kind: string } {
  if (job.status === 'completed') return { name: 'Completed', kind: 'completed' };
  if (job.status === 'failed') {
    const isCanceled = job.failure?.code === 'cancelled';
    return isCanceled ? { name: 'Canceled', kind: 'draft' } : { name: 'Failed', kind: 'closed' };
  }
  return job.phase === 'queued'
    ? { name: 'Waiting', kind: 'draft' }
    : { name: 'Working', kind: 'open' };
}

export function writeJob(page: JobPage): Html {
  const { job, now, title } = page;
  const status = statusOf(job);
  const isActive = job.status === 'active';
  return markup`<div id="head"><div><h1>${visible(title)}</h1>
<p class="byline"><span class="badge ${status.kind}${isActive && ' busy'}">${status.name}</span> <span class="quiet">created ${when(job.createdAt, now)}${job.position !== null && job.position > 1 && markup`, ${plural(job.position - 1, 'job')} before it`}</span></p></div>
${page.notice}${outcome(page)}</div>
<div class="columns">
<div>
<section aria-label="Log">
<details class="log-box"${isActive && ' open'}><summary>Log</summary><div role="log" aria-label="Log of the job"><ol id="log" class="log"${isActive && markup` data-stream="${page.path}/log" data-last="${page.entries.at(-1)?.seq ?? 0}"`}>${writeLog(page.entries)}</ol></div></details>
${isActive && markup`<noscript><p class="note">Without JavaScript, this page doesn’t update itself. Reload it to see more.</p></noscript>`}
</section>
<div id="foot">${page.mayAct && job.archivedAt === null && followUp(page)}</div>
</div>
<aside id="side" aria-label="About this job">${side(page)}</aside>
</div>
<div id="changes">${page.diff && markup`<section class="changes" aria-labelledby="changes-title"><h2 id="changes-title">${isActive ? 'Changes so far' : 'Changes that are not published'}</h2>${writeDiff(page.diff)}</section>`}</div>`;
}

function outcome(page: JobPage): Html | false {
  const { job, path, entries, pullLink, pullState = 'open' } = page;
  if (job.failure) {
    const { title, message, remedy } = job.failure;
    return markup`<section class="card bad outcome" aria-label="Why it failed"><p><strong>${title}.</strong> ${remedy}</p><div class="prose">${renderMarkdown(message, { prefix: 'failure', breaks: true })}</div>${page.mayAct && job.archivedAt === null && markup`<form method="post" action="${path}/retry">${writeOnce()}<button class="primary">Try again</button></form>`}</section>`;
  }
  // The log is closed now.
  const last = job.status === 'completed' && entries.findLast(({ type }) => type === 'completed');
  const said =
    last && last.type === 'completed' && last.message !== null
      ? markup`<div class="prose">${renderMarkdown(last.message, { prefix: 'result', breaks: true })}</div>`
      : false;
  if (job.pull && pullLink !== undefined) {
    return markup`<section class="card good outcome" aria-label="Result"><p><strong>${job.status === 'active' ? 'The job is working on its pull request' : pullStates[pullState][0]}.</strong> ${job.status !== 'active' && pullStates[pullState][1]}</p>${said}<p><a class="button primary" href="${pullLink}" rel="noreferrer">Open pull request #${job.pull.number}</a></p></section>`;
  }
  if (job.status === 'completed') {
    return markup`<section class="card outcome" aria-label="Result"><p><strong>Nothing changed.</strong> There is no pull request.</p>${said}</section>`;
  }
  return false;
}

const pullStates = {
  open: ['The pull request is ready', 'Read the change, and merge it if it is right.'],
  merged: ['The pull request is merged', 'A follow-up creates a new one.'],
  closed: ['The pull request was closed without merging', 'A follow-up creates a new one.'],
} as const;

function side({ job, now, path, mayAct }: JobPage): Html {
  const row = (name: string, value: Html | string) => markup`<dt>${name}</dt><dd>${value}</dd>`;
  const dollars = toDollars(job.microDollars);
  return markup`${
    job.todos.length > 0 &&
    markup`<section><h2>To do</h2><ul class="todos">${job.todos.map(
      ({ content, status }) =>
        markup`<li class="${status}"><span class="sign" aria-hidden="true">${todoSigns[status]}</span><span>${visible(content)}<span class="hidden"> (${status.replace('_', ' ')})</span></span></li>`,
    )}</ul></section>`
  }<section><h2>Details</h2><dl>${job.model !== null && row('Model', job.model)}${row('Branch', markup`<code>${visible(job.branch)}</code>`)}${job.baseBranch !== null && row('Base branch', markup`<code>${visible(job.baseBranch)}</code>`)}${row('Run', String(job.run))}${job.steps > 0 && [row('Steps', job.steps.toLocaleString('en')), row('Tokens', (job.inputTokens + job.outputTokens).toLocaleString('en'))]}${dollars > 0 && row('Cost', `$${dollars.toFixed(dollars < 0.1 ? 4 : 2)}`)}${job.startedAt !== null && row('Started', when(job.startedAt, now))}${job.finishedAt !== null && row('Finished', when(job.finishedAt, now))}${row('Job', markup`<code>${job.id}</code>`)}</dl></section>${
    mayAct &&
    job.status === 'active' &&
    !job.isCancelRequested &&
    markup`<section><form method="post" action="${path}/cancel"><button class="danger">Cancel the job</button></form></section>`
  }`;
}

const todoSigns = { pending: '○', in_progress: '◐', completed: '✓', cancelled: '–' } as const;

function followUp({ job, path }: JobPage): Html {
  const isActive = job.status === 'active';
  const form = { action: `${path}/message`, submit: 'Send' };
  const title = isActive ? 'Send another instruction' : 'Send a follow-up';
  if (job.model === null) {
    const more = isActive ? 'Add another command' : title;
    return markup`<section aria-labelledby="more-title"><h2 id="more-title">${more}</h2>${writeCommandForms(form)}</section>`;
  }
  return markup`${writePromptForm(form, {
    label: markup`<label for="prompt">${title}</label>`,
    placeholder: isActive ? 'The model reads it at its next step' : 'What should be different?',
  })}${writeCommandForms(form)}`;
}
