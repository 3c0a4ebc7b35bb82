/**
 * Agent jobs, version 1, deprecated (service document, "Agent jobs v1"). A session is the same record as
 * a job of version 2: each can be read through the other's endpoints.
 *   POST /v1/agent/{projectId}/job       creates a job and streams its run (data stream of chat SDK 4)
 *   GET  /v1/agent/{projectId}/job/{id}  reads one
 *   GET  /v1/agent/{projectId}/jobs      all of the project, newest first; `skip` and `take` paginate
 */
import { type AgentSession, CreateSessionRequest, ListSessionsQuery } from '@docent/shared/agent';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Config } from '../../platform/config/schema.ts';
import { clientGone, parse, requireJson, toIdempotencyKey } from '../../platform/http/request.ts';
import { deprecated } from '../../platform/http/deprecated.ts';
import type { Limits } from '../../platform/limits/limits.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Project } from '../../platform/tenants/projects.ts';
import { writeEntries } from './event-stream.ts';
import { userInstructions } from '../jobs/instructions.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { JobInQueue } from '../jobs/read-jobs.ts';
import { checkBranch, chooseModel } from './read-request.ts';
import { toSession } from './v1-session.ts';
import { createSessionStream } from './v1-stream.ts';
import { callerActor, callerOf } from '../../platform/auth/caller.ts';

type OfProject = Request<{ projectId: string }>;
type OfJob = Request<{ projectId: string; id: string }>;

export interface V1Deps {
  config: Pick<Config, 'agent' | 'models'>;
  database: Database;
  jobs: Jobs;
  limits: Pick<Limits, 'concurrency'>;
  requireAccessByRoute: RequestHandler;
  // oxlint-disable-next-line typescript/no-explicit-any -- Express types handlers by their path
  mayInstruct: RequestHandler<any>[];
  projectOf: (request: OfProject, response: Response) => Project;
}

export function createV1Routes(deps: V1Deps): Router {
  const { config, database, limits, jobs, requireAccessByRoute, mayInstruct, projectOf } = deps;
  const router = Router({ strict: true, caseSensitive: true });
  const showAll = async (found: JobInQueue[], project: Project) => {
    const untitled = found.filter(({ title }) => title === null).map(({ id }) => id);
    const instructions = await userInstructions(database, untitled, 'newest');
    const subdomain = project.site ?? project.id;
    return found.map((job) => toSession(job, subdomain, instructions.get(job.id)));
  };
  const show = async (found: JobInQueue, project: Project) => {
    const [session] = await showAll([found], project);
    return session as AgentSession;
  };

  router
    .route('/v1/agent/:projectId/job')
    .all(deprecated)
    .post(mayInstruct, async (request: OfProject, response: Response) => {
      requireJson(request);
      const project = projectOf(request, response);
      const body = parse(CreateSessionRequest, request.body);
      const branch = checkBranch(body.branch);
      // Before there is a job whose log nobody reads.
      limits.concurrency.followers(`key ${callerOf(response).id}`, response);
      const { job, isReplay } = await jobs.create({
        project,
        origin: 'api',
        by: callerActor(callerOf(response).id),
        instructions: body.messages.map(({ role, content }) => ({ role, content })),
        branch,
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
      // A header holds ASCII, and the name of a branch any letters.
      response.set({ 'X-Session-Id': job.id, 'X-Branch-Name': encodeURI(job.branch) });
      if (isReplay) response.set('Idempotent-Replay', 'true');
      // Who leaves stops reading; the job goes on.
      const entries = jobs.events.follow(job.id, 0, clientGone(response));
      await writeEntries(response, entries, stream);
      if (!response.writable) return;
      const last = await jobs.read(project.id, job.id);
      response.end(stream.end(await show(last, project), last.status));
    });

  router
    .route('/v1/agent/:projectId/job/:id')
    .all(deprecated)
    .get(requireAccessByRoute, async (request: OfJob, response: Response) => {
      const project = projectOf(request, response);
      const job = await jobs.read(project.id, request.params.id);
      response.json(await show(job, project));
    });

  router
    .route('/v1/agent/:projectId/jobs')
    .all(deprecated)
    .get(requireAccessByRoute, async (request: OfProject, response: Response) => {
      const project = projectOf(request, response);
      const { skip, take } = parse(ListSessionsQuery, request.query);
      const found = await jobs.list(project.id, { skip, take: take + 1 });
      if (found.length > take) {
        const next = `${request.path}?skip=${skip + take}&take=${take}`;
        response.append('Link', `<${next}>; rel="next"`);
      }
      const allSessions = await showAll(found.slice(0, take), project);
      response.json({ allSessions });
    });

  return router;
}
