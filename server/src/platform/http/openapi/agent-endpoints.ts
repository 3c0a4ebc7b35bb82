/** Endpoints of agent jobs, both versions. */
import {
  AgentJob,
  AgentJobList,
  AgentSession,
  AgentSessionList,
  CreateJobRequest,
  CreateSessionRequest,
  JobMessageRequest,
  ListJobsQuery,
  ListSessionsQuery,
} from '@docent/shared/agent';
import { type Endpoint, json, type Reply } from './endpoint.ts';

const ofJob = { id: 'The job’s identifier.' };

const found = ['forbidden', 'not_found', 'rate_limited'] as const;
const written = [
  'bad_request',
  'conflict',
  'too_large',
  'unsupported_media_type',
  ...found,
] as const;

const replayHeader = {
  'Idempotent-Replay':
    '`true` where the same `Idempotency-Key` was sent with the same body before.',
};
const idempotency =
  'With the header `Idempotency-Key`, the same request sent again has no further effect; the same key with another body is 409.';

const job = (description: string, more?: Partial<Reply>): Reply =>
  json(AgentJob, description, more);

const v2: Endpoint[] = [
  {
    method: 'post',
    path: '/v2/agent/{projectId}/job',
    id: 'createAgentJob',
    tag: 'Agent jobs',
    summary: 'Create an agent job',
    description: `The job runs in the background; a pull request is created where it changes files. ${idempotency}`,
    body: CreateJobRequest,
    replies: [
      job('The job, which is active.', {
        status: 201,
        headers: { Location: 'Where to read it.', ...replayHeader },
      }),
    ],
    errors: written,
  },
  {
    method: 'post',
    path: '/v2/agent/{projectId}/job/{id}/message',
    id: 'sendAgentMessage',
    tag: 'Agent jobs',
    summary: 'Send a follow-up message to a job',
    description: `An active job takes it up at its next step; an ended one becomes active again. ${idempotency}`,
    parameters: ofJob,
    body: JobMessageRequest,
    replies: [job('The job, which is active.', { headers: replayHeader })],
    errors: written,
  },
  {
    method: 'get',
    path: '/v2/agent/{projectId}/job/{id}',
    id: 'getAgentJob',
    tag: 'Agent jobs',
    summary: 'Read one agent job',
    parameters: ofJob,
    replies: [job('The job.')],
    errors: found,
  },
  {
    method: 'delete',
    path: '/v2/agent/{projectId}/job/{id}',
    id: 'deleteAgentJob',
    tag: 'Agent jobs',
    summary: 'Cancel a job',
    description: 'The same as `POST …/cancel`: the job and its log stay.',
    parameters: ofJob,
    replies: [job('The job: failed, or about to be.')],
    errors: ['conflict', ...found],
  },
  {
    method: 'post',
    path: '/v2/agent/{projectId}/job/{id}/cancel',
    id: 'cancelAgentJob',
    tag: 'Agent jobs',
    summary: 'Cancel a job',
    parameters: ofJob,
    replies: [job('The job: failed, or about to be.')],
    errors: ['conflict', ...found],
  },
  {
    method: 'post',
    path: '/v2/agent/{projectId}/job/{id}/archive',
    id: 'archiveAgentJob',
    tag: 'Agent jobs',
    summary: 'Archive an ended job',
    description: 'It stays readable and takes no more messages.',
    parameters: ofJob,
    replies: [job('The job, with `archivedAt`.')],
    errors: ['conflict', ...found],
  },
  {
    method: 'get',
    path: '/v2/agent/{projectId}/job/{id}/events',
    id: 'followAgentJob',
    tag: 'Agent jobs',
    summary: 'Follow what happens in a job',
    description:
      'Server-sent events from the first on, or after the one that `Last-Event-ID` names; ends when the job has ended.',
    parameters: ofJob,
    replies: [
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
    errors: ['bad_request', ...found],
  },
  {
    method: 'get',
    path: '/v2/agent/{projectId}/job/{id}/diff',
    id: 'getAgentDiff',
    tag: 'Agent jobs',
    summary: 'Read what a job has changed in this run',
    description: 'Also of a job that failed. Empty where nothing was changed.',
    parameters: ofJob,
    replies: [
      {
        status: 200,
        description: 'A patch that `git apply` takes.',
        content: { 'text/x-diff': { description: 'A unified diff.' } },
      },
    ],
    errors: ['unavailable', ...found],
  },
  {
    method: 'get',
    path: '/v2/agent/{projectId}/jobs',
    id: 'listAgentJobs',
    tag: 'Agent jobs',
    summary: 'List the jobs of a project, newest first',
    query: ListJobsQuery,
    replies: [json(AgentJobList, 'Some of the jobs.')],
    errors: ['bad_request', ...found],
  },
];

const v1: Endpoint[] = [
  {
    method: 'post',
    path: '/v1/agent/{projectId}/job',
    id: 'createAgentSession',
    tag: 'Agent jobs',
    summary: 'Create an agent job and stream its run',
    description: `Who leaves the stream does not end the job. ${idempotency}`,
    isDeprecated: true,
    body: CreateSessionRequest,
    replies: [
      {
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
    ],
    errors: written,
  },
  {
    method: 'get',
    path: '/v1/agent/{projectId}/job/{id}',
    id: 'getAgentSession',
    tag: 'Agent jobs',
    summary: 'Read one agent job as a session',
    isDeprecated: true,
    parameters: ofJob,
    replies: [json(AgentSession, 'The session.')],
    errors: found,
  },
  {
    method: 'get',
    path: '/v1/agent/{projectId}/jobs',
    id: 'listAgentSessions',
    tag: 'Agent jobs',
    summary: 'List the sessions of a project, newest first',
    isDeprecated: true,
    query: ListSessionsQuery,
    replies: [json(AgentSessionList, 'The sessions. If there are more, `Link` has the next page.')],
    errors: ['bad_request', ...found],
  },
];

export const agentEndpoints: Endpoint[] = [...v2, ...v1];
