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
import { GapJobRequest } from '@docent/shared/analytics';
import {
  AllJobsQuery,
  AllJobsReply,
  NewShareReply,
  ProjectsReply,
  ShareRequest,
  SharesReply,
} from '@docent/shared/jobs-list';
import { json, type Reply, tagged } from './endpoint.ts';

const replayHeader = {
  'Idempotent-Replay':
    '`true` where the same `Idempotency-Key` was sent with the same body before.',
};
const idempotency =
  'With the header `Idempotency-Key`, the same request sent again has no further effect; the same key with another body is 409.';

const job = (description: string, more?: Partial<Reply>): Reply =>
  json(AgentJob, description, more);

const made = json(AgentJob, 'The job, which is active.', {
  status: 201,
  headers: {
    Location: 'Where to read it.',
    'Idempotent-Replay': '`true` where the job had been made before.',
  },
});

export const agentEndpoints = [
  ...tagged('Agent jobs', {
    'POST /v2/agent/{projectId}/job': {
      id: 'createAgentJob',
      summary: 'Create an agent job',
      description: `The job runs in the background; a pull request is created where it changes files. ${idempotency}`,
      body: CreateJobRequest,
      reply: job('The job, which is active.', {
        status: 201,
        headers: { Location: 'Where to read it.', ...replayHeader },
      }),
      errors: ['conflict'],
    },
    'POST /v2/agent/{projectId}/job/{id}/message': {
      id: 'sendAgentMessage',
      summary: 'Send a follow-up message to a job',
      description: `An active job takes it up at its next step; an ended one becomes active again. ${idempotency}`,
      body: JobMessageRequest,
      reply: job('The job, which is active.', { headers: replayHeader }),
      errors: ['conflict'],
    },
    'GET /v2/agent/{projectId}/job/{id}': {
      id: 'getAgentJob',
      summary: 'Read one agent job',
      reply: AgentJob,
    },
    'DELETE /v2/agent/{projectId}/job/{id}': {
      id: 'deleteAgentJob',
      summary: 'Cancel a job',
      description: 'The same as `POST …/cancel`: the job and its log stay.',
      reply: job('The job: failed, or about to be.'),
      errors: ['conflict'],
    },
    'POST /v2/agent/{projectId}/job/{id}/cancel': {
      id: 'cancelAgentJob',
      summary: 'Cancel a job',
      reply: job('The job: failed, or about to be.'),
      errors: ['conflict'],
    },
    'POST /v2/agent/{projectId}/job/{id}/archive': {
      id: 'archiveAgentJob',
      summary: 'Archive an ended job',
      description: 'It stays readable and takes no more messages.',
      reply: job('The job, with `archivedAt`.'),
      errors: ['conflict'],
    },
    'GET /v2/agent/{projectId}/job/{id}/events': {
      id: 'followAgentJob',
      summary: 'Follow what happens in a job',
      description:
        'Server-sent events from the first on, or after the one that `Last-Event-ID` names; ends when the job has ended.',
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
    },
    'GET /v2/agent/{projectId}/job/{id}/diff': {
      id: 'getAgentDiff',
      summary: 'Read what a job has changed in this run',
      description: 'Also of a job that failed. Empty where nothing was changed.',
      reply: {
        status: 200,
        description: 'A patch that `git apply` takes.',
        content: { 'text/x-diff': { description: 'A unified diff.' } },
      },
      errors: ['unavailable'],
    },
    'GET /v2/agent/{projectId}/jobs': {
      id: 'listAgentJobs',
      summary: 'List the jobs of a project, newest first',
      query: ListJobsQuery,
      reply: AgentJobList,
    },
    'POST /v1/agent/{projectId}/job': {
      id: 'createAgentSession',
      summary: 'Create an agent job and stream its run',
      description: `Who leaves the stream does not end the job. ${idempotency}`,
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
    },
    'GET /v1/agent/{projectId}/job/{id}': {
      id: 'getAgentSession',
      summary: 'Read one agent job as a session',
      isDeprecated: true,
      reply: AgentSession,
    },
    'GET /v1/agent/{projectId}/jobs': {
      id: 'listAgentSessions',
      summary: 'List the sessions of a project, newest first',
      isDeprecated: true,
      query: ListSessionsQuery,
      reply: json(AgentSessionList, 'The sessions. If there are more, `Link` has the next page.'),
    },
    'POST /v1/analytics/{domain}/unanswered/job': {
      id: 'createJobForUnanswered',
      summary: 'Create an agent job that answers questions which the documentation does not',
      description:
        'With the header `Idempotency-Key`, the same request sent again has no further effect; the same key with another body is 409.',
      body: GapJobRequest,
      reply: made,
      errors: ['conflict'],
    },
    'POST /v1/feedback/{domain}/{id}/job': {
      id: 'createJobForFeedback',
      summary: 'Create an agent job for what a reader reported',
      description: 'Sent again, it gives the same job.',
      reply: made,
      errors: ['conflict'],
    },
    'GET /v1/projects': {
      id: 'listProjects',
      summary: 'Projects of the organization',
      reply: ProjectsReply,
    },
    'GET /v1/jobs': {
      id: 'listAllJobs',
      summary: 'Jobs of all projects, newest first',
      query: AllJobsQuery,
      reply: AllJobsReply,
      errors: ['not_found'],
    },
    'GET /v1/shares': {
      id: 'listShares',
      summary: 'Links that share a page, as long as they work',
      reply: json(SharesReply, 'The links, without their tokens.'),
    },
    'POST /v1/shares': {
      id: 'createShare',
      summary: 'Let somebody without an account read a page',
      body: ShareRequest,
      reply: json(NewShareReply, 'The link, which is shown this once.', { status: 201 }),
      errors: ['not_found'],
    },
    'DELETE /v1/shares/{id}': {
      id: 'revokeShare',
      summary: 'Revoke a link that shares a page',
    },
  }),
];
