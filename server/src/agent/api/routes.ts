/**
 * Agent jobs, version 2 (service document, "Agent jobs v2"; decisions, "Agent jobs"), with an admin key
 * of the project's organization. The document shows only the first two and mentions the third. There are no
 * CORS headers, because such a key must never be in a page.
 *   POST   /v2/agent/{projectId}/job                creates a job: 201
 *   POST   /v2/agent/{projectId}/job/{id}/message   a further instruction
 *   GET    /v2/agent/{projectId}/job/{id}           reads a job
 *   DELETE /v2/agent/{projectId}/job/{id}           cancels it
 *   POST   /v2/agent/{projectId}/job/{id}/cancel    the same
 *   POST   /v2/agent/{projectId}/job/{id}/archive   closes an ended one for good
 *   GET    /v2/agent/{projectId}/job/{id}/events    its log, as it grows (server-sent events)
 *   GET    /v2/agent/{projectId}/job/{id}/diff      what this run has changed so far
 *   GET    /v2/agent/{projectId}/jobs               the project's jobs, newest first
 */
import { CreateJobRequest, JobMessageRequest, ListJobsQuery } from '@docent/shared/agent';
import {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express';
import type { Config } from '../../platform/config/schema.ts';
import { DocentError, JobError } from '../../platform/errors.ts';
import { patchInWorker } from '../workspace/diffs.ts';
import type { FileChange } from '../workspace/tree.ts';
import { clientGone, jsonBody, parse, toIdempotencyKey } from '../../platform/http/request.ts';
import type { Limits } from '../../platform/limits/limits.ts';
import type { Database } from '../../platform/store/database.ts';
import type { LinkTo } from '../shares/page-links.ts';
import type { Projects } from '../../platform/tenants/projects.ts';
import { streamLog } from './event-stream.ts';
import type { Job } from '../jobs/job.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { toInstruction } from '../jobs/instructions.ts';
import type { JobInQueue } from '../jobs/read-jobs.ts';
import { checkBranch, chooseModel, lastEventId } from './read-request.ts';
import { createV1Routes } from './v1-routes.ts';
import { toAgentJob } from './show-job.ts';
import { type Actor, callerActor, callerOf } from '../../platform/auth/caller.ts';

export interface AgentRouteDeps {
  config: Pick<Config, 'agent' | 'models'>;
  database: Database;
  requireAccessByRoute: RequestHandler;
  limits: Limits;
  projects: Pick<Projects, 'forCaller'>;
  jobs: Jobs;
  linkTo: LinkTo;
  changesOf: (job: Job, signal?: AbortSignal) => Promise<FileChange[]>;
}

type OfProject = Request<{ projectId: string }>;
type OfJob = Request<{ projectId: string; id: string }>;

export function createAgentRoutes(deps: AgentRouteDeps): Router {
  const {
    config,
    requireAccessByRoute: requireAccess,
    limits,
    projects,
    jobs,
    linkTo,
    changesOf,
  } = deps;
  const router = Router({ strict: true, caseSensitive: true });
  const projectOf = (request: OfProject, response: Response) =>
    projects.forCaller(request.params.projectId, callerOf(response));

  const show = (job: JobInQueue) =>
    toAgentJob(job, linkTo({ kind: 'job', project: job.project, job: job.id }));

  /** The project is looked up first: callers who can't see it can't use up its limit. */
  const mayInstruct = [
    requireAccess,
    (request: OfProject, response: Response, next: () => void) => {
      projectOf(request, response);
      next();
    },
    limits.perProject,
    jsonBody,
  ];

  router.post(
    '/v2/agent/:projectId/job',
    mayInstruct,
    async (request: OfProject, response: Response) => {
      const project = projectOf(request, response);
      const body = parse(CreateJobRequest, request.body);
      const branch = checkBranch(body.branch);
      const { job, isReplay } = await jobs.create({
        project,
        origin: 'api',
        by: callerActor(callerOf(response).id),
        instructions: [toInstruction(body)],
        branch,
        model: chooseModel(body.model, config),
        isDraft: body.asDraft,
        allowLarge: body.allowLarge,
        idempotencyKey: toIdempotencyKey(request.get('idempotency-key')),
      });
      if (isReplay) response.set('Idempotent-Replay', 'true');
      response.status(201).location(`/v2/agent/${project.id}/job/${job.id}`).json(show(job));
    },
  );

  router.post(
    '/v2/agent/:projectId/job/:id/message',
    mayInstruct,
    async (request: OfJob, response: Response) => {
      const project = projectOf(request, response);
      const { prompt, command } = parse(JobMessageRequest, request.body);
      const { job, isReplay } = await jobs.instruct(project.id, request.params.id, {
        prompt,
        command,
        by: callerActor(callerOf(response).id),
        idempotencyKey: toIdempotencyKey(request.get('idempotency-key')),
      });
      if (isReplay) response.set('Idempotent-Replay', 'true');
      response.json(show(job));
    },
  );

  const cancel = async (request: OfJob, response: Response) => {
    const { id } = projectOf(request, response);
    const job = await jobs.cancel(id, request.params.id, actorOf(response));
    response.json(show(job));
  };

  router
    .route('/v2/agent/:projectId/job/:id')
    .get(requireAccess, async (request: OfJob, response: Response) => {
      const { id } = projectOf(request, response);
      response.json(show(await jobs.read(id, request.params.id)));
    })
    .delete(requireAccess, cancel);

  router.post('/v2/agent/:projectId/job/:id/cancel', requireAccess, cancel);

  router.post(
    '/v2/agent/:projectId/job/:id/archive',
    requireAccess,
    async (request: OfJob, response: Response) => {
      const { id } = projectOf(request, response);
      const job = await jobs.archive(id, request.params.id, actorOf(response));
      response.json(show(job));
    },
  );

  router.get(
    '/v2/agent/:projectId/job/:id/events',
    requireAccess,
    async (request: OfJob, response: Response) => {
      const { id } = projectOf(request, response);
      const after = lastEventId(request.get('last-event-id'));
      const job = await jobs.read(id, request.params.id);
      // Clients reconnect when a stream ends; 204 tells them to stop.
      if (job.status !== 'active' && after >= job.events) {
        response.status(204).end();
        return;
      }
      limits.concurrency.followers(`key ${callerOf(response).id}`, response);
      await streamLog(response, jobs.events.follow(job.id, after, clientGone(response)));
    },
  );

  router.get(
    '/v2/agent/:projectId/job/:id/diff',
    requireAccess,
    async (request: OfJob, response: Response) => {
      const project = projectOf(request, response);
      const job = await jobs.read(project.id, request.params.id);
      const gone = clientGone(response);
      const changes = await changesOf(job, gone).catch(notReadable);
      response.type('text/x-diff; charset=utf-8').send(await patchInWorker(changes, gone));
    },
  );

  router.get(
    '/v2/agent/:projectId/jobs',
    requireAccess,
    async (request: OfProject, response: Response) => {
      const { id } = projectOf(request, response);
      const found = await jobs.list(id, parse(ListJobsQuery, request.query));
      response.json({ jobs: found.map(show) });
    },
  );

  router.use(createV1Routes({ ...deps, mayInstruct, projectOf }));
  router.use(countRefusedKeys(limits));
  return router;
}

function actorOf(response: Response): Actor {
  return callerActor(callerOf(response).id);
}

/** Answers with the job's words when the repository can't be read. */
function notReadable(error: unknown): never {
  if (!(error instanceof JobError)) throw error;
  throw new DocentError('unavailable', error.message, { cause: error });
}

/**
 * Refused keys count towards the limit of the address and day, so that keys can't be guessed. Valid keys
 * don't: a program that polls a job would use up the limit of the readers behind the same address.
 */
function countRefusedKeys({ lookups }: Pick<Limits, 'lookups'>): ErrorRequestHandler {
  return function countRefusedKeys(error, request, response, next) {
    if (!(error instanceof DocentError) || error.code !== 'unauthorized') return next(error);
    void lookups.perAddress(request, response, (refused?: unknown) => next(refused ?? error));
  };
}
