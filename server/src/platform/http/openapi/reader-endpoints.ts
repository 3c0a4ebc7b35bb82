/** Endpoints that readers, their browsers and their agents ask. */
import { AssistantRequestV1, AssistantRequestV2 } from '@docent/shared/assistant';
import { FeedbackRequest, FeedbackResponse } from '@docent/shared/feedback';
import { ChallengeReply, SiteReply } from '@docent/shared/replies';
import { PageRequest, PageResponse, SearchRequest, SearchResponse } from '@docent/shared/search';
import { AnswerPartSchema } from '@docent/shared/stream-schema';
import { z } from 'zod';
import { type Endpoint, json } from './endpoint.ts';

const counted = { RateLimit: 'What is left.', 'RateLimit-Policy': 'The limits that apply.' };
const threadId = { 'X-Thread-Id': 'The conversation; send it as `threadId` to continue it.' };

const isCounted = ['rate_limited'] as const;
const isAnswer = [
  ...isCounted,
  'budget_exceeded',
  'unavailable',
  'upstream_failed',
  'model_refused',
] as const;
const takesBody = ['bad_request', 'too_large', 'unsupported_media_type'] as const;
const ofSite = ['forbidden', 'not_found'] as const;

const resumeQuery = z.object({
  fp: z.string().optional(),
  skip: z.coerce.number().int().min(0).max(999_999_999).optional(),
});

export const readerEndpoints: Endpoint[] = [
  {
    method: 'post',
    path: '/discovery/v2/assistant/{domain}/message',
    id: 'createAssistantMessageV2',
    tag: 'Assistant',
    summary: 'Ask a question',
    description:
      'The answer is a stream of server-sent events, for chat SDK 5 and later and for plain readers. Each event holds one part as JSON. With the header `Idempotency-Key`, of 16 characters or more, the same question sent again gets the same answer; another question with the same key is 409.',
    scope: 'assistant',
    body: AssistantRequestV2,
    replies: [
      {
        status: 200,
        description: 'The answer, as it is made.',
        content: { 'text/event-stream': AnswerPartSchema },
        headers: { ...threadId, ...counted },
      },
    ],
    errors: [...takesBody, ...ofSite, ...isAnswer, 'conflict'],
  },
  {
    method: 'get',
    path: '/discovery/v2/assistant/{domain}/message/{id}/stream',
    id: 'resumeAssistantMessage',
    tag: 'Assistant',
    summary: 'Read an answer again, and on',
    scope: 'assistant',
    parameters: {
      id: 'The `messageId` of the answer, the `Idempotency-Key` of its question, or the client’s chat id.',
    },
    query: resumeQuery,
    replies: [
      {
        status: 200,
        description: 'The answer from its beginning, or after the parts to skip.',
        content: { 'text/event-stream': AnswerPartSchema },
        headers: threadId,
      },
      { status: 204, description: 'There is nothing to read.' },
    ],
    errors: [...ofSite, 'bad_request', ...isCounted],
  },
  {
    method: 'post',
    path: '/discovery/v2/assistant/{domain}/message/{id}/stop',
    id: 'stopAssistantMessage',
    tag: 'Assistant',
    summary: 'End an answer',
    scope: 'assistant',
    parameters: {
      id: 'The `messageId` of the answer, the `Idempotency-Key` of its question, or the client’s chat id.',
    },
    query: resumeQuery.omit({ skip: true }),
    replies: [
      {
        status: 204,
        description: 'It has ended, or there was nothing to end.',
        headers: { 'X-Thread-Id': 'The conversation, if there was an answer.' },
      },
    ],
    errors: [...ofSite, ...isCounted],
  },
  {
    method: 'post',
    path: '/discovery/v1/assistant/{domain}/message',
    id: 'createAssistantMessageV1',
    tag: 'Assistant',
    summary: 'Ask a question (chat SDK 4)',
    isDeprecated: true,
    scope: 'assistant',
    body: AssistantRequestV1,
    replies: [
      {
        status: 200,
        description: 'The answer as a data stream of chat SDK 4: lines of `code:JSON`.',
        content: { 'text/plain': { description: 'Lines of a code, a colon and JSON.' } },
        headers: { ...threadId, ...counted },
      },
    ],
    errors: [...takesBody, ...ofSite, ...isAnswer],
  },
  {
    method: 'get',
    path: '/discovery/v1/assistant/{domain}/message',
    id: 'resumeAssistantMessageV1',
    tag: 'Assistant',
    summary: 'What chat SDK 4 asks after a reload',
    isDeprecated: true,
    scope: 'assistant',
    query: z.object({ chatId: z.string().optional() }),
    replies: [
      {
        status: 200,
        description: 'Nothing: an answer of version 1 cannot be resumed.',
        content: { 'text/plain': { description: 'Empty.' } },
      },
    ],
    errors: [...ofSite, ...isCounted],
  },
  {
    method: 'get',
    path: '/discovery/v1/site/{domain}',
    id: 'getSite',
    tag: 'Assistant',
    summary: 'What a chat shows before the first question',
    scope: 'assistant',
    replies: [json(SiteReply, 'The site.')],
    errors: [...ofSite, ...isCounted],
  },
  {
    method: 'get',
    path: '/discovery/v1/challenge/{domain}',
    id: 'getChallenge',
    tag: 'Assistant',
    summary: 'A proof of work, for sites that ask for one before a question',
    scope: 'assistant',
    replies: [
      json(ChallengeReply, 'The challenge; its solution goes into the header `X-Challenge`.'),
    ],
    errors: [...ofSite, ...isCounted],
  },
  {
    method: 'post',
    path: '/discovery/v1/search/{domain}',
    id: 'searchDocumentation',
    tag: 'Search',
    summary: 'Search the documentation',
    scope: 'search',
    body: SearchRequest,
    replies: [json(SearchResponse, 'Pages, the best first.', { headers: counted })],
    errors: [...takesBody, ...ofSite, ...isCounted, 'unavailable'],
  },
  {
    method: 'post',
    path: '/discovery/v1/page/{domain}',
    id: 'getPageContent',
    tag: 'Search',
    summary: 'Read one page',
    scope: 'search',
    body: PageRequest,
    replies: [json(PageResponse, 'The page as Markdown.', { headers: counted })],
    errors: [...takesBody, ...ofSite, ...isCounted, 'unavailable'],
  },
  {
    method: 'post',
    path: '/mcp/{domain}',
    id: 'sendMcpMessage',
    tag: 'Agents',
    summary: 'Model Context Protocol',
    description: 'Streamable HTTP without sessions: one JSON-RPC message, answered as JSON.',
    scope: 'mcp',
    body: z.strictObject({
      jsonrpc: z.literal('2.0'),
      id: z.union([z.string(), z.int()]).optional(),
      method: z.string(),
      params: z.looseObject({}).optional(),
    }),
    replies: [
      json(z.looseObject({ jsonrpc: z.literal('2.0') }), 'The answer to a request.'),
      { status: 202, description: 'A notification was taken.' },
    ],
    errors: [...takesBody, ...ofSite, ...isCounted],
  },
  {
    method: 'delete',
    path: '/discovery/v1/thread/{domain}/{id}',
    id: 'deleteThread',
    tag: 'Assistant',
    summary: 'Delete one of the reader’s conversations',
    description:
      'Its questions, its answers and what the reader thought of them. Only the reader who asked may: they say their `fp` again in the header `X-Fp`. Counted with searches, not with questions.',
    scope: 'assistant',
    parameters: { id: 'The `threadId` of the conversation.' },
    replies: [{ status: 204, description: 'It is deleted.' }],
    errors: [...ofSite, ...isCounted],
  },
  {
    method: 'post',
    path: '/discovery/v1/feedback/{domain}',
    id: 'giveFeedback',
    tag: 'Feedback',
    summary: 'Say what a reader thinks of an answer or a page',
    scope: 'assistant',
    body: FeedbackRequest,
    replies: [json(FeedbackResponse, 'It was kept.')],
    errors: [...takesBody, ...ofSite, ...isCounted, 'unavailable'],
  },
  {
    method: 'delete',
    path: '/discovery/v1/feedback/{domain}/{id}',
    id: 'takeBackFeedback',
    tag: 'Feedback',
    summary: 'Take back what a reader said of an answer or a page',
    description:
      'The reader is named in the header `X-Fp`, as with the feedback; who left `anonymous` needs none. Counted with searches, not with questions.',
    scope: 'assistant',
    parameters: { id: 'The `id` that came back for the feedback.' },
    replies: [{ status: 204, description: 'It is gone, or there was none of this reader.' }],
    errors: [...ofSite, ...isCounted],
  },
];
