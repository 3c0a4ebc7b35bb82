/**
 * Feedback of readers, and analytics for the owner of a site. Not in the service document. Where the public
 * analytics API has the same endpoint, paths and names are the same.
 */
import {
  AskAgainReply,
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
  GapStory,
  GapsResponse,
  PageFeedbackResponse,
  PeriodQuery,
  SummaryResponse,
  ThreadResponse,
} from '@docent/shared/analytics';
import { ImportReply, ImportRequest } from '@docent/shared/import-questions';
import { FeedbackRequest, FeedbackResponse } from '@docent/shared/feedback';
import type { Audit } from '../../notify/audit/audit.ts';
import { callerActor } from '../../platform/auth/caller.ts';
import {
  adminWrites,
  editorWrites,
  endpointsOf,
  json,
  sent,
  viewerReads,
  toPage,
} from '../../platform/http/endpoint.ts';
import { addressOf } from '../../platform/http/request.ts';
import { sendTable, tableReply } from '../../platform/http/table-file.ts';
import { anonymous } from '../../platform/redaction/redact.ts';
import type { Bus } from '../../platform/store/bus.ts';
import { forgetReader, forgetThread } from '../conversations/retention.ts';
import { decideGaps } from '../gaps/join-gap.ts';
import { importQuestions } from '../gaps/import-questions.ts';
import type { AskAgain } from '../gaps/ask-again.ts';
import { findGaps, readGap } from '../gaps/gaps.ts';
import {
  columns,
  eachConversation,
  listConversations,
  readThread,
  toCells,
} from './conversations.ts';
import {
  type FeedbackDeps,
  giveFeedback,
  takeBackFeedback,
  changeFeedback,
  countStates,
  listFeedback,
  readFeedback,
} from './feedback.ts';
import type { ReaderJobs } from './jobs/reader-jobs.ts';
import { summarize } from './overview.ts';
import { feedbackByPage, toPeriod } from './summary.ts';

export interface AnalyticsDeps extends FeedbackDeps {
  audit: Audit;
  readerJobs: ReaderJobs;
  askAgain: Pick<AskAgain, 'again'>;
  bus: Bus;
}

const feedback = endpointsOf<AnalyticsDeps>('Feedback');
const assistant = endpointsOf<AnalyticsDeps>('Assistant');
const analytics = endpointsOf<AnalyticsDeps>('Analytics');

/** Of readers, with the key of their page. */
export const feedbackEndpoints = [
  feedback('POST /discovery/v1/feedback/{domain}', {
    id: 'giveFeedback',
    summary: 'Say what a reader thinks of an answer or a page',
    who: { key: 'assistant' },
    body: FeedbackRequest,
    reply: FeedbackResponse,
    errors: ['unavailable'],
    async run({ site: { domain }, body, caller, request }, deps) {
      const given = await giveFeedback(body, domain, caller, deps);
      const report = await deps.readerJobs.consider(domain, given.id, addressOf(request));
      return { ...given, ...(report && { report }) };
    },
  }),
  feedback('DELETE /discovery/v1/feedback/{domain}/{id}', {
    id: 'takeBackFeedback',
    summary: 'Take back what a reader said of an answer or a page',
    description:
      'The reader is named in the header `X-Fp`, as with the feedback; who left `anonymous` needs none. Counted with searches, not with questions.',
    who: { key: 'assistant' },
    parameters: { id: 'The `id` that came back for the feedback.' },
    reply: { status: 204, description: 'It is gone, or there was none of this reader.' },
    async run({ site, params, request }, deps) {
      // Not in the path or query, which end up in logs.
      const fp = request.get('x-fp') || anonymous;
      await takeBackFeedback({ id: params.id, fp }, site.domain, deps);
    },
  }),
  assistant('DELETE /discovery/v1/thread/{domain}/{id}', {
    id: 'deleteThread',
    summary: 'Delete one of the reader’s conversations',
    description:
      'Its questions, its answers and what the reader thought of them. Only the reader who asked may: they say their `fp` again in the header `X-Fp`. Counted with searches, not with questions.',
    who: { key: 'assistant' },
    parameters: { id: 'The `threadId` of the conversation.' },
    reply: { status: 204, description: 'It is deleted.' },
    run: ({ site, params, request }, deps) =>
      forgetThread(deps, site.domain, request.get('x-fp') || anonymous, params.id),
  }),
];

export const analyticsEndpoints = [
  analytics('GET /v1/analytics/{domain}', {
    id: 'getSummary',
    summary: 'Numbers of a period',
    who: viewerReads,
    query: PeriodQuery,
    reply: SummaryResponse,
    run: ({ site, query }, { database, now }) =>
      summarize(database, site.domain, toPeriod(query, now())),
  }),
  analytics('GET /v1/analytics/{domain}/assistant', {
    id: 'getAssistantConversations',
    summary: 'Questions with their answers, newest first',
    who: viewerReads,
    query: ConversationsQuery,
    reply: {
      status: 200,
      description: 'Questions with their answers, newest first',
      content: {
        'application/json': ConversationsResponse,
        'application/jsonl': Conversation,
        'text/csv': tableReply,
      },
    },
    async run({ site: { domain }, query, response }, { database, now }) {
      const period = toPeriod(query, now());
      const { format } = query;
      if (format === 'json') return listConversations(database, domain, period, query);
      const rows = eachConversation(database, domain, period, query);
      const name = `${domain}-conversations`;
      await sendTable(response, rows, { name, format, columns, toCells });
      return sent;
    },
  }),
  analytics('GET /v1/analytics/{domain}/assistant/{id}', {
    id: 'getAssistantConversation',
    summary: 'One conversation, as its reader saw it and with what was found',
    who: viewerReads,
    parameters: { id: 'The `threadId` of the conversation.' },
    reply: ThreadResponse,
    run: ({ site, params }, { database }) => readThread(database, site.domain, params.id),
  }),
  analytics('POST /v1/questions/{domain}', {
    id: 'importQuestions',
    summary: 'Add resolved support threads to the gaps',
    description:
      'One conversation, as a webhook of a support tool sends it, or up to 500. Personal data is removed, what the documentation answers is skipped, and the three largest themes join the gaps. A conversation is imported once.',
    who: editorWrites,
    body: ImportRequest,
    reply: ImportReply,
    run: ({ site, body }, deps) => importQuestions(body.conversations, site.domain, deps),
  }),
  analytics('GET /v1/analytics/{domain}/feedback', {
    id: 'getFeedback',
    summary: 'Feedback on answers and pages, newest first',
    who: viewerReads,
    query: FeedbackQuery,
    reply: FeedbackListResponse,
    async run({ site: { domain }, query }, { database, now }) {
      const wanted = { ...query, limit: query.limit + 1 };
      const found = await listFeedback(database, domain, toPeriod(query, now()), wanted);
      const { rows, next } = toPage(found, query.limit, ({ id }) => id);
      return { feedback: rows, counts: await countStates(database, domain), ...next };
    },
  }),
  analytics('GET /v1/analytics/{domain}/feedback/by-page', {
    id: 'getFeedbackByPage',
    summary: 'Feedback and citations of each page',
    who: viewerReads,
    query: PeriodQuery,
    reply: PageFeedbackResponse,
    run: async ({ site, query }, { database, now }) => ({
      pages: await feedbackByPage(database, site.domain, toPeriod(query, now())),
    }),
  }),
  analytics('GET /v1/analytics/{domain}/unanswered', {
    id: 'getUnansweredQuestions',
    summary: 'Questions without an answer, those that ask for the same together',
    who: viewerReads,
    query: PeriodQuery,
    reply: GapsResponse,
    run: ({ site, query }, { database, now, readerJobs }) =>
      findGaps(database, site.domain, toPeriod(query, now()), readerJobs),
  }),
  analytics('POST /v1/gaps/{domain}', {
    id: 'decideGaps',
    summary: 'Merge, split, or dismiss groups of unanswered questions',
    description: 'Similar questions that come later join these groups.',
    who: editorWrites,
    body: GapDecision,
    reply: json(GapDecisionResponse, 'The groups, in the order of the request.', { status: 201 }),
    errors: ['conflict'],
    run: ({ site, body, caller }, deps) => decideGaps(deps, site, body, caller.id),
  }),
  analytics('GET /v1/gaps/{domain}/{id}', {
    id: 'getGap',
    summary: 'One gap, with the answers to its questions before and after',
    who: viewerReads,
    parameters: { id: 'The `id` of the gap.' },
    reply: GapStory,
    run: ({ site, params }, { database, now, readerJobs }) =>
      readGap(database, site, params.id, now(), readerJobs),
  }),
  analytics('POST /v1/gaps/{domain}/{id}/ask', {
    id: 'askGapAgain',
    summary: 'Ask the questions of a gap again',
    description:
      'The documentation is read first. Of questions that have an answer by now, none is asked, unless all have one.',
    who: editorWrites,
    parameters: { id: 'The `id` of the gap.' },
    reply: json(AskAgainReply, 'How many are asked.', { status: 202 }),
    run: ({ site, params, caller }, { askAgain }) => askAgain.again(site, params.id, caller.id),
  }),
  analytics('GET /v1/feedback/{domain}/{id}', {
    id: 'getOneFeedback',
    summary: 'Feedback with the notes of the team',
    who: viewerReads,
    reply: FeedbackDetail,
    run: ({ site, params }, { database }) => readFeedback(database, site, params.id),
  }),
  analytics('PATCH /v1/feedback/{domain}/{id}', {
    id: 'changeFeedback',
    summary: 'Change the state or the assignee of feedback, or add a note',
    description: 'If `version` is not the current one, the answer is 409 with the current state.',
    who: editorWrites,
    body: FeedbackChange,
    reply: FeedbackDetail,
    errors: ['conflict'],
    run: ({ site, params, body, caller }, deps) =>
      changeFeedback(deps, site, params.id, body, caller.id),
  }),
  analytics('POST /v1/readers/{domain}/forget', {
    id: 'forgetReader',
    summary: 'Delete everything of one reader',
    who: adminWrites,
    body: ForgetRequest,
    reply: ForgetResponse,
    run: ({ site: { domain }, body, caller: { organization, id } }, deps) =>
      forgetReader(deps, { domain, organization, actor: callerActor(id) }, body),
  }),
];
