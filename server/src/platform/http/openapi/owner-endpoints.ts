/** Endpoints that owners of sites and whoever runs the service ask. */
import { AgentJob } from '@docent/shared/agent';
import {
  Conversation,
  ConversationsQuery,
  ConversationsResponse,
  FeedbackChange,
  FeedbackDetail,
  FeedbackListResponse,
  FeedbackQuery,
  ForgetRequest,
  ForgetResponse,
  GapDecision,
  GapDecisionResponse,
  GapJobRequest,
  GapsResponse,
  PageFeedbackResponse,
  PeriodQuery,
  SummaryResponse,
  ThreadResponse,
} from '@docent/shared/analytics';
import { IndexQuery } from '@docent/shared/sites';
import { HealthReply, ReadyReply } from '@docent/shared/replies';
import { z } from 'zod';
import { type Endpoint, json } from './endpoint.ts';

const ofSite = ['forbidden', 'not_found', 'rate_limited'] as const;

/** How a run of the indexer stands. */
const IndexRun = z.looseObject({
  domain: z.string(),
  status: z.string(),
  isRequested: z.boolean(),
  startedAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
  progress: z.looseObject({}).nullable(),
  report: z.looseObject({ pages: z.number() }).nullable(),
  error: z.string().nullable(),
});

type Report = Pick<Endpoint, 'id' | 'path' | 'summary'> & {
  query: z.ZodObject;
  reply: NonNullable<Endpoint['replies'][number]['content']>;
};

const report = ({ id, path, summary, query, reply }: Report): Endpoint => ({
  method: 'get',
  path: `/v1/analytics/{domain}${path}`,
  id,
  tag: 'Analytics',
  summary,
  query,
  replies: [{ status: 200, description: summary, content: reply }],
  errors: ['bad_request', ...ofSite],
});

const made: Endpoint['replies'][number] = json(AgentJob, 'The job, which is active.', {
  status: 201,
  headers: {
    Location: 'Where to read it.',
    'Idempotent-Replay': '`true` where the job had been made before.',
  },
});

export const ownerEndpoints: Endpoint[] = [
  report({
    id: 'getSummary',
    path: '',
    summary: 'Numbers of a period',
    query: PeriodQuery,
    reply: { 'application/json': SummaryResponse },
  }),
  report({
    id: 'getAssistantConversations',
    path: '/assistant',
    summary: 'Questions with their answers, newest first',
    query: ConversationsQuery,
    reply: {
      'application/json': ConversationsResponse,
      'application/jsonl': Conversation,
      'text/csv': { description: 'A table, its first line the names of the columns.' },
    },
  }),
  {
    method: 'get',
    path: '/v1/analytics/{domain}/assistant/{id}',
    id: 'getAssistantConversation',
    tag: 'Analytics',
    summary: 'One conversation, as its reader saw it and with what was found',
    parameters: { id: 'The `threadId` of the conversation.' },
    replies: [json(ThreadResponse, 'The conversation.')],
    errors: ofSite,
  },
  report({
    id: 'getFeedback',
    path: '/feedback',
    summary: 'Feedback on answers and pages, newest first',
    query: FeedbackQuery,
    reply: { 'application/json': FeedbackListResponse },
  }),
  report({
    id: 'getFeedbackByPage',
    path: '/feedback/by-page',
    summary: 'Feedback and citations of each page',
    query: PeriodQuery,
    reply: { 'application/json': PageFeedbackResponse },
  }),
  report({
    id: 'getUnansweredQuestions',
    path: '/unanswered',
    summary: 'Questions without an answer, those that ask for the same together',
    query: PeriodQuery,
    reply: { 'application/json': GapsResponse },
  }),
  {
    method: 'post',
    path: '/v1/analytics/{domain}/unanswered/job',
    id: 'createJobForUnanswered',
    tag: 'Agent jobs',
    summary: 'Create an agent job that answers questions which the documentation does not',
    description:
      'With the header `Idempotency-Key`, the same request sent again has no further effect; the same key with another body is 409.',
    body: GapJobRequest,
    replies: [made],
    errors: ['bad_request', 'conflict', 'too_large', 'unsupported_media_type', ...ofSite],
  },
  {
    method: 'post',
    path: '/v1/gaps/{domain}',
    id: 'decideGaps',
    tag: 'Analytics',
    summary: 'Merge, split, or dismiss groups of unanswered questions',
    description: 'Similar questions that come later join these groups.',
    body: GapDecision,
    replies: [
      json(GapDecisionResponse, 'The groups, in the order of the request.', { status: 201 }),
    ],
    errors: ['bad_request', 'conflict', 'too_large', 'unsupported_media_type', ...ofSite],
  },
  {
    method: 'get',
    path: '/v1/feedback/{domain}/{id}',
    id: 'getOneFeedback',
    tag: 'Analytics',
    summary: 'Feedback with the notes of the team',
    parameters: { id: 'The feedback’s identifier.' },
    replies: [json(FeedbackDetail, 'The feedback.')],
    errors: ofSite,
  },
  {
    method: 'patch',
    path: '/v1/feedback/{domain}/{id}',
    id: 'changeFeedback',
    tag: 'Analytics',
    summary: 'Change the state or the assignee of feedback, or add a note',
    description: 'If `version` is not the current one, the answer is 409 with the current state.',
    parameters: { id: 'The feedback’s identifier.' },
    body: FeedbackChange,
    replies: [json(FeedbackDetail, 'The changed feedback.')],
    errors: ['bad_request', 'conflict', 'too_large', 'unsupported_media_type', ...ofSite],
  },
  {
    method: 'post',
    path: '/v1/feedback/{domain}/{id}/job',
    id: 'createJobForFeedback',
    tag: 'Agent jobs',
    summary: 'Create an agent job for what a reader reported',
    description: 'Sent again, it gives the same job.',
    parameters: { id: 'The feedback’s identifier.' },
    replies: [made],
    errors: ['conflict', ...ofSite],
  },
  {
    method: 'post',
    path: '/v1/readers/{domain}/forget',
    id: 'forgetReader',
    tag: 'Analytics',
    summary: 'Delete everything of one reader',
    body: ForgetRequest,
    replies: [json(ForgetResponse, 'What was deleted.')],
    errors: ['bad_request', 'too_large', 'unsupported_media_type', ...ofSite],
  },
  {
    method: 'post',
    path: '/v1/index/{domain}',
    id: 'startIndexing',
    tag: 'Operations',
    summary: 'Read the documentation again',
    query: IndexQuery,
    replies: [
      json(IndexRun, 'A run was asked for.', {
        status: 202,
        headers: { Location: 'Where to read how it stands.' },
      }),
    ],
    errors: ['bad_request', ...ofSite],
  },
  {
    method: 'get',
    path: '/v1/index/{domain}',
    id: 'getIndexing',
    tag: 'Operations',
    summary: 'How reading the documentation stands, and what the last run did',
    replies: [json(IndexRun, 'The run.')],
    errors: ofSite,
  },
  {
    method: 'get',
    path: '/healthz',
    id: 'getHealth',
    tag: 'Operations',
    summary: 'Whether the process is alive',
    replies: [json(HealthReply, 'It is.')],
  },
  {
    method: 'get',
    path: '/readyz',
    id: 'getReadiness',
    tag: 'Operations',
    summary: 'Whether the service can answer',
    replies: [json(ReadyReply, 'It can.')],
    errors: ['unavailable'],
  },
  {
    method: 'get',
    path: '/metrics',
    id: 'getMetrics',
    tag: 'Operations',
    summary: 'Counters for Prometheus',
    description:
      'With the token of `server.metricsTokenEnv` as a Bearer token; without that setting, 404.',
    replies: [
      {
        status: 200,
        description: 'The counters of this process.',
        content: { 'text/plain': { description: 'The text format of Prometheus.' } },
      },
    ],
    errors: ['unauthorized', 'not_found'],
  },
  {
    method: 'get',
    path: '/openapi.json',
    id: 'getOpenApi',
    tag: 'Operations',
    summary: 'This document',
    replies: [json(z.looseObject({ openapi: z.string() }), 'The description of the API.')],
  },
];
