/** Endpoints that speak OpenAI's wire, also in their errors. */
import { ChatCompletionsRequest } from '@docent/shared/chat-completions';
import { z } from 'zod';
import { type Endpoint, json } from './endpoint.ts';

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

export const completionsEndpoints: Endpoint[] = [
  {
    method: 'post',
    path: '/v1/chat/completions',
    id: 'createChatCompletion',
    tag: 'Assistant',
    summary: 'Ask a question with an OpenAI client',
    scope: 'assistant',
    isOpenAi: true,
    body: ChatCompletionsRequest,
    replies: [
      {
        status: 200,
        description: 'The answer: whole, or as a stream of chunks where `stream` is true.',
        content: { 'application/json': Completion, 'text/event-stream': Completion },
        headers: { 'X-Thread-Id': 'The conversation.' },
      },
    ],
    errors: [
      'bad_request',
      'forbidden',
      'not_found',
      'too_large',
      'unsupported_media_type',
      'rate_limited',
      'budget_exceeded',
      'upstream_failed',
      'model_refused',
      'unavailable',
    ],
  },
  {
    method: 'get',
    path: '/v1/models',
    id: 'listModels',
    tag: 'Assistant',
    summary: 'The sites of the key, as models',
    scope: 'assistant',
    isOpenAi: true,
    replies: [json(z.object({ object: z.literal('list'), data: z.array(Model) }), 'The sites.')],
    errors: ['forbidden', 'rate_limited'],
  },
  {
    method: 'get',
    path: '/v1/models/{id}',
    id: 'getModel',
    tag: 'Assistant',
    summary: 'One site, as a model',
    scope: 'assistant',
    isOpenAi: true,
    parameters: { id: 'The domain of a site, or `docent` where the key is for one site.' },
    replies: [json(Model, 'The site.')],
    errors: ['forbidden', 'not_found', 'rate_limited'],
  },
];
