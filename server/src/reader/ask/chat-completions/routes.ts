/**
 * The assistant for programs that use OpenAI's API. Not in the service document. It has the same keys,
 * limits, retrieval, and answers as the assistant endpoints.
 */
import { ChatCompletionsRequest } from '@docent/shared/chat-completions';
import type { RequestHandler } from 'express';
import { z } from 'zod';
import { requireProof } from '../../challenge/routes.ts';
import { DocentError } from '../../../platform/errors.ts';
import { endpointsOf, json, sent } from '../../../platform/http/endpoint.ts';
import { callerOf, jsonBody, parse } from '../../../platform/http/request.ts';
import { requireOriginOf } from '../../../platform/http/site-cors.ts';
import type { Site, Sites } from '../../../platform/tenants/sites.ts';
import { isStream } from '../../stream/stored-answers.ts';
import { readStream } from '../../stream/write-stream.ts';
import { ask, send } from '../ask.ts';
import { type AssistantDeps, modelFailures } from '../routes.ts';
import {
  completionProtocol,
  createCompletion,
  fromChatCompletions,
  siteOfModel,
  toCompletion,
} from './completion.ts';

interface CompletionDeps extends AssistantDeps {
  sites: Sites;
}

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

const endpoint = endpointsOf<CompletionDeps>('Assistant');

/** The site is in the body, so the body is read before the proof. */
const before = ({ streams, challenges, sites }: CompletionDeps): RequestHandler[] => [
  streams.acceptQuestions,
  jsonBody,
  function readCompletion(request, response, next) {
    const body = parse(ChatCompletionsRequest, request.body);
    const site = siteOfModel(body.model, sites, callerOf(response));
    requireOriginOf(site, request);
    request.body = body;
    response.locals['site'] = site;
    next();
  },
  requireProof(challenges),
];

/** Of the programs' paths, below which errors have OpenAI's shape. */
export const completionPaths = ['/v1/chat/completions', '/v1/models', '/v1/models/:id'];

export const completionEndpoints = [
  endpoint('POST /v1/chat/completions', {
    id: 'createChatCompletion',
    summary: 'Ask a question with an OpenAI client',
    who: { key: 'assistant' },
    limit: 'question',
    isOpenAi: true,
    before,
    checksBody: true,
    body: ChatCompletionsRequest,
    reply: {
      status: 200,
      description: 'The answer: whole, or as a stream of chunks where `stream` is true.',
      content: { 'application/json': Completion, 'text/event-stream': Completion },
      headers: { 'X-Thread-Id': 'The conversation.' },
    },
    errors: ['not_found', ...modelFailures],
    async run({ body, request, response, signal }, deps) {
      const site = response.locals['site'] as Site;
      const question = fromChatCompletions(body, request.get('x-thread-id'));
      const found = await ask(request, response, { site, question, graceMs: 0 }, deps);
      const { threadId, messageId } = found;
      const includeUsage = body.stream_options?.include_usage === true;
      const created = new Date();
      const options = { threadId, messageId, created, model: body.model, includeUsage };
      if (body.stream === true) {
        await send(found, response, completionProtocol(options), deps);
        return sent;
      }
      const answer = createCompletion(options);
      if (!isStream(found)) return sent;
      const read = readStream(found, (part) => answer.add(part), signal);
      const isWhole = await deps.streams.track(read);
      if (!isWhole) return sent;
      const { failure } = answer;
      if (failure) throw new DocentError(failure.code, failure.error, failure);
      return toCompletion(answer, options);
    },
  }),
  endpoint('GET /v1/models', {
    id: 'listModels',
    summary: 'The sites of the key, as models',
    who: { key: 'assistant' },
    isOpenAi: true,
    reply: json(z.object({ object: z.literal('list'), data: z.array(Model) }), 'The sites.'),
    run: ({ caller }, { sites }) => ({
      object: 'list' as const,
      data: sites.ofCaller(caller).map(toModel),
    }),
  }),
  endpoint('GET /v1/models/{id}', {
    id: 'getModel',
    summary: 'One site, as a model',
    who: { key: 'assistant' },
    isOpenAi: true,
    parameters: { id: 'The domain of a site, or `docent` where the key is for one site.' },
    reply: Model,
    run: ({ params, caller }, { sites }) => toModel(siteOfModel(params.id, sites, caller)),
  }),
];

/** The creation time of a site is unknown, and no client needs it. */
const toModel = ({ domain, organization }: Site): z.infer<typeof Model> => ({
  id: domain,
  object: 'model',
  created: 0,
  owned_by: organization,
});
