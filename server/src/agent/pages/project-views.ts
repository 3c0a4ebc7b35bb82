import { DocentError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { PageOf } from '../../platform/tenants/page-links.ts';
import { type Project, repositoryAddress } from '../../platform/tenants/projects.ts';
import { titleOf, type ViewDeps } from './job-views.ts';
import { readInstruction } from './instruction-forms.ts';
import { toInstruction, userInstructions } from '../jobs/instructions.ts';
import type { Page } from './layout.ts';
import { writeNotice } from './notices.ts';
import { writeProject } from './project-page.ts';

type ProjectOf = Extract<PageOf, { kind: 'project' }>;

/** Entries of each list, newest first. */
const shown = 50;

export function createProjectViews(deps: ViewDeps) {
  const { database, projects, forges, jobs, links, now } = deps;

  function projectOf(page: ProjectOf): Project {
    const project = projects.byId(page.project);
    // The address is valid, but the project is no longer configured.
    if (!project) throw new DocentError('not_found', 'This project no longer exists.');
    return project;
  }

  async function pullsOf(project: Project) {
    const forge = forges.localForge(project);
    if (!forge) return undefined;
    const pulls = await forge.pulls.list({ skip: 0, take: shown });
    return Promise.all(
      pulls.map(async (pull) => ({
        pull,
        link: await links.link({ kind: 'pull', project: project.id, number: pull.number }),
      })),
    );
  }

  return {
    async show(page: ProjectOf, said: unknown): Promise<Page> {
      const project = projectOf(page);
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
          action: await links.actions(page),
          once: newId,
          jobs: await Promise.all(
            found.map(async (job) => ({
              job,
              title: titleOf(job, instructions.get(job.id)),
              link: await links.link({ kind: 'job', project: project.id, job: job.id }),
            })),
          ),
          pulls,
          notice: writeNotice(said),
        }),
      };
    },

    /** Returns the address of the job's page. */
    async create(page: ProjectOf, body: unknown): Promise<string> {
      const project = projectOf(page);
      const { idempotencyKey, ...fields } = readInstruction(body);
      const { job } = await jobs.create({
        project,
        origin: 'api',
        actor: deps.by,
        instructions: [toInstruction(fields)],
        idempotencyKey,
      });
      return links.link({ kind: 'job', project: project.id, job: job.id });
    },
  };
}
