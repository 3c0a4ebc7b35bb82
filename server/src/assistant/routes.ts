/**
 * The assistant's endpoints (service document, "Assistant message"; decisions, "Assistant"):
 *   POST /discovery/v2/assistant/{domain}/message              asks; a stream for chat SDK 5 and later
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
import { askerOf, createRunRoutes } from './runs/routes.ts';
import type { Runs } from './runs/runs.ts';
import { writeRun } from './runs/write-run.ts';
import { isSdkCaller, v2Protocol } from './v2-stream.ts';

export interface AssistantParts extends AnswerParts {
  keys: Keys;
  limits: Limits;
  sites: Sites;
  runs: Runs;
}

export function createAssistantRoutes(parts: AssistantParts): Router {
  const { keys, limits, sites, runs } = parts;
  const router = Router({ strict: true, caseSensitive: true });
  const json = express.json({ limit: promises.bodyMaxBytes });
  const isAssistant = requireKey(keys, 'assistant');
  const isOpen: RequestHandler = (_request, _response, next) => {
    runs.refuseWhenStopping();
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
      async (request, response) => {
        requireJson(request);
        const caller = callerOf(response);
        const site = siteOf(request.params.domain, response);
        const body = parse(AssistantRequestV2, request.body);
        const question = toQuestion(body);
        const forSdk = isSdkCaller(body, request.get('user-agent'));
        const run = await runs.begin({
          open: (signal) => openAnswer(question, site, caller, parts, signal),
          asker: askerOf(request, response, question.fp),
          chatId: typeof body.id === 'string' ? body.id : undefined,
          requestId: requestIdOf(response),
          forSdk,
          gone: clientGone(response),
        });
        response.set('X-Thread-Id', run.threadId);
        await runs.track(writeRun(run, response, v2Protocol(forSdk)));
      },
    )
    .all(methodNotAllowed('POST'));

  router.use(createRunRoutes(parts, v2Protocol));

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
