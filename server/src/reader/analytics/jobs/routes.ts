/** From readers' words to agent jobs. Not in the service document. */
import { AgentJob } from '@docent/shared/agent';
import { GapJobRequest } from '@docent/shared/analytics';
import type { RequestHandler, Response } from 'express';
import { callerActor } from '../../../platform/auth/caller.ts';
import { editorWrites, endpointsOf, json } from '../../../platform/http/endpoint.ts';
import { idempotencyKeyOf } from '../../../platform/http/request.ts';
import type { Limits } from '../../../platform/limits/limits.ts';
import type { Made, ReaderJobs } from './reader-jobs.ts';

interface ReaderJobDeps {
  limits: Limits;
  readerJobs: ReaderJobs;
}

const endpoint = endpointsOf<ReaderJobDeps>('Agent jobs');

/** Counts against the limit for instructions to the site's project. */
const before = ({ readerJobs, limits }: ReaderJobDeps): RequestHandler[] => [
  ({ params }, _response, next) => {
    const domain = String(params['domain']);
    params['projectId'] = readerJobs.projectOf(domain)?.id ?? domain;
    next();
  },
  limits.perProject,
];

const reply = json(AgentJob, 'The job, which is active.', {
  status: 201,
  headers: {
    Location: 'Where to read it.',
    'Idempotent-Replay': '`true` where the job had been made before.',
  },
});

function nameJob({ job, isReplay }: Made, response: Response) {
  const { projectId = '' } = response.req.params as Record<string, string>;
  if (isReplay) response.set('Idempotent-Replay', 'true');
  response.location(`/v2/agent/${projectId}/job/${job.id}`);
  return job;
}

export const readerJobEndpoints = [
  endpoint('POST /v1/analytics/{domain}/unanswered/job', {
    id: 'createJobForUnanswered',
    summary: 'Create an agent job that answers questions which the documentation does not',
    description:
      'With the header `Idempotency-Key`, the same request sent again has no further effect; the same key with another body is 409.',
    who: editorWrites,
    limit: 'none',
    before,
    body: GapJobRequest,
    reply,
    errors: ['conflict'],
    async run({ params, body, caller, request, response }, { readerJobs }) {
      const made = await readerJobs.startForGap(params.domain, body, {
        by: callerActor(caller.id),
        idempotencyKey: idempotencyKeyOf(request),
      });
      return nameJob(made, response);
    },
  }),
  endpoint('POST /v1/feedback/{domain}/{id}/job', {
    id: 'createJobForFeedback',
    summary: 'Create an agent job for what a reader reported',
    description: 'Sent again, it gives the same job.',
    who: editorWrites,
    limit: 'none',
    before,
    reply,
    errors: ['conflict'],
    run: async ({ params, caller, response }, { readerJobs }) =>
      nameJob(
        await readerJobs.startFor(params.domain, params.id, callerActor(caller.id)),
        response,
      ),
  }),
];
