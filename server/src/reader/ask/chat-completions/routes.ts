/**
 * The assistant for programs that use OpenAI's API. Not in the service document. It has the same keys,
 * limits, retrieval, and answers as the assistant endpoints.
 *   POST /v1/chat/completions  asks; a JSON body, or a stream of chunks
 *   GET  /v1/models            the sites of the key, as models
 *   GET  /v1/models/{id}       one of them
 */
import { ChatCompletionsRequest } from '@docent/shared/chat-completions';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { requireProof } from '../../../platform/challenge/routes.ts';
import { DocentError } from '../../../platform/errors.ts';
import { clientGone, jsonBody, parse } from '../../../platform/http/request.ts';
import { createErrorHandler } from '../../../platform/http/error-handler.ts';
import { requireKey } from '../../../accounts/require-key.ts';
import { createAnySiteCors, requireOriginOf } from '../../../platform/http/site-cors.ts';
import type { Site } from '../../../platform/tenants/sites.ts';
import { ask, send } from '../ask.ts';
import type { AssistantDeps } from '../routes.ts';
import { isStream } from '../../stream/stream-names.ts';
import { readStream } from '../../stream/write-stream.ts';
import {
  completionProtocol,
  createCompletion,
  fromChatCompletions,
  siteOfModel,
  toCompletion,
  toOpenAiError,
} from './completion.ts';
import { callerOf } from '../../../platform/auth/caller.ts';

export function createChatCompletionsRoutes(
  deps: AssistantDeps & { methodNotAllowed: RequestHandler },
): Router {
  const { keys, limits, sites, streams, log } = deps;
  const router = Router({ strict: true, caseSensitive: true });
  const isAssistant = requireKey(keys, 'assistant');
  const paths = ['/v1/chat/completions', '/v1/models', '/v1/models/:id'];
  router.use(paths, createAnySiteCors(sites));

  /** The site is in the body, so the body is read before the proof. */
  const read: RequestHandler = (request, response, next) => {
    const body = parse(ChatCompletionsRequest, request.body);
    const site = siteOfModel(body.model, sites, callerOf(response));
    requireOriginOf(site, request);
    response.locals['completion'] = { body, site };
    next();
  };
  const readBy = (response: Response) =>
    response.locals['completion'] as { body: ChatCompletionsRequest; site: Site };

  router.post(
    '/v1/chat/completions',
    streams.acceptQuestions,
    limits.questions.perAddress,
    isAssistant,
    jsonBody,
    read,
    requireProof(deps.challenges, (_request, response) => readBy(response).site),
    async (request, response) => {
      const { body, site } = readBy(response);
      const question = fromChatCompletions(body, request.get('x-thread-id'));
      const asked = { site, question, graceMs: 0 };
      const found = await ask(request, response, asked, deps);
      const { threadId, messageId } = found;
      const includeUsage = body.stream_options?.include_usage === true;
      const created = new Date();
      const options = { threadId, messageId, created, model: body.model, includeUsage };
      if (body.stream === true) {
        await send(found, response, completionProtocol(options), deps);
        return;
      }
      const answer = createCompletion(options);
      if (!isStream(found)) return;
      const gone = clientGone(response);
      const isWhole = await streams.track(readStream(found, (part) => answer.add(part), gone));
      if (!isWhole) return;
      const { failure } = answer;
      if (failure) throw new DocentError(failure.code, failure.error, failure);
      response.json(toCompletion(answer, options));
    },
  );

  router.get('/v1/models', limits.lookups.perAddress, isAssistant, (_request, response) => {
    const data = sites.ofCaller(callerOf(response)).map(toModel);
    response.json({ object: 'list', data });
  });

  router.get(
    '/v1/models/:id',
    limits.lookups.perAddress,
    isAssistant,
    (request: Request<{ id: string }>, response: Response) => {
      response.json(toModel(siteOfModel(request.params.id, sites, callerOf(response))));
    },
  );

  router.all(paths, deps.methodNotAllowed);
  router.use(paths, createErrorHandler(log, toOpenAiError));
  return router;
}

/** The creation time of a site is unknown, and no client needs it. */
function toModel({ domain, organization }: Site) {
  return { id: domain, object: 'model', created: 0, owned_by: organization };
}
