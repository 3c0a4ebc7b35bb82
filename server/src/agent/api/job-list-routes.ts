/** What the page of jobs needs beside the endpoints of jobs. Not in the service document. */
import {
  AllJobsQuery,
  AllJobsReply,
  NewShareReply,
  ProjectsReply,
  ShareRequest,
  SharesReply,
} from '@docent/shared/jobs-list';
import type { z } from 'zod';
import { DocentError } from '../../platform/errors.ts';
import { editorWrites, endpointsOf, json, viewerReads } from '../../platform/http/endpoint.ts';
import { toPage } from '../../platform/http/paging.ts';
import type { Database } from '../../platform/store/database.ts';
import type { LinkTo, PageOf } from '../shares/page-links.ts';
import { type PageShares, shareParameter } from '../shares/page-shares.ts';
import { type Project, type Projects, repositoryAddress } from '../../platform/tenants/projects.ts';
import type { Forges } from '../forge/create-forges.ts';
import { userInstructions } from '../jobs/instructions.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { titleOf } from '../pages/job-views.ts';
import { toAgentJob } from './show-job.ts';
import type { Caller } from '../../platform/auth/caller.ts';

interface JobListDeps {
  database: Database;
  projects: Pick<Projects, 'all' | 'forCaller'>;
  jobs: Pick<Jobs, 'listAll' | 'read'>;
  forges: Pick<Forges, 'localForge'>;
  linkTo: LinkTo;
  sharedLinkTo: LinkTo;
  shares: PageShares;
}

type SharedPageOf = Exclude<PageOf, { kind: 'project' }>;

const endpoint = endpointsOf<JobListDeps>('Agent jobs');

const theirs = ({ organization }: Caller, projects: Pick<Projects, 'all'>) =>
  projects.all.filter((project) => project.organization === organization);

/** The page of a job or a pull request, which exists. */
async function pageOf(
  project: Project,
  { page, id }: z.infer<typeof ShareRequest>,
  { jobs, forges }: JobListDeps,
): Promise<SharedPageOf> {
  if (page === 'job') {
    await jobs.read(project.id, id);
    return { kind: 'job', project: project.id, job: id };
  }
  const pull = /^\d{1,9}$/.test(id)
    ? await forges.localForge(project)?.pull(Number(id))
    : undefined;
  if (!pull) throw new DocentError('not_found', 'There is no such pull request.');
  return { kind: 'pull', project: project.id, number: pull.number };
}

export const jobListEndpoints = [
  endpoint('GET /v1/projects', {
    id: 'listProjects',
    summary: 'Projects of the organization',
    who: viewerReads,
    reply: ProjectsReply,
    run: ({ caller }, { projects }) => ({
      projects: theirs(caller, projects).map(({ id, repository, site, model }) => ({
        id,
        repository: repository === undefined ? '' : repositoryAddress(repository),
        site: site ?? null,
        model: model ?? null,
      })),
    }),
  }),
  endpoint('GET /v1/jobs', {
    id: 'listAllJobs',
    summary: 'Jobs of all projects, newest first',
    who: viewerReads,
    query: AllJobsQuery,
    reply: AllJobsReply,
    errors: ['not_found'],
    async run({ query, caller }, { projects, jobs, database, linkTo }) {
      const { project: named, status, cursor, limit } = query;
      const ids =
        named === undefined
          ? theirs(caller, projects).map(({ id }) => id)
          : [projects.forCaller(named, caller).id];
      const found =
        ids.length === 0
          ? []
          : await jobs.listAll(caller.organization, ids, {
              limit: limit + 1,
              ...(status && { status }),
              ...(cursor !== undefined && { cursor }),
            });
      const { rows, next } = toPage(found, limit, ({ createdAt, id }) => `${createdAt}_${id}`);
      const untitled = rows.filter(({ title }) => title === null).map(({ id }) => id);
      const instructions = await userInstructions(database, untitled, 'first');
      return {
        jobs: rows.map((job) => {
          const { project, id } = job;
          const pageUrl = linkTo({ kind: 'job', project, job: id });
          const title = titleOf(job, instructions.get(id));
          return { ...toAgentJob(job, pageUrl), title, project };
        }),
        ...next,
      };
    },
  }),
  endpoint('GET /v1/shares', {
    id: 'listShares',
    summary: 'Links that share a page, as long as they work',
    who: viewerReads,
    reply: json(SharesReply, 'The links, without their tokens.'),
    run: async ({ caller }, { shares }) => ({ shares: await shares.list(caller.organization) }),
  }),
  endpoint('POST /v1/shares', {
    id: 'createShare',
    summary: 'Let somebody without an account read a page',
    who: editorWrites,
    body: ShareRequest,
    reply: json(NewShareReply, 'The link, which is shown this once.', { status: 201 }),
    errors: ['not_found'],
    async run({ body, caller }, deps) {
      const project = deps.projects.forCaller(body.project, caller);
      const page = await pageOf(project, body, deps);
      const id = page.kind === 'job' ? page.job : String(page.number);
      const shared = { project: project.id, page: body.page, id };
      const { share, token } = await deps.shares.create(caller.organization, shared, {
        days: body.days,
        by: caller.id,
      });
      return { share, url: `${deps.sharedLinkTo(page)}?${shareParameter}=${token}` };
    },
  }),
  endpoint('DELETE /v1/shares/{id}', {
    id: 'revokeShare',
    summary: 'Revoke a link that shares a page',
    who: editorWrites,
    run: ({ caller, params }, { shares }) =>
      shares.revoke(caller.organization, params.id, caller.id),
  }),
];
