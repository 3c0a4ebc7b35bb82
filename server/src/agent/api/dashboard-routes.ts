/**
 * What the page of jobs needs beside the endpoints of jobs. Not in the service document.
 *   GET    /v1/projects       projects of the organization
 *   GET    /v1/jobs           jobs of all projects, newest first
 *   GET    /v1/shares         links that share a page, as long as they work
 *   POST   /v1/shares         creates one: 201
 *   DELETE /v1/shares/{id}    revokes it: 204
 */
import {
  AllJobsQuery,
  type AllJobsReply,
  type NewShareReply,
  type ProjectsReply,
  ShareRequest,
} from '@docent/shared/jobs-list';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { DocentError } from '../../platform/errors.ts';
import { jsonBody, parse } from '../../platform/http/request.ts';
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
import { callerOf } from '../../platform/auth/caller.ts';

export interface DashboardRouteDeps {
  database: Database;
  mayAccess: RequestHandler[];
  projects: Pick<Projects, 'all' | 'forCaller'>;
  jobs: Pick<Jobs, 'listAll' | 'read'>;
  forges: Pick<Forges, 'localForge'>;
  linkTo: LinkTo;
  sharedLinkTo: LinkTo;
  shares: PageShares;
}

type SharedPageOf = Exclude<PageOf, { kind: 'project' }>;

export function createDashboardRoutes(deps: DashboardRouteDeps): Router {
  const { database, mayAccess, projects, jobs, forges, linkTo, sharedLinkTo, shares } = deps;
  const router = Router({ strict: true, caseSensitive: true });
  const theirs = (response: Response) => {
    const { organization } = callerOf(response);
    return projects.all.filter((project) => project.organization === organization);
  };

  /** The page of a job or a pull request, which exists. */
  async function pageOfJob({ id: project }: Project, job: string): Promise<SharedPageOf> {
    await jobs.read(project, job);
    return { kind: 'job', project, job };
  }
  async function pageOfPull(project: Project, id: string): Promise<SharedPageOf> {
    const pull = /^\d{1,9}$/.test(id)
      ? await forges.localForge(project)?.pull(Number(id))
      : undefined;
    if (!pull) throw new DocentError('not_found', 'There is no such pull request.');
    return { kind: 'pull', project: project.id, number: pull.number };
  }

  router.get('/v1/projects', ...mayAccess, (_request: Request, response: Response) => {
    response.json({
      projects: theirs(response).map(({ id, repository, site, model }) => ({
        id,
        repository: repository === undefined ? '' : repositoryAddress(repository),
        site: site ?? null,
        model: model ?? null,
      })),
    } satisfies ProjectsReply);
  });

  router.get('/v1/jobs', ...mayAccess, async (request: Request, response: Response) => {
    const { project, status, cursor, limit } = parse(AllJobsQuery, request.query);
    const caller = callerOf(response);
    const ids =
      project === undefined
        ? theirs(response).map(({ id }) => id)
        : [projects.forCaller(project, caller).id];
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
    response.json({
      jobs: rows.map((job) => {
        const { project, id } = job;
        const pageUrl = linkTo({ kind: 'job', project, job: id });
        return {
          ...toAgentJob(job, pageUrl),
          title: titleOf(job, instructions.get(id)),
          project,
        };
      }),
      ...next,
    } satisfies AllJobsReply);
  });

  router
    .route('/v1/shares')
    .get(...mayAccess, async (_request: Request, response: Response) => {
      response.json({ shares: await shares.list(callerOf(response).organization) });
    })
    .post(...mayAccess, jsonBody, async (request: Request, response: Response) => {
      const { days, project: named, page: kind, id } = parse(ShareRequest, request.body);
      const { organization, id: by } = callerOf(response);
      const project = projects.forCaller(named, callerOf(response));
      const page = await (kind === 'job' ? pageOfJob(project, id) : pageOfPull(project, id));
      const pageId = page.kind === 'job' ? page.job : String(page.number);
      const shared = { project: project.id, page: kind, id: pageId };
      const { share, token } = await shares.create(organization, shared, { days, by });
      const url = `${sharedLinkTo(page)}?${shareParameter}=${token}`;
      response.status(201).json({ share, url } satisfies NewShareReply);
    });

  router.delete(
    '/v1/shares/:id',
    ...mayAccess,
    async (request: Request<{ id: string }>, response: Response) => {
      const { organization, id: by } = callerOf(response);
      await shares.revoke(organization, request.params.id, by);
      response.status(204).end();
    },
  );

  return router;
}
