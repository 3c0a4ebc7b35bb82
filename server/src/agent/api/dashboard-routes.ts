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
import { promises } from '@docent/shared/promises';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { DocentError } from '../../platform/errors.ts';
import { parse, requireJson } from '../../platform/http/request.ts';
import { callerOf } from '../../platform/http/require-key.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Limits } from '../../platform/limits/limits.ts';
import { type PageLinks, pageKeyName, type PageOf } from '../../platform/tenants/page-links.ts';
import type { PageShares } from '../../platform/tenants/page-shares.ts';
import { type Projects, repositoryAddress } from '../../platform/tenants/projects.ts';
import { userInstructions } from '../jobs/instructions.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { titleOf } from '../pages/job-views.ts';
import { openLinks, toAgentJob } from './show-job.ts';

export interface DashboardRouteDeps {
  database: Database;
  limits: Pick<Limits, 'lookups'>;
  requireAccess: RequestHandler;
  projects: Pick<Projects, 'all' | 'forCaller'>;
  jobs: Pick<Jobs, 'listAll' | 'read'>;
  links: PageLinks;
  shares: PageShares;
}

export function createDashboardRoutes(deps: DashboardRouteDeps): Router {
  const { database, limits, requireAccess, projects, jobs, links, shares } = deps;
  const router = Router({ strict: true, caseSensitive: true });
  const json = express.json({ limit: promises.bodyMaxBytes });
  const allowed = [limits.lookups.perAddress, requireAccess];
  const theirs = (response: Response) => {
    const { organization } = callerOf(response);
    return projects.all.filter((project) => project.organization === organization);
  };

  router.route('/v1/projects').get(...allowed, (_request: Request, response: Response) => {
    response.json({
      projects: theirs(response).map(({ id, repository, site, model }) => ({
        id,
        repository: repository === undefined ? '' : repositoryAddress(repository),
        site: site ?? null,
        model: model ?? null,
      })),
    } satisfies ProjectsReply);
  });

  router.route('/v1/jobs').get(...allowed, async (request: Request, response: Response) => {
    const { project, status, cursor, limit } = parse(AllJobsQuery, request.query);
    const caller = callerOf(response);
    const ids =
      project === undefined
        ? theirs(response).map(({ id }) => id)
        : [projects.forCaller(project, caller).id];
    const found =
      ids.length === 0
        ? []
        : await jobs.listAll(ids, {
            limit: limit + 1,
            ...(status && { status }),
            ...(cursor !== undefined && { cursor }),
          });
    const shown = found.slice(0, limit);
    const last = found.length > limit ? shown.at(-1) : undefined;
    const untitled = shown.filter(({ title }) => title === null).map(({ id }) => id);
    const instructions = await userInstructions(database, untitled, 'first');
    response.json({
      jobs: await Promise.all(
        shown.map(async (each) => {
          const { job, pageUrl } = await openLinks(each, caller, links);
          const title = titleOf(job, instructions.get(job.id));
          return { ...toAgentJob(job, pageUrl), title, project: job.project };
        }),
      ),
      nextCursor: last ? `${last.createdAt}_${last.id}` : null,
      hasMore: last !== undefined,
    } satisfies AllJobsReply);
  });

  router
    .route('/v1/shares')
    .get(...allowed, async (_request: Request, response: Response) => {
      response.json({ shares: await shares.list(callerOf(response).organization) });
    })
    .post(...allowed, json, async (request: Request, response: Response) => {
      requireJson(request);
      const { days, ...shared } = parse(ShareRequest, request.body);
      const caller = callerOf(response);
      const project = projects.forCaller(shared.project, caller);
      if (shared.page === 'job') await jobs.read(project.id, shared.id);
      const number = Number(shared.id);
      if (shared.page === 'pull' && !Number.isSafeInteger(number)) {
        throw new DocentError('not_found', 'There is no pull request with this number.');
      }
      const page: PageOf =
        shared.page === 'job'
          ? { kind: 'job', project: project.id, job: shared.id }
          : { kind: 'pull', project: project.id, number };
      const { organization, keyId: by } = caller;
      const { share, token } = await shares.create(organization, shared, { days, by });
      const url = `${links.plain(page)}?${pageKeyName}=${token}`;
      response.status(201).json({ share, url } satisfies NewShareReply);
    });

  router
    .route('/v1/shares/:id')
    .delete(...allowed, async (request: Request<{ id: string }>, response: Response) => {
      const { organization, keyId } = callerOf(response);
      await shares.revoke(organization, request.params.id, keyId);
      response.status(204).end();
    });

  return router;
}
