/** Endpoints that readers, their browsers, their agents, and OpenAI’s clients ask. */
import { AssistantRequestV1, AssistantRequestV2 } from '@docent/shared/assistant';
import { ChatCompletionsRequest } from '@docent/shared/chat-completions';
import { FeedbackRequest, FeedbackResponse } from '@docent/shared/feedback';
import { SiteReply } from '@docent/shared/replies';
import { AnswerPartSchema } from '@docent/shared/stream-schema';
import { z } from 'zod';
import { json, tagged } from './endpoint.ts';

const counted = { RateLimit: 'What is left.', 'RateLimit-Policy': 'The limits that apply.' };
const threadId = { 'X-Thread-Id': 'The conversation; send it as `threadId` to continue it.' };

const modelFailures = [
  'budget_exceeded',
  'unavailable',
  'upstream_failed',
  'model_refused',
] as const;

const resumeQuery = z.object({
  fp: z.string().optional(),
  skip: z.coerce.number().int().min(0).max(999_999_999).optional(),
});

const Choice = z.looseObject({ index: z.number(), finish_reason: z.string().nullable() });

const Completion = z.looseObject({
  id: z.string(),
  object: z.enum(['chat.completion', 'chat.completion.chunk']),
  created: z.number(),
  model: z.string(),
  choices: z.array(Choice),
});

const Model = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.number(),
  owned_by: z.string(),
});

export const readerEndpoints = [
  ...tagged('Assistant', {
    'POST /discovery/v2/assistant/{domain}/message': {
      id: 'createAssistantMessageV2',
      summary: 'Ask a question',
      description:
        'The answer is a stream of server-sent events, for chat SDK 5 and later and for plain readers. Each event holds one part as JSON. With the header `Idempotency-Key`, of 16 characters or more, the same question sent again gets the same answer; another question with the same key is 409.',
      scope: 'assistant',
      body: AssistantRequestV2,
      reply: {
        status: 200,
        description: 'The answer, as it is made.',
        content: { 'text/event-stream': AnswerPartSchema },
        headers: { ...threadId, ...counted },
      },
      errors: [...modelFailures, 'conflict'],
    },
    'GET /discovery/v2/assistant/{domain}/message/{id}/stream': {
      id: 'resumeAssistantMessage',
      summary: 'Read an answer again, and on',
      scope: 'assistant',
      parameters: {
        id: 'The `messageId` of the answer, the `Idempotency-Key` of its question, or the client’s chat id.',
      },
      query: resumeQuery,
      reply: [
        {
          status: 200,
          description: 'The answer from its beginning, or after the parts to skip.',
          content: { 'text/event-stream': AnswerPartSchema },
          headers: threadId,
        },
        { status: 204, description: 'There is nothing to read.' },
      ],
    },
    'POST /discovery/v2/assistant/{domain}/message/{id}/stop': {
      id: 'stopAssistantMessage',
      summary: 'End an answer',
      scope: 'assistant',
      parameters: {
        id: 'The `messageId` of the answer, the `Idempotency-Key` of its question, or the client’s chat id.',
      },
      query: resumeQuery.omit({ skip: true }),
      reply: {
        status: 204,
        description: 'It has ended, or there was nothing to end.',
        headers: { 'X-Thread-Id': 'The conversation, if there was an answer.' },
      },
    },
    'POST /discovery/v1/assistant/{domain}/message': {
      id: 'createAssistantMessageV1',
      summary: 'Ask a question (chat SDK 4)',
      isDeprecated: true,
      scope: 'assistant',
      body: AssistantRequestV1,
      reply: {
        status: 200,
        description: 'The answer as a data stream of chat SDK 4: lines of `code:JSON`.',
        content: { 'text/plain': { description: 'Lines of a code, a colon and JSON.' } },
        headers: { ...threadId, ...counted },
      },
      errors: [...modelFailures],
    },
    'GET /discovery/v1/assistant/{domain}/message': {
      id: 'resumeAssistantMessageV1',
      summary: 'What chat SDK 4 asks after a reload',
      isDeprecated: true,
      scope: 'assistant',
      query: z.object({ chatId: z.string().optional() }),
      reply: {
        status: 200,
        description: 'Nothing: an answer of version 1 cannot be resumed.',
        content: { 'text/plain': { description: 'Empty.' } },
      },
    },
    'GET /discovery/v1/site/{domain}': {
      id: 'getSite',
      summary: 'What a chat shows before the first question',
      scope: 'assistant',
      reply: SiteReply,
    },
    'DELETE /discovery/v1/thread/{domain}/{id}': {
      id: 'deleteThread',
      summary: 'Delete one of the reader’s conversations',
      description:
        'Its questions, its answers and what the reader thought of them. Only the reader who asked may: they say their `fp` again in the header `X-Fp`. Counted with searches, not with questions.',
      scope: 'assistant',
      parameters: { id: 'The `threadId` of the conversation.' },
      reply: { status: 204, description: 'It is deleted.' },
    },
    'POST /v1/chat/completions': {
      id: 'createChatCompletion',
      summary: 'Ask a question with an OpenAI client',
      isOpenAi: true,
      scope: 'assistant',
      body: ChatCompletionsRequest,
      reply: {
        status: 200,
        description: 'The answer: whole, or as a stream of chunks where `stream` is true.',
        content: { 'application/json': Completion, 'text/event-stream': Completion },
        headers: { 'X-Thread-Id': 'The conversation.' },
      },
      errors: ['not_found', 'budget_exceeded', 'upstream_failed', 'model_refused', 'unavailable'],
    },
    'GET /v1/models': {
      id: 'listModels',
      summary: 'The sites of the key, as models',
      isOpenAi: true,
      scope: 'assistant',
      reply: json(z.object({ object: z.literal('list'), data: z.array(Model) }), 'The sites.'),
    },
    'GET /v1/models/{id}': {
      id: 'getModel',
      summary: 'One site, as a model',
      isOpenAi: true,
      scope: 'assistant',
      parameters: { id: 'The domain of a site, or `docent` where the key is for one site.' },
      reply: Model,
    },
  }),
  ...tagged('Search', {}),
  ...tagged('Agents', {
    'POST /mcp/{domain}': {
      id: 'sendMcpMessage',
      summary: 'Model Context Protocol',
      description: 'Streamable HTTP without sessions: one JSON-RPC message, answered as JSON.',
      scope: 'mcp',
      body: z.strictObject({
        jsonrpc: z.literal('2.0'),
        id: z.union([z.string(), z.int()]).optional(),
        method: z.string(),
        params: z.looseObject({}).optional(),
      }),
      reply: [
        json(z.looseObject({ jsonrpc: z.literal('2.0') }), 'The answer to a request.'),
        { status: 202, description: 'A notification was taken.' },
      ],
    },
  }),
  ...tagged('Feedback', {
    'POST /discovery/v1/feedback/{domain}': {
      id: 'giveFeedback',
      summary: 'Say what a reader thinks of an answer or a page',
      scope: 'assistant',
      body: FeedbackRequest,
      reply: FeedbackResponse,
      errors: ['unavailable'],
    },
    'DELETE /discovery/v1/feedback/{domain}/{id}': {
      id: 'takeBackFeedback',
      summary: 'Take back what a reader said of an answer or a page',
      description:
        'The reader is named in the header `X-Fp`, as with the feedback; who left `anonymous` needs none. Counted with searches, not with questions.',
      scope: 'assistant',
      parameters: { id: 'The `id` that came back for the feedback.' },
      reply: { status: 204, description: 'It is gone, or there was none of this reader.' },
    },
  }),
];
