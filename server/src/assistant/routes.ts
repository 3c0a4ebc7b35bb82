/**
 * The assistant's endpoints (service document, "Assistant message"; decisions, "Assistant"):
 *   POST /discovery/v2/assistant/{domain}/message              asks; a stream for chat SDK 5 and later
 *   GET  /discovery/v2/assistant/{domain}/message/{id}/stream  what a client asks after a reload
 *   GET  /discovery/v1/site/{domain}                           what the widget shows before a question; not in the document
 */
import { AssistantRequestV2 } from '@docent/shared/assistant';
import { promises } from '@docent/shared/promises';
import express, { type RequestHandler, type Response, Router } from 'express';
import { clientGone } from '../http/client-gone.ts';
import { methodNotAllowed } from '../http/method-not-allowed.ts';
import { parse, requireJson } from '../http/parse.ts';
import { requestIdOf } from '../http/request-log.ts';
import { callerOf, requireKey } from '../http/require-key.ts';
import type { Keys } from '../keys/key-store.ts';
import type { Limits } from '../limits/limits.ts';
import { isExtractive } from '../model/model.ts';
import type { Sites } from '../sites/sites.ts';
import { type AnswerParts, openAnswer } from './answer.ts';
import { toQuestion } from './question.ts';
import type { RunningAnswers } from './running-answers.ts';
import { writeV2 } from './write-v2.ts';
import { isSdkCaller } from './v2-stream.ts';

export interface AssistantParts extends AnswerParts {
  keys: Keys;
  limits: Limits;
  sites: Sites;
  running: RunningAnswers;
}

export function createAssistantRoutes(parts: AssistantParts): Router {
  const { keys, limits, sites, running, log } = parts;
  const router = Router({ strict: true, caseSensitive: true });
  const json = express.json({ limit: promises.bodyMaxBytes });
  const isAssistant = requireKey(keys, 'assistant');
  const isOpen: RequestHandler = (_request, _response, next) => {
    running.refuseWhenStopping();
    next();
  };
  const siteOf = (domain: string | undefined, response: Response) =>
    sites.forCaller(domain ?? '', callerOf(response));

  router
    .route('/discovery/v2/assistant/:domain/message')
    .post(
      isOpen,
      limits.perAddress,
      isAssistant,
      ...limits.perCaller,
      json,
      (request, response) => {
        requireJson(request);
        const caller = callerOf(response);
        const site = siteOf(request.params.domain, response);
        const body = parse(AssistantRequestV2, request.body);
        const question = toQuestion(body);
        const signal = AbortSignal.any([clientGone(response), running.stopped]);
        const answer = async () => {
          const { threadId, stream } = await openAnswer(question, site, caller, parts, signal);
          response.set('X-Thread-Id', threadId);
          await writeV2(stream, response, {
            forSdk: isSdkCaller(body, request.get('user-agent')),
            requestId: requestIdOf(response),
            stopped: running.stopped,
            log,
          });
        };
        return running.track(answer());
      },
    )
    .all(methodNotAllowed('POST'));

  router
    .route('/discovery/v2/assistant/:domain/message/:id/stream')
    .get(limits.perAddress, isAssistant, (request, response) => {
      siteOf(request.params.domain, response);
      // Nothing to resume: the SDKs take 204 for that and 404 for a fault.
      response.status(204).end();
    })
    .all(methodNotAllowed('GET'));

  router
    .route('/discovery/v1/site/:domain')
    .get(limits.perAddress, isAssistant, (request, response) => {
      const site = siteOf(request.params.domain, response);
      response.set('Cache-Control', 'private, max-age=60').json({
        domain: site.domain,
        name: site.name,
        starterQuestions: site.starterQuestions,
        mode: isExtractive(parts.models.forSite(site.model)) ? 'extractive' : 'model',
      });
    })
    .all(methodNotAllowed('GET'));

  return router;
}
