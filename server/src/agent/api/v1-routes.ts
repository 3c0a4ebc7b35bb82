/**
 * Agent jobs, version 1, deprecated (service document, "Agent jobs v1"). A session is the same record as
 * a job of version 2: each can be read through the other's endpoints.
 *   POST /v1/agent/{projectId}/job       creates a job and streams its run (data stream of chat SDK 4)
 *   GET  /v1/agent/{projectId}/job/{id}  reads one
 *   GET  /v1/agent/{projectId}/jobs      all of the project, newest first, by `skip` and `take`
 */
import { CreateSessionRequest, ListJobsQuery } from '@docent/shared/agent';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Config } from '../../platform/config/schema.ts';
import { clientGone, parse, requireJson, toIdempotencyKey } from '../../platform/http/request.ts';
import { methodNotAllowed } from '../../platform/http/method-not-allowed.ts';
import { callerOf } from '../../platform/http/require-key.ts';
import type { Limits } from '../../platform/limits/limits.ts';
import type { PageLinks } from '../../platform/tenants/page-links.ts';
import type { Project } from '../../platform/tenants/projects.ts';
import { writeEntries } from './event-stream.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { JobInQueue } from '../jobs/read-jobs.ts';
import { openLinks } from './show-job.ts';
import { checkBranch, chooseModel } from './read-request.ts';
import { toSession } from './v1-session.ts';
import { createSessionStream } from './v1-stream.ts';

type OfProject = Request<{ projectId: string }>;
type OfJob = Request<{ projectId: string; id: string }>;

export interface V1Deps {
  config: Pick<Config, 'agent' | 'models'>;
  jobs: Jobs;
  links: PageLinks;
  limits: Pick<Limits, 'concurrency'>;
  mayRead: RequestHandler;
  // oxlint-disable-next-line typescript/no-explicit-any -- Express types handlers by their path
  mayInstruct: RequestHandler<any>[];
  projectOf: (request: OfProject, response: Response) => Project;
}

export function createV1Routes(deps: V1Deps): Router {
  const { config, limits, jobs, links, mayRead, mayInstruct, projectOf } = deps;
  const router = Router({ strict: true, caseSensitive: true });
  const show = async (found: JobInQueue, project: Project, response: Response) => {
    const { job } = await openLinks(found, callerOf(response), links);
    return toSession(job, project.site ?? project.id);
  };

  router
    .route('/v1/agent/:projectId/job')
    .post(mayInstruct, async (request: OfProject, response: Response) => {
      requireJson(request);
      const project = projectOf(request, response);
      const body = parse(CreateSessionRequest, request.body);
      // Before there is a job whose log nobody reads.
      limits.concurrency.followers(`key ${callerOf(response).keyId}`, response);
      const { job, isReplay } = await jobs.create({
        project,
        origin: 'api',
        keyId: callerOf(response).keyId,
        instructions: body.messages.map(({ role, content }) => ({ role, content })),
        branch: checkBranch(body.branch),
        model: chooseModel(body.model, config),
        isDraft: body.asDraft,
        idempotencyKey: toIdempotencyKey(request.get('idempotency-key')),
      });
      const stream = createSessionStream({
        id: job.id,
        branch: job.branch,
        // The first releases of SDK 4 send no `parts`, and refuse what came with them.
        isRecent: body.messages.some((message) => message.parts !== undefined),
      });
      response.set({ 'X-Session-Id': job.id, 'X-Branch-Name': job.branch });
      if (isReplay) response.set('Idempotent-Replay', 'true');
      // Who leaves stops reading; the job goes on.
      const entries = jobs.events.follow(job.id, 0, clientGone(response));
      await writeEntries(response, entries, stream);
      if (!response.writable) return;
      const last = await jobs.read(project.id, job.id);
      response.end(stream.end(await show(last, project, response), last.status));
    })
    .all(methodNotAllowed('POST'));

  router
    .route('/v1/agent/:projectId/job/:id')
    .get(mayRead, async (request: OfJob, response: Response) => {
      const project = projectOf(request, response);
      const job = await jobs.read(project.id, request.params.id);
      response.json(await show(job, project, response));
    })
    .all(methodNotAllowed('GET'));

  router
    .route('/v1/agent/:projectId/jobs')
    .get(mayRead, async (request: OfProject, response: Response) => {
      const project = projectOf(request, response);
      const found = await jobs.list(project.id, parse(ListJobsQuery, request.query));
      const allSessions = await Promise.all(found.map((job) => show(job, project, response)));
      response.json({ allSessions });
    })
    .all(methodNotAllowed('GET'));

  return router;
}
