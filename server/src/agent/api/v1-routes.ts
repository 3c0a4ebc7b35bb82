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
  type AgentJob,
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
import {
  writeEntries,
  type AgentDeps,
  idempotency,
  noteReplay,
  replayHeader,
  checkBranch,
  chooseModel,
} from './routes.ts';
import type { AgentLogEntry } from '@docent/shared/agent-events';
import {
  dataStreamAnnotation as annotation,
  dataStreamHeaders,
  dataStreamHeartbeat,
  dataStreamLine as line,
} from '../../platform/http/stream.ts';

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

interface SessionStreamOptions {
  id: string;
  branch: string;
  /** The client knows `f:`, which the first releases of SDK 4 refuse, and steps within one message. */
  isRecent: boolean;
}

/**
 * A job's run as the data stream of chat SDK 4 (service document: "body of the stream: not shown"): lines of a
 * code, a colon and JSON. What the agent says is text, its tools are tool calls, and all else stands in
 * annotations, which every release of SDK 4 knows.
 */
function createSessionStream({ id, branch, isRecent }: SessionStreamOptions) {
  let hasBegun = false;
  /** Something stands between the last text and the next. */
  let isApart = false;
  let said = '';
  let inputTokens = 0;
  let outputTokens = 0;

  const usage = () => ({ promptTokens: inputTokens, completionTokens: outputTokens });

  function begin(): string {
    if (hasBegun) return '';
    hasBegun = true;
    const about = annotation({ type: 'session', sessionId: id, branch });
    return isRecent ? line('f', { messageId: id }) + about : about;
  }

  /** The SDK puts all text of a message together: what is said apart stands apart. */
  function text(words: string): string {
    if (words === '') return '';
    const apart = isApart && said !== '' ? '\n\n' : '';
    isApart = false;
    said += apart + words;
    return line('0', apart + words);
  }

  function encodeOne(entry: AgentLogEntry): string {
    switch (entry.type) {
      case 'text':
        return text(entry.text);
      case 'tool-call':
        isApart = true;
        return line('9', {
          toolCallId: entry.id,
          toolName: entry.name,
          args: toArguments(entry.input),
        });
      case 'tool-result':
        return line('a', { toolCallId: entry.id, result: entry.output });
      case 'step':
        isApart = true;
        inputTokens += entry.inputTokens;
        outputTokens += entry.outputTokens;
        // The first releases begin a new message after each step.
        if (!isRecent) return '';
        return line('e', {
          finishReason: 'tool-calls',
          usage: { promptTokens: entry.inputTokens, completionTokens: entry.outputTokens },
          isContinued: false,
        });
      case 'completed': {
        isApart = true;
        const { message, prLink } = entry;
        const isNew = message !== null && !said.endsWith(message);
        return text((isNew ? [message, prLink] : [prLink]).filter(Boolean).join('\n\n'));
      }
      case 'queued':
      case 'todos':
      case 'denied':
      case 'checks':
      case 'pull-request': {
        const { seq: _seq, at: _at, ...event } = entry;
        return annotation(event);
      }
      case 'started':
      case 'message':
      case 'compacted':
      case 'cancel-requested':
      case 'failed':
      case 'archived':
        return '';
    }
  }

  return {
    headers: dataStreamHeaders,
    heartbeat: dataStreamHeartbeat,
    encode: (entry: AgentLogEntry): string => begin() + encodeOne(entry),

    /** The last lines: how the session stands now that no more events come. */
    end(session: AgentSession, status: AgentJob['status']): string {
      const now = begin() + annotation({ type: 'session', ...session });
      const { sessionId, pullRequestLink } = session;
      if (status === 'active') {
        return now + line('3', 'The service stops. The job goes on; read it by its id.');
      }
      if (status === 'failed') return now + line('3', session.messageToUser);
      const finish = { finishReason: 'stop', usage: usage() };
      return (
        now +
        line('2', [{ type: 'finish', sessionId, pullRequestLink }]) +
        line('e', { ...finish, isContinued: false }) +
        line('d', { ...finish, type: 'finish', sessionId, pullRequestLink })
      );
    },
  };
}

/** A long input is kept cut, and is no JSON any more. */
function toArguments(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return { input };
  }
}
