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
import { OverviewQuery, OverviewReply, UsageReply } from '@docent/shared/overview';
import { PlaygroundReply, PlaygroundRequest } from '@docent/shared/playground';
import {
  FindingsReply,
  ModelCheckRequest,
  ServiceHealthReply,
  SettingsReply,
  SiteReply,
  SiteSettingsReply,
  SiteSettingsRequest,
  SitesReply,
  TagReply,
} from '@docent/shared/sites';
import { json, tagged } from './endpoint.ts';

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
