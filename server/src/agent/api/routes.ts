/**
 * Agent jobs, version 2 (service document, "Agent jobs v2"; decisions, "Agent jobs"). The document shows only
 * how to create one and how to send a message, and mentions how to read one. There are no CORS headers,
 * because an admin key must never be in a page.
 */
import {
  AgentJob,
  AgentJobList,
  CreateJobRequest,
  JobMessageRequest,
  ListJobsQuery,
} from '@docent/shared/agent';
import type { Request, Response } from 'express';
import { callerActor } from '../../platform/auth/caller.ts';
import type { Config } from '../../platform/config/schema.ts';
import { DocentError, JobError, invalid } from '../../platform/errors.ts';
import {
  editorWrites,
  endpointsOf,
  json,
  type Reply,
  sent,
  viewerReads,
} from '../../platform/http/endpoint.ts';
import { idempotencyKeyOf } from '../../platform/http/request.ts';
import type { Limits } from '../../platform/limits/limits.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Projects } from '../../platform/tenants/projects.ts';
import { toInstruction } from '../jobs/instructions.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { JobInQueue } from '../jobs/read-jobs.ts';
import type { LinkTo } from '../shares/page-shares.ts';
import { patchInWorker } from '../workspace/diff.ts';
import type { JobViews } from './job-view.ts';
import { toAgentJob } from './job-view.ts';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AgentLogEntry } from '@docent/shared/agent-events';
import {
  beginStream,
  type BeginStreamOptions,
  eventStreamHeaders,
  keepAlive,
} from '../../platform/http/stream.ts';
import { branchNameMistake } from '../../platform/config/repository-address.ts';
import { redactSecrets } from '../../platform/redaction/redact.ts';

export interface AgentDeps {
  config: Pick<Config, 'agent' | 'models'>;
  database: Database;
  limits: Limits;
  jobs: Jobs;
  linkTo: LinkTo;
  projects: Projects;
  jobViews: JobViews;
}

const endpoint = endpointsOf<AgentDeps>('Agent jobs');

export const replayHeader = {
  'Idempotent-Replay':
    '`true` where the same `Idempotency-Key` was sent with the same body before.',
};
export const idempotency =
  'With the header `Idempotency-Key`, the same request sent again has no further effect; the same key with another body is 409.';

export function noteReplay(response: Response, isReplay: boolean): void {
  if (isReplay) response.set('Idempotent-Replay', 'true');
}

const jobReply = (description: string, more?: Partial<Reply>) => json(AgentJob, description, more);

export const show = ({ linkTo }: AgentDeps, job: JobInQueue) =>
  toAgentJob(job, linkTo({ kind: 'job', project: job.project, job: job.id }));

/** There are two ways to say it. */
const cancellation = {
  summary: 'Cancel a job',
  who: editorWrites,
  limit: 'none',
  reply: jobReply('The job: failed, or about to be.'),
  errors: ['conflict'],
} as const;

export const agentEndpoints = [
  endpoint('POST /v2/agent/{projectId}/job', {
    id: 'createAgentJob',
    summary: 'Create an agent job',
    description: `The job runs in the background; a pull request is created where it changes files. ${idempotency}`,
    who: editorWrites,
    limit: 'instruction',
    body: CreateJobRequest,
    reply: jobReply('The job, which is active.', {
      status: 201,
      headers: { Location: 'Where to read it.', ...replayHeader },
    }),
    errors: ['conflict'],
    async run({ project, body, caller, request, response }, deps) {
      const { job, isReplay } = await deps.jobs.create({
        project,
        origin: 'api',
        by: callerActor(caller.id),
        instructions: [toInstruction(body)],
        branch: checkBranch(body.branch),
        model: chooseModel(body.model, deps.config),
        isDraft: body.asDraft,
        allowLarge: body.allowLarge,
        idempotencyKey: idempotencyKeyOf(request),
      });
      noteReplay(response, isReplay);
      response.location(`/v2/agent/${project.id}/job/${job.id}`);
      return show(deps, job);
    },
  }),
  endpoint('POST /v2/agent/{projectId}/job/{id}/message', {
    id: 'sendAgentMessage',
    summary: 'Send a follow-up message to a job',
    description: `An active job takes it up at its next step; an ended one becomes active again. ${idempotency}`,
    who: editorWrites,
    limit: 'instruction',
    body: JobMessageRequest,
    reply: jobReply('The job, which is active.', { headers: replayHeader }),
    errors: ['conflict'],
    async run({ project, params, body, caller, request, response }, deps) {
      const { job, isReplay } = await deps.jobs.instruct(project.id, params.id, {
        prompt: body.prompt,
        command: body.command,
        by: callerActor(caller.id),
        idempotencyKey: idempotencyKeyOf(request),
      });
      noteReplay(response, isReplay);
      return show(deps, job);
    },
  }),
  endpoint('GET /v2/agent/{projectId}/job/{id}', {
    id: 'getAgentJob',
    summary: 'Read one agent job',
    who: viewerReads,
    limit: 'none',
    reply: AgentJob,
    run: async ({ project, params }, deps) =>
      show(deps, await deps.jobs.read(project.id, params.id)),
  }),
  endpoint('DELETE /v2/agent/{projectId}/job/{id}', {
    ...cancellation,
    id: 'deleteAgentJob',
    description: 'The same as `POST …/cancel`: the job and its log stay.',
    run: async ({ project, params, caller }, deps) =>
      show(deps, await deps.jobs.cancel(project.id, params.id, callerActor(caller.id))),
  }),
  endpoint('POST /v2/agent/{projectId}/job/{id}/cancel', {
    ...cancellation,
    id: 'cancelAgentJob',
    run: async ({ project, params, caller }, deps) =>
      show(deps, await deps.jobs.cancel(project.id, params.id, callerActor(caller.id))),
  }),
  endpoint('POST /v2/agent/{projectId}/job/{id}/archive', {
    id: 'archiveAgentJob',
    summary: 'Archive an ended job',
    description: 'It stays readable and takes no more messages.',
    who: editorWrites,
    limit: 'none',
    reply: jobReply('The job, with `archivedAt`.'),
    errors: ['conflict'],
    run: async ({ project, params, caller }, deps) =>
      show(deps, await deps.jobs.archive(project.id, params.id, callerActor(caller.id))),
  }),
  endpoint('GET /v2/agent/{projectId}/job/{id}/events', {
    id: 'followAgentJob',
    summary: 'Follow what happens in a job',
    description:
      'Server-sent events from the first on, or after the one that `Last-Event-ID` names; ends when the job has ended.',
    who: viewerReads,
    limit: 'none',
    reply: [
      {
        status: 200,
        description: 'The log, as it grows.',
        content: {
          'text/event-stream': {
            description:
              'Events with `id`, the type as `event`, and JSON with `seq`, `type`, `at` and the fields of the type as `data`.',
          },
        },
      },
      { status: 204, description: 'The job has ended, and there is nothing new.' },
    ],
    errors: ['bad_request'],
    async run(call, deps) {
      const job = await deps.jobs.read(call.project.id, call.params.id);
      await sendLog(deps, job, `key ${call.caller.id}`, call);
      return sent;
    },
  }),
  endpoint('GET /v2/agent/{projectId}/job/{id}/diff', {
    id: 'getAgentDiff',
    summary: 'Read what a job has changed in this run',
    description: 'Also of a job that failed. Empty where nothing was changed.',
    who: viewerReads,
    limit: 'none',
    reply: {
      status: 200,
      description: 'A patch that `git apply` takes.',
      content: { 'text/x-diff': { description: 'A unified diff.' } },
    },
    errors: ['unavailable'],
    async run({ project, params, response, signal }, { jobs, jobViews }) {
      const job = await jobs.read(project.id, params.id);
      const changes = await jobViews.changesOf(job, signal).catch(notReadable);
      response.type('text/x-diff; charset=utf-8').send(await patchInWorker(changes, signal));
      return sent;
    },
  }),
  endpoint('GET /v2/agent/{projectId}/jobs', {
    id: 'listAgentJobs',
    summary: 'List the jobs of a project, newest first',
    who: viewerReads,
    limit: 'none',
    query: ListJobsQuery,
    reply: AgentJobList,
    async run({ project, query }, deps) {
      const found = await deps.jobs.list([project.id], query);
      return { jobs: found.map((job) => show(deps, job)) };
    },
  }),
];

function notReadable(error: unknown): never {
  if (!(error instanceof JobError)) throw error;
  throw new DocentError('unavailable', error.message, { cause: error });
}

/** Sends the log of a job from the event after `Last-Event-ID` on. `follower`: whose streams are counted. */
export async function sendLog(
  { jobs, limits }: { jobs: Pick<Jobs, 'events'>; limits: Pick<Limits, 'concurrency'> },
  job: JobInQueue,
  follower: string,
  { request, response, signal }: { request: Request; response: Response; signal: AbortSignal },
): Promise<void> {
  const after = lastEventId(request.get('last-event-id'));
  // Clients reconnect when a stream ends; 204 tells them to stop.
  if (job.status !== 'active' && after >= job.events) {
    response.status(204).end();
    return;
  }
  limits.concurrency.followers(follower, response);
  await streamLog(response, jobs.events.follow(job.id, after, signal));
}

interface Wire extends BeginStreamOptions {
  /** One event; empty if this format has none for it. */
  encode: (entry: AgentLogEntry) => string;
}

/** Server-sent events: `id` is what `Last-Event-ID` says after a break. */
async function streamLog(
  response: ServerResponse,
  entries: AsyncIterable<AgentLogEntry>,
): Promise<void> {
  await writeEntries(response, entries, {
    headers: { ...eventStreamHeaders, 'Cache-Control': 'no-store, no-transform' },
    heartbeat: keepAlive,
    encode: (entry) => `id: ${entry.seq}\nevent: ${entry.type}\ndata: ${JSON.stringify(entry)}\n\n`,
  });
  if (response.writable) response.end();
}

/** Resolves when there are no more events or the connection is closed. */
export async function writeEntries(
  response: ServerResponse,
  entries: AsyncIterable<AgentLogEntry>,
  { encode, ...options }: Wire,
): Promise<void> {
  beginStream(response, options);
  response.flushHeaders();
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  for await (const entry of entries) {
    if (closed.signal.aborted || !response.writable) return;
    const text = encode(entry);
    // Wait for a slow client; the job itself continues.
    if (text !== '' && !response.write(text)) {
      await once(response, 'drain', { signal: closed.signal }).catch(() => undefined);
    }
  }
}

/** The model names of version 1. Version 2 accepts them too. */
const aliases = ['sonnet', 'opus'] as const;

/**
 * The model that a request names, also by the ID that jobs show; `undefined`: the project's. Spec: version 1 has `sonnet` and `opus`. They
 * stand for the models in `agent.models`, or for the project's model if that setting is missing, so that
 * programs for the public API keep working.
 */
export function chooseModel(
  name: string | undefined,
  { models, agent }: Pick<Config, 'models' | 'agent'>,
): string | undefined {
  if (name === undefined) return undefined;
  if (Object.hasOwn(models, name)) return name;
  const byId = Object.entries(models).find(([, { model }]) => model === name);
  if (byId) return byId[0];
  const alias = aliases.find((each) => each === name);
  if (alias) return agent.models[alias];
  const known = [...Object.keys(models), ...aliases];
  const message = `must be one of ${known.map((each) => `"${each}"`).join(', ')}`;
  throw invalid('model', message);
}

export function checkBranch(name: string | undefined): string | undefined {
  const mistake = name === undefined ? undefined : branchNameMistake(name);
  if (mistake !== undefined) throw invalid('branch', mistake);
  // Anybody who sees the repository reads the names of its branches.
  if (name !== undefined && redactSecrets(name) !== name) {
    throw invalid('branch', 'holds what looks like a secret; choose another name');
  }
  return name;
}

/** The number of the last event that a client has; 0: none. */
function lastEventId(header: string | undefined): number {
  if (header === undefined || header === '') return 0;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  throw new DocentError(
    'bad_request',
    'The header `Last-Event-ID` must be the `id` of an event of this job, a whole number.',
  );
}
