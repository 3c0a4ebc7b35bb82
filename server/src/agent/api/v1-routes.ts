/**
 * Agent jobs, version 1, deprecated (service document, "Agent jobs v1"). A session is the same record as
 * a job of version 2: each can be read through the other's endpoints.
 */
import {
  AgentSession,
  AgentSessionList,
  CreateSessionRequest,
  type HaultReason,
  ListSessionsQuery,
} from '@docent/shared/agent';
import { failureTable } from '@docent/shared/agent-failures';
import { callerActor } from '../../platform/auth/caller.ts';
import {
  editorWrites,
  endpointsOf,
  json,
  sent,
  viewerReads,
} from '../../platform/http/endpoint.ts';
import { idempotencyKeyOf } from '../../platform/http/request.ts';
import type { Project } from '../../platform/tenants/projects.ts';
import { userInstructions } from '../jobs/instructions.ts';
import type { Job } from '../jobs/job.ts';
import type { JobInQueue } from '../jobs/read-jobs.ts';
import { pullTitle } from '../publish/pull-text.ts';
import { writeEntries } from './event-stream.ts';
import { checkBranch, chooseModel } from './read-request.ts';
import { type AgentDeps, idempotency, noteReplay, replayHeader } from './routes.ts';
import { createSessionStream } from './v1-stream.ts';

const endpoint = endpointsOf<AgentDeps>('Agent jobs');

async function showAll({ database }: AgentDeps, found: readonly JobInQueue[], project: Project) {
  const untitled = found.filter(({ title }) => title === null).map(({ id }) => id);
  const instructions = await userInstructions(database, untitled, 'newest');
  const subdomain = project.site ?? project.id;
  return found.map((job) => toSession(job, subdomain, instructions.get(job.id)));
}

async function show(deps: AgentDeps, found: JobInQueue, project: Project) {
  const [session] = await showAll(deps, [found], project);
  return session as AgentSession;
}

export const sessionJobEndpoints = [
  endpoint('POST /v1/agent/{projectId}/job', {
    id: 'createAgentSession',
    summary: 'Create an agent job and stream its run',
    description: `Who leaves the stream does not end the job. ${idempotency}`,
    who: editorWrites,
    limit: 'instruction',
    isDeprecated: true,
    body: CreateSessionRequest,
    reply: {
      status: 200,
      description: 'What the agent says and does, until the job has ended.',
      content: { 'text/plain': { description: 'The data stream of chat SDK 4.' } },
      headers: {
        'X-Session-Id': 'Identifier of the job.',
        'X-Branch-Name':
          'The branch that the agent works on, as percent-encoded UTF-8: read it with `decodeURIComponent`.',
        ...replayHeader,
      },
    },
    errors: ['conflict'],
    async run(call, deps) {
      const { project, body, caller, request, response } = call;
      const { config, jobs, limits } = deps;
      const branch = checkBranch(body.branch);
      // Before there is a job whose log nobody reads.
      limits.concurrency.followers(`key ${caller.id}`, response);
      const { job, isReplay } = await jobs.create({
        project,
        origin: 'api',
        by: callerActor(caller.id),
        instructions: body.messages.map(({ role, content }) => ({ role, content })),
        branch,
        model: chooseModel(body.model, config),
        isDraft: body.asDraft,
        idempotencyKey: idempotencyKeyOf(request),
      });
      const stream = createSessionStream({
        id: job.id,
        branch: job.branch,
        // The first releases of SDK 4 send no `parts`, and refuse what came with them.
        isRecent: body.messages.some((message) => message.parts !== undefined),
      });
      // A header holds ASCII, and the name of a branch any letters.
      response.set({ 'X-Session-Id': job.id, 'X-Branch-Name': encodeURI(job.branch) });
      noteReplay(response, isReplay);
      // Who leaves stops reading; the job goes on.
      await writeEntries(response, jobs.events.follow(job.id, 0, call.signal), stream);
      if (!response.writable) return sent;
      const last = await jobs.read(project.id, job.id);
      response.end(stream.end(await show(deps, last, project), last.status));
      return sent;
    },
  }),
  endpoint('GET /v1/agent/{projectId}/job/{id}', {
    id: 'getAgentSession',
    summary: 'Read one agent job as a session',
    who: viewerReads,
    limit: 'none',
    isDeprecated: true,
    reply: AgentSession,
    run: async ({ project, params }, deps) =>
      show(deps, await deps.jobs.read(project.id, params.id), project),
  }),
  endpoint('GET /v1/agent/{projectId}/jobs', {
    id: 'listAgentSessions',
    summary: 'List the sessions of a project, newest first',
    who: viewerReads,
    limit: 'none',
    isDeprecated: true,
    query: ListSessionsQuery,
    reply: json(AgentSessionList, 'The sessions. If there are more, `Link` has the next page.'),
    async run({ project, query: { skip, take }, request, response }, deps) {
      const found = await deps.jobs.list([project.id], { skip, take: take + 1 });
      if (found.length > take) {
        const next = `${request.path}?skip=${skip + take}&take=${take}`;
        response.append('Link', `<${next}>; rel="next"`);
      }
      return { allSessions: await showAll(deps, found.slice(0, take), project) };
    },
  }),
];

/**
 * The same record in the shape of version 1; the spellings are the service document's. Where there is no
 * text the document's type, a string, is kept: it is empty. Spec: "subdomain the
 * session belongs to"; that is the site's domain identifier, or the project's id where it has no site.
 * Spec: "generated title summarizing the job"; until the agent has given one, the instruction has it.
 */
export function toSession(job: Job, subdomain: string, instruction = ''): AgentSession {
  return {
    sessionId: job.id,
    subdomain,
    branch: job.branch,
    haulted: job.status !== 'active',
    haultReason: reasonOf(job),
    pullRequestLink: job.status === 'active' ? '' : (job.pull?.url ?? ''),
    messageToUser: messageOf(job),
    todos: job.todos,
    // Spec: "id of the user who created the session, if available". We know keys, not people.
    ...(job.callerId !== null && { userId: job.callerId }),
    title: job.title ?? pullTitle(undefined, instruction),
    createdAt: job.createdAt,
  };
}

function reasonOf({ status, failure }: Job): HaultReason {
  if (status === 'active') return 'processing';
  if (failure === null) return 'completed';
  if (failure.code === 'cancelled') return 'interrupted';
  return 'isAccess' in failureTable[failure.code] ? 'github_missconfigured' : 'error';
}

function messageOf({ failure, message }: Job): string {
  return failure ? `${failure.message} ${failure.remedy}` : (message ?? '');
}
