import type { JobInQueue } from '../jobs/read-jobs.ts';
import type { LocalPull } from '../forge/local/pulls.ts';
import { type Html, markup, visible } from './html.ts';
import { statusOf } from './job-page.ts';
import { when } from './layout.ts';

export interface ProjectPage {
  id: string;
  repository: string | undefined;
  /** The model that works; `undefined`: the built-in editor. */
  model: string | undefined;
  now: Date;
  action: (name: string) => string;
  once: string;
  jobs: readonly { job: JobInQueue; title: string; link: string }[];
  /** `undefined`: they are with a host, not here. */
  pulls: readonly { pull: LocalPull; link: string }[] | undefined;
  notice: Html | undefined;
}

/** What the built-in editor knows, as a newcomer can try it. */
const examples = [
  'Add a page titled "Release notes"',
  'Replace "colour" with "color" everywhere',
  'Rename the page guides/setup.md to guides/installation.md',
  'Fix broken links',
];

export function writeProject(page: ProjectPage): Html {
  const { id, now, repository, model } = page;
  return markup`<div class="head"><h1>${id}</h1><p class="byline"><span class="quiet">${repository === undefined ? 'No repository is set, so no job can be given.' : markup`Works on <code>${visible(repository)}</code>`}</span></p></div>
${page.notice}
<section class="card" aria-labelledby="new-title"><form method="post" action="${page.action('jobs')}" class="composer"><h2 id="new-title"><label for="prompt">What should change in the documentation?</label></h2><textarea id="prompt" name="prompt" rows="3" required maxlength="20000" placeholder="${model === undefined ? examples[0] : 'Explain how …'}"></textarea><input type="hidden" name="once" value="${page.once}"><div class="buttons"><button class="primary">Start the job</button><span class="quiet">${model === undefined ? 'The built-in editor does it: no model is set.' : `${model} does it.`} You review a pull request.</span></div></form>${
    model === undefined &&
    markup`<details class="examples"><summary>What the built-in editor can do</summary><ul>${examples.map((example) => markup`<li><code>${example}</code></li>`)}</ul></details>`
  }</section>
<div class="lists">
<section aria-labelledby="jobs-title"><h2 id="jobs-title">Jobs</h2>${
    page.jobs.length === 0
      ? markup`<p class="quiet">None yet.</p>`
      : markup`<ul class="rows">${page.jobs.map(({ job, title, link }) => {
          const { name, kind } = statusOf(job);
          return markup`<li><span class="badge small ${kind}">${name}</span><a href="${link}">${visible(title)}</a><span class="quiet">${when(job.createdAt, now)}</span></li>`;
        })}</ul>`
  }</section>
${
  page.pulls &&
  markup`<section aria-labelledby="pulls-title"><h2 id="pulls-title">Pull requests</h2>${
    page.pulls.length === 0
      ? markup`<p class="quiet">None yet.</p>`
      : markup`<ul class="rows">${page.pulls.map(({ pull, link }) => {
          const kind = pull.state === 'open' && pull.isDraft ? 'draft' : pull.state;
          return markup`<li><span class="badge small ${kind}">${kind.charAt(0).toUpperCase()}${kind.slice(1)}</span><a href="${link}">${visible(pull.title)} <span class="number">#${pull.number}</span></a><span class="quiet">${when(pull.createdAt, now)}</span></li>`;
        })}</ul>`
  }</section>`
}
</div>`;
}
