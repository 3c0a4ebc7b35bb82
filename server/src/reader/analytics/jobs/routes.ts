/**
 * From readers' words to agent jobs, with an admin key. Not in the service document.
 *   POST /v1/feedback/{domain}/{id}/job           a job for what a reader reported: 201
 *   POST /v1/analytics/{domain}/unanswered/job    a job that answers questions: 201
 */
import { GapJobRequest } from '@docent/shared/analytics';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { jsonBody, parse, toIdempotencyKey } from '../../../platform/http/request.ts';
import type { Limits } from '../../../platform/limits/limits.ts';
import type { Sites } from '../../../platform/tenants/sites.ts';
import type { Made, ReaderJobs } from './reader-jobs.ts';
import { callerActor, callerOf } from '../../../platform/auth/caller.ts';

export interface ReaderJobRouteDeps {
  requireAccessByRoute: RequestHandler;
  limits: Limits;
  sites: Sites;
  readerJobs: ReaderJobs;
}

type OfSite = Request<{ domain: string }>;
type OfFeedback = Request<{ domain: string; id: string }>;

export function createReaderJobRoutes(deps: ReaderJobRouteDeps): Router {
  const { requireAccessByRoute: requireAccess, limits, sites, readerJobs } = deps;
  const router = Router({ strict: true, caseSensitive: true });
  const siteOf = (request: OfSite, response: Response) =>
    sites.forCaller(request.params.domain, callerOf(response)).domain;
  /** Counts against the limit for instructions to the site's project. */
  const mayInstruct = [
    requireAccess,
    (request: Request, response: Response, next: () => void) => {
      const domain = siteOf(request as unknown as OfSite, response);
      request.params['projectId'] = readerJobs.projectOf(domain)?.id ?? domain;
      next();
    },
    limits.perProject,
  ];
  const send = ({ job, isReplay }: Made, project: string, response: Response) => {
    if (isReplay) response.set('Idempotent-Replay', 'true');
    response.status(201).location(`/v2/agent/${project}/job/${job.id}`).json(job);
  };
  const projectIn = (request: Request<never>) =>
    (request.params as Record<string, string>)['projectId'] ?? '';

  router.post(
    '/v1/feedback/:domain/:id/job',
    mayInstruct,
    async (request: OfFeedback, response: Response) => {
      const { domain, id } = request.params;
      const made = await readerJobs.startFor(domain, id, callerActor(callerOf(response).id));
      send(made, projectIn(request as Request<never>), response);
    },
  );

  router.post(
    '/v1/analytics/:domain/unanswered/job',
    mayInstruct,
    jsonBody,
    async (request: OfSite, response: Response) => {
      const body = parse(GapJobRequest, request.body);
      const made = await readerJobs.startForGap(request.params.domain, body, {
        by: callerActor(callerOf(response).id),
        idempotencyKey: toIdempotencyKey(request.get('idempotency-key')),
      });
      send(made, projectIn(request as Request<never>), response);
    },
  );

  return router;
}
