/** Endpoints that owners of sites and whoever runs the service ask. */
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
  GapsResponse,
  PageFeedbackResponse,
  PeriodQuery,
  SummaryResponse,
  ThreadResponse,
} from '@docent/shared/analytics';
import { AuditEntry, AuditQuery, AuditResponse } from '@docent/shared/audit';
import {
  CreateKeyRequest,
  KeyWithToken,
  KeysQuery,
  KeysResponse,
  ManagedKey,
  RotateKeyRequest,
} from '@docent/shared/managed-keys';
import { OverviewQuery, OverviewReply, UsageReply } from '@docent/shared/overview';
import { PlaygroundReply, PlaygroundRequest } from '@docent/shared/playground';
import { HealthReply, ReadyReply } from '@docent/shared/replies';
import {
  FindingsReply,
  IndexQuery,
  ModelCheckRequest,
  ServiceHealthReply,
  SettingsReply,
  SiteReply,
  SiteSettingsReply,
  SiteSettingsRequest,
  SitesReply,
  TagReply,
} from '@docent/shared/sites';
import { AllWebhooksQuery, WebhooksResponse } from '@docent/shared/webhooks';
import { z } from 'zod';
import { json, tagged } from './endpoint.ts';

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

const table = { description: 'A table, its first line the names of the columns.' };

export const ownerEndpoints = [
  ...tagged('Analytics', {
    'GET /v1/analytics/{domain}': {
      id: 'getSummary',
      summary: 'Numbers of a period',
      query: PeriodQuery,
      reply: SummaryResponse,
    },
    'GET /v1/analytics/{domain}/assistant': {
      id: 'getAssistantConversations',
      summary: 'Questions with their answers, newest first',
      query: ConversationsQuery,
      reply: {
        status: 200,
        description: 'Questions with their answers, newest first',
        content: {
          'application/json': ConversationsResponse,
          'application/jsonl': Conversation,
          'text/csv': table,
        },
      },
    },
    'GET /v1/analytics/{domain}/assistant/{id}': {
      id: 'getAssistantConversation',
      summary: 'One conversation, as its reader saw it and with what was found',
      parameters: { id: 'The `threadId` of the conversation.' },
      reply: ThreadResponse,
    },
    'GET /v1/analytics/{domain}/feedback': {
      id: 'getFeedback',
      summary: 'Feedback on answers and pages, newest first',
      query: FeedbackQuery,
      reply: FeedbackListResponse,
    },
    'GET /v1/analytics/{domain}/feedback/by-page': {
      id: 'getFeedbackByPage',
      summary: 'Feedback and citations of each page',
      query: PeriodQuery,
      reply: PageFeedbackResponse,
    },
    'GET /v1/analytics/{domain}/unanswered': {
      id: 'getUnansweredQuestions',
      summary: 'Questions without an answer, those that ask for the same together',
      query: PeriodQuery,
      reply: GapsResponse,
    },
    'POST /v1/gaps/{domain}': {
      id: 'decideGaps',
      summary: 'Merge, split, or dismiss groups of unanswered questions',
      description: 'Similar questions that come later join these groups.',
      body: GapDecision,
      reply: json(GapDecisionResponse, 'The groups, in the order of the request.', { status: 201 }),
      errors: ['conflict'],
    },
    'GET /v1/feedback/{domain}/{id}': {
      id: 'getOneFeedback',
      summary: 'Feedback with the notes of the team',
      reply: FeedbackDetail,
    },
    'PATCH /v1/feedback/{domain}/{id}': {
      id: 'changeFeedback',
      summary: 'Change the state or the assignee of feedback, or add a note',
      description: 'If `version` is not the current one, the answer is 409 with the current state.',
      body: FeedbackChange,
      reply: FeedbackDetail,
      errors: ['conflict'],
    },
    'POST /v1/readers/{domain}/forget': {
      id: 'forgetReader',
      summary: 'Delete everything of one reader',
      body: ForgetRequest,
      reply: ForgetResponse,
    },
    'GET /v1/overview': {
      id: 'getOverview',
      summary: 'Figures of an organization, against the period before',
      query: OverviewQuery,
      reply: OverviewReply,
      errors: ['not_found'],
    },
    'GET /v1/usage': {
      id: 'getUsage',
      summary: 'Questions, tokens, and money by site, model, and key, and what is left of budgets',
      query: OverviewQuery,
      reply: UsageReply,
      errors: ['not_found'],
    },
  }),
  ...tagged('Operations', {
    'POST /v1/index/{domain}': {
      id: 'startIndexing',
      summary: 'Read the documentation again',
      query: IndexQuery,
      reply: json(IndexRun, 'A run was asked for.', {
        status: 202,
        headers: { Location: 'Where to read how it stands.' },
      }),
    },
    'GET /v1/index/{domain}': {
      id: 'getIndexing',
      summary: 'How reading the documentation stands, and what the last run did',
      reply: IndexRun,
    },
    'GET /healthz': {
      id: 'getHealth',
      summary: 'Whether the process is alive',
      reply: HealthReply,
    },
    'GET /readyz': {
      id: 'getReadiness',
      summary: 'Whether the service can answer',
      reply: ReadyReply,
      errors: ['unavailable'],
    },
    'GET /metrics': {
      id: 'getMetrics',
      summary: 'Counters for Prometheus',
      description:
        'With the token of `server.metricsTokenEnv` as a Bearer token; without that setting, 404.',
      reply: {
        status: 200,
        description: 'The counters of this process.',
        content: { 'text/plain': { description: 'The text format of Prometheus.' } },
      },
      errors: ['unauthorized', 'not_found'],
    },
    'GET /openapi.json': {
      id: 'getOpenApi',
      summary: 'This document',
      reply: json(z.looseObject({ openapi: z.string() }), 'The description of the API.'),
    },
    'GET /v1/webhooks': {
      id: 'listWebhooks',
      summary: 'The webhooks of the organization, and what was sent to them',
      query: AllWebhooksQuery,
      reply: json(WebhooksResponse, 'Endpoints, and deliveries, newest first.'),
    },
    'GET /v1/audit': {
      id: 'getAudit',
      summary: 'The audit trail of the organization, newest first',
      query: AuditQuery,
      reply: {
        status: 200,
        description: 'Entries, newest first.',
        content: {
          'application/json': AuditResponse,
          'application/jsonl': AuditEntry,
          'text/csv': table,
        },
      },
    },
    'GET /v1/keys': {
      id: 'listKeys',
      summary: 'API keys, without their tokens, newest first',
      query: KeysQuery,
      reply: KeysResponse,
    },
    'POST /v1/keys': {
      id: 'createKey',
      summary: 'Create an API key',
      description:
        'A key can create assistant keys without groups. Other keys are created by people who are signed in.',
      body: CreateKeyRequest,
      reply: json(KeyWithToken, 'The key, and its token, which is shown once.', { status: 201 }),
      errors: ['not_found'],
    },
    'POST /v1/keys/{id}/rotate': {
      id: 'rotateKey',
      summary: 'Give an API key another token; the one before stays valid for a while',
      description: 'A key can rotate itself, and assistant keys without groups.',
      body: RotateKeyRequest,
      reply: json(KeyWithToken, 'The key, and its new token, which is shown once.'),
      errors: ['conflict'],
    },
    'POST /v1/keys/{id}/revoke': {
      id: 'revokeKey',
      summary: 'Stop an API key at once',
      reply: json(ManagedKey, 'The key, which is revoked.'),
    },
    'GET /v1/sites': {
      id: 'listSites',
      summary: 'Sites with their pages and their last run',
      reply: json(SitesReply, 'The sites, in the order of the configuration.'),
    },
    'GET /v1/sites/{domain}': {
      id: 'describeSite',
      summary: 'One site with its sources',
      reply: SiteReply,
    },
    'POST /v1/sites/{domain}/tag': {
      id: 'getScriptTag',
      summary:
        'The script tag’s address and key, which is made if there is none, and where it goes',
      reply: TagReply,
    },
    'POST /v1/sites/{domain}/check': {
      id: 'checkSite',
      summary: 'Check a site: its sources, its tag, and its links',
      reply: FindingsReply,
    },
    'GET /v1/sites/{domain}/settings': {
      id: 'getSiteSettings',
      summary: 'What may change while the service runs, and where it comes from',
      reply: SiteSettingsReply,
    },
    'PATCH /v1/sites/{domain}/settings': {
      id: 'changeSiteSettings',
      summary: 'Change settings of a site while the service runs',
      body: SiteSettingsRequest,
      reply: SiteSettingsReply,
      errors: ['conflict'],
    },
    'GET /v1/settings': {
      id: 'getSettings',
      summary: 'The effective configuration, and where each value comes from',
      reply: json(SettingsReply, 'The configuration, without secrets.'),
    },
    'GET /v1/health': {
      id: 'getServiceHealth',
      summary: 'The state of the service',
      reply: ServiceHealthReply,
    },
    'POST /v1/health/model': {
      id: 'checkModel',
      summary: 'Ask a model for one word, which may cost a little',
      body: ModelCheckRequest,
      reply: FindingsReply,
      errors: ['not_found'],
    },
  }),
  ...tagged('Assistant', {
    'POST /v1/playground/{domain}': {
      id: 'tryQuestion',
      summary: 'Ask a question, and see what led to the answer',
      description:
        'It is answered as for a reader, counted, and paid for, but not stored. Without `groups`, it finds public pages alone.',
      body: PlaygroundRequest,
      reply: PlaygroundReply,
      errors: ['budget_exceeded', 'unavailable', 'upstream_failed', 'model_refused'],
    },
  }),
];
