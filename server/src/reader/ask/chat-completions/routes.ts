/**
 * The assistant for programs that use OpenAI's API. Not in the service document. It has the same keys,
 * limits, retrieval, and answers as the assistant endpoints.
 */
import { ChatCompletionsRequest, type ChatMessage } from '@docent/shared/chat-completions';
import type { RequestHandler } from 'express';
import { z } from 'zod';
import { requireProof } from '../../challenge/routes.ts';
import { DocentError } from '../../../platform/errors.ts';
import { endpointsOf, json, sent } from '../../../platform/http/endpoint.ts';
import { callerOf, jsonBody, parse } from '../../../platform/http/request.ts';
import { requireOriginOf } from '../../../platform/http/site-cors.ts';
import type { Site, Sites } from '../../../platform/tenants/sites.ts';
import { isStream } from '../../stream/stored-answers.ts';
import { readStream, type Protocol } from '../../stream/write-stream.ts';
import { ask, send } from '../ask.ts';
import { type AssistantDeps, modelFailures } from '../routes.ts';
import type { MessageV2 } from '@docent/shared/assistant';
import { type ErrorBody, type ErrorCode, errorTable } from '@docent/shared/errors';
import type { AnswerPart } from '@docent/shared/stream';
import { eventStreamHeaders, keepAlive, toEvent } from '../../../platform/http/stream.ts';
import { type Question, toQuestion } from '../question.ts';
import { anonymous } from '../../../platform/redaction/redact.ts';
import type { Caller } from '../../../platform/auth/caller.ts';

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

interface CompletionOptions {
  messageId: string;
  threadId: string;
  /** The name that the caller sent. */
  model: string;
  created: Date;
  includeUsage: boolean;
}

/** Collects an answer, part by part, for one chat completion or the chunks of a stream. */
export function createCompletion(options: Pick<CompletionOptions, 'threadId'>) {
  const sources: { id: string; url: string; title: string }[] = [];
  let more: object = {};
  const answer = {
    text: '',
    usage: toUsage(0, 0),
    finishReason: 'stop',
    failure: undefined as ErrorBody | undefined,
    add(part: AnswerPart): void {
      if (part.type === 'text-delta') answer.text += part.delta;
      else if (part.type === 'source-url') {
        sources.push({ id: part.sourceId, url: part.url, title: part.title ?? part.url });
      } else if (part.type === 'data-answer') more = part.data;
      else if (part.type === 'error') answer.failure = JSON.parse(part.errorText) as ErrorBody;
      else if (part.type === 'abort') more = { ...more, ended: 'stopped' };
      else if (part.type === 'finish') {
        answer.usage = toUsage(part.usage?.inputTokens ?? 0, part.usage?.outputTokens ?? 0);
        // OpenAI's spelling.
        answer.finishReason = part.finishReason?.replace('-', '_') ?? 'stop';
      }
    },
    annotations: () => toAnnotations(answer.text, sources),
    /** Fields that OpenAI's format doesn't have. */
    docent: () => ({ threadId: options.threadId, sources, ...more }),
  };
  return answer;
}

/** A whole completion, once all parts have arrived. */
function toCompletion(
  answer: ReturnType<typeof createCompletion>,
  options: CompletionOptions,
): object {
  return {
    ...head(options),
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: answer.text,
          refusal: null,
          annotations: answer.annotations(),
        },
        logprobs: null,
        finish_reason: answer.finishReason,
      },
    ],
    usage: answer.usage,
    docent: answer.docent(),
  };
}

/** The chunks of a stream. */
export function completionProtocol(options: CompletionOptions): Protocol {
  const answer = createCompletion(options);
  const base = { ...head(options), object: 'chat.completion.chunk' };
  // If usage is requested, OpenAI sends the key with every chunk and a value with the last one.
  const noUsage = options.includeUsage ? { usage: null } : {};
  const chunk = (delta: object, finish: string | null = null, more: object = {}) =>
    toEvent({
      ...base,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...noUsage,
      ...more,
    });

  return {
    headers: eventStreamHeaders,
    heartbeat: keepAlive,
    encode(part) {
      answer.add(part);
      switch (part.type) {
        case 'start':
          return chunk({ role: 'assistant', content: '', refusal: null });
        case 'text-delta':
          return chunk({ content: part.delta });
        case 'finish':
        case 'abort': {
          const annotations = answer.annotations();
          const last = chunk({ annotations }, answer.finishReason, { docent: answer.docent() });
          const usage = options.includeUsage
            ? toEvent({ ...base, choices: [], usage: answer.usage })
            : '';
          return `${last}${usage}data: [DONE]\n\n`;
        }
        case 'error':
          return `${toEvent(toOpenAiError(JSON.parse(part.errorText) as ErrorBody))}data: [DONE]\n\n`;
        case 'start-step':
        case 'source-url':
        case 'data-answer':
        case 'data-question':
        case 'data-suggestions':
        case 'data-progress':
        case 'text-start':
        case 'text-end':
        case 'finish-step':
        case 'message-metadata':
          return '';
      }
    },
  };
}

/** An error in OpenAI's format, with our code and request id. */
export function toOpenAiError({ error, code, requestId, details, retryAfter }: ErrorBody): object {
  return {
    error: {
      message: error,
      type: typeOf(code),
      code,
      param: details?.[0]?.path ?? null,
      requestId,
      ...(details && { details }),
      ...(retryAfter !== undefined && { retryAfter }),
    },
  };
}

function typeOf(code: ErrorCode): string {
  if (code === 'rate_limited') return 'rate_limit_error';
  if (code === 'budget_exceeded') return 'insufficient_quota';
  if (code === 'unauthorized') return 'authentication_error';
  if (code === 'forbidden') return 'permission_error';
  return errorTable[code].status >= 500 ? 'server_error' : 'invalid_request_error';
}

function head({ messageId, model, created }: CompletionOptions) {
  return {
    id: `chatcmpl-${messageId}`,
    created: Math.floor(created.getTime() / 1000),
    model,
  };
}

function toUsage(input: number, output: number) {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

/** The positions where the text cites a source. Numbers in code don't count. */
function toAnnotations(text: string, sources: { id: string; url: string; title: string }[]) {
  const prose = text.replace(/```[\s\S]*?(```|$)|`[^`\n]*`/g, (code) => ' '.repeat(code.length));
  const annotations: object[] = [];
  for (const mark of prose.matchAll(/\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\](?![(:])/g)) {
    const numbers = (mark[1] ?? '').split(',').map((number) => number.trim());
    for (const { id, url, title } of sources) {
      if (!numbers.includes(id)) continue;
      const position = { start_index: mark.index, end_index: mark.index + mark[0].length };
      annotations.push({ type: 'url_citation', url_citation: { ...position, url, title } });
    }
  }
  return annotations;
}

/** Means "the site of my key", for programs in which the model's name can't be changed per site. */
const onlySite = 'docent';

/** The site that a request names in `model`. */
function siteOfModel(model: string, sites: Sites, caller: Caller): Site {
  if (model !== onlySite) return sites.forCaller(model, caller);
  const [site, ...others] = sites.ofCaller(caller);
  if (site && others.length === 0) return site;
  throw new DocentError(
    'not_found',
    'Your key is for several sites. Send the domain of one as `model`; `GET /v1/models` lists them.',
    { details: [{ path: 'model', message: 'does not name one site' }] },
  );
}

/** The question of a request in OpenAI's format. `threadId` may also be in a header. */
export function fromChatCompletions(
  body: ChatCompletionsRequest,
  threadIdHeader: string | undefined,
): Question {
  return toQuestion({
    fp: body.user ?? anonymous,
    messages: body.messages.flatMap(toMessage),
    threadId: body.metadata?.threadId || threadIdHeader,
    currentPath: body.metadata?.currentPath,
    retrievalPageSize: body.retrievalPageSize,
    filter: body.filter,
    context: undefined,
    trigger: undefined,
    messageId: undefined,
    store: undefined,
  });
}

function toMessage({ role, content }: ChatMessage): MessageV2[] {
  // Tool results are for the model that called the tools. Ours has none.
  if (role === 'tool' || role === 'function') return [];
  const isText = typeof content === 'string';
  return [
    {
      id: undefined,
      role: role === 'developer' ? 'system' : role,
      content: isText ? content : undefined,
      parts: isText ? undefined : content,
    },
  ];
}
