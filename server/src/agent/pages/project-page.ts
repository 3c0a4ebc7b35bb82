import type { JobInQueue } from '../jobs/read-jobs.ts';
import type { LocalPull } from '../forge/local/pulls.ts';
import { type Html, markup, visible } from './html.ts';
import { writeCommandForms, writePromptForm, readInstruction } from './instruction-forms.ts';
import { statusOf } from './job-page.ts';
import { when, type Page } from './layout.ts';
import { type Project, repositoryAddress } from '../../platform/tenants/projects.ts';
import type { SignedIn, Visit } from './access.ts';
import { type ViewDeps } from './job-views.ts';
import { titleOf, toInstruction, userInstructions } from '../jobs/instructions.ts';
import { writeNotice } from './notices.ts';

export interface ProjectPage {
  id: string;
  repository: string | undefined;
  /** The language model. `undefined`: the project takes commands only. */
  model: string | undefined;
  now: Date;
  /** Of this page. */
  path: string;
  /** Whether it has its forms. */
  mayAct: boolean;
  jobs: readonly { job: JobInQueue; title: string; link: string }[];
  /** `undefined`: the repository is not on this machine. */
  pulls: readonly { pull: LocalPull; link: string }[] | undefined;
  notice: Html | undefined;
}

export function writeProject(page: ProjectPage): Html {
  const { id, now, repository } = page;
  return markup`<div><h1>${id}</h1><p class="byline"><span class="quiet">${repository === undefined ? 'The project has no repository. To create jobs, set `repository` in the configuration.' : markup`Works on <code>${visible(repository)}</code>`}</span></p></div>
${page.notice}
${page.mayAct && repository !== undefined && newJob(page)}
<div class="lists">
<section aria-labelledby="jobs-title"><h2 id="jobs-title">Jobs</h2>${
    page.jobs.length === 0
      ? markup`<p class="quiet">None yet.</p>`
      : markup`<ul class="rows">${page.jobs.map(({ job, title, link }) => {
          const { name, kind } = statusOf(job);
          return markup`<li><span class="badge ${kind}">${name}</span><a href="${link}">${visible(title)}</a><span class="quiet">${when(job.createdAt, now)}</span></li>`;
        })}</ul>`
  }</section>
${
  page.pulls &&
  markup`<section aria-labelledby="pulls-title"><h2 id="pulls-title">Pull requests</h2>${
    page.pulls.length === 0
      ? markup`<p class="quiet">None yet.</p>`
      : markup`<ul class="rows">${page.pulls.map(({ pull, link }) => {
          const kind = pull.state === 'open' && pull.isDraft ? 'draft' : pull.state;
          return markup`<li><span class="badge ${kind}">${kind.charAt(0).toUpperCase()}${kind.slice(1)}</span><a href="${link}">${visible(pull.title)} <span class="number">#${pull.number}</span></a><span class="quiet">${when(pull.createdAt, now)}</span></li>`;
        })}</ul>`
  }</section>`
}
</div>`;
}

function newJob({ model, path }: ProjectPage): Html {
  const form = { action: `${path}/jobs`, submit: 'Start the job' };
  const question = 'What should change in the documentation?';
  if (model === undefined) {
    return markup`<section class="card" aria-labelledby="new-title"><h2 id="new-title">${question}</h2><p class="quiet">You review the result as a pull request. To give instructions in your own words, set a language model for the project.</p>${writeCommandForms(form)}</section>`;
  }
  return markup`<section class="card" aria-labelledby="new-title">${writePromptForm(form, {
    label: markup`<h2 id="new-title"><label for="prompt">${question}</label></h2>`,
    placeholder: 'Explain how …',
    note: `${model} makes the change. You review it as a pull request.`,
  })}<h3>Or without the language model</h3>${writeCommandForms(form)}</section>`;
}

/** Entries of each list, newest first. */
const shown = 50;

export function createProjectViews(deps: ViewDeps) {
  const { database, projects, forges, jobs, linkTo, now } = deps;

  function projectOf({ page }: Visit<'project'>): Project {
    const project = projects.byId(page.project);
    if (!project) throw new Error('A session opens only a known project');
    return project;
  }

  async function pullsOf(project: Project) {
    const forge = forges.localForge(project);
    if (!forge) return undefined;
    const pulls = await forge.pulls.list({ skip: 0, take: shown });
    return pulls.map((pull) => ({
      pull,
      link: linkTo({ kind: 'pull', project: project.id, number: pull.number }),
    }));
  }

  return {
    async show(visit: Visit<'project'>, said: unknown): Promise<Page> {
      const project = projectOf(visit);
      const [found, pulls] = await Promise.all([
        jobs.list(project.id, { skip: 0, take: shown }),
        pullsOf(project),
      ]);
      const instructions = await userInstructions(
        database,
        found.map(({ id }) => id),
        'first',
      );
      return {
        title: project.id,
        trail: [{ name: project.id }],
        script: true,
        body: writeProject({
          id: project.id,
          repository: project.repository && repositoryAddress(project.repository),
          model: project.model,
          now: now(),
          path: linkTo(visit.page),
          mayAct: visit.mayAct,
          jobs: found.map((job) => ({
            job,
            title: titleOf(job, instructions.get(job.id)),
            link: linkTo({ kind: 'job', project: project.id, job: job.id }),
          })),
          pulls,
          notice: writeNotice(said),
        }),
      };
    },

    /** Returns the address of the job's page. */
    async create(visit: SignedIn<'project'>, body: unknown): Promise<string> {
      const project = projectOf(visit);
      const { idempotencyKey, ...fields } = readInstruction(body);
      const { job } = await jobs.create({
        project,
        origin: 'api',
        by: visit.by,
        instructions: [toInstruction(fields)],
        idempotencyKey,
      });
      return linkTo({ kind: 'job', project: project.id, job: job.id });
    },
  };
}
