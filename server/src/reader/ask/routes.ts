/**
 * The assistant's endpoints (service document, "Assistant message"; decisions, "Assistant"):
 *   POST /discovery/v2/assistant/{domain}/message              asks a question; streams to chat SDK 5 and later
 *   POST /discovery/v1/assistant/{domain}/message              asks a question; streams to chat SDK 4. Deprecated
 *   GET  /discovery/v1/assistant/{domain}/message?chatId=      SDK 4 asks this after a reload: nothing to resume
 *   GET  /discovery/v1/site/{domain}                           what the widget shows first; not in the document
 */
import { AssistantRequestV1, AssistantRequestV2 } from '@docent/shared/assistant';
import { type Request, type Response, Router } from 'express';
import type { Challenges } from '../../platform/challenge/challenges.ts';
import { requireProof } from '../../platform/challenge/routes.ts';
import { deprecated } from '../../platform/http/deprecated.ts';
import { jsonBody, parse } from '../../platform/http/request.ts';
import { requireKey } from '../../accounts/require-key.ts';
import type { Keys } from '../../accounts/keys/keys.ts';
import { isExtractive } from '../../platform/models/model.ts';
import type { Sites } from '../../platform/tenants/sites.ts';
import { ask, type AskDeps, send, toQuestionKey } from './ask.ts';
import { toQuestion } from './question.ts';
import { createStreamRoutes } from '../stream/routes.ts';
import { asksAgain, knownBy, v1Protocol } from '../stream/v1-protocol.ts';
import { isSdkCaller, v2Protocol } from '../stream/v2-protocol.ts';
import { callerOf } from '../../platform/auth/caller.ts';

type AssistantRequest = Request<{ domain: string }>;

export interface AssistantDeps extends AskDeps {
  keys: Keys;
  sites: Sites;
  challenges: Challenges;
}

export function createAssistantRoutes(deps: AssistantDeps): Router {
  const { keys, limits, sites, streams } = deps;
  const router = Router({ strict: true, caseSensitive: true });
  const isAssistant = requireKey(keys, 'assistant');
  const siteOf = (domain: string | undefined, response: Response) =>
    sites.forCaller(domain ?? '', callerOf(response));

  const mayAsk = [
    streams.acceptQuestions,
    limits.questions.perAddress,
    isAssistant,
    requireProof(deps.challenges, ({ params }: AssistantRequest, response) =>
      siteOf(params.domain, response),
    ),
    jsonBody,
  ];

  router.post(
    '/discovery/v2/assistant/:domain/message',
    mayAsk,
    async (request: AssistantRequest, response: Response) => {
      const site = siteOf(request.params.domain, response);
      const body = parse(AssistantRequestV2, request.body);
      const question = toQuestion(body, site.docs);
      const forSdk = isSdkCaller(body, {
        userAgent: request.get('user-agent'),
        accept: request.get('accept'),
      });
      const chatId = typeof body.id === 'string' ? body.id : undefined;
      const questionKey = toQuestionKey(request.get('idempotency-key'));
      const options = { site, question, chatId, questionKey, forSdk };
      const found = await ask(request, response, options, deps);
      await send(found, response, v2Protocol(forSdk), deps);
    },
  );

  router
    .route('/discovery/v1/assistant/:domain/message')
    .all(deprecated)
    .post(mayAsk, async (request: AssistantRequest, response: Response) => {
      const site = siteOf(request.params.domain, response);
      const body = parse(AssistantRequestV1, request.body);
      const read = toQuestion(body, site.docs);
      const question = { ...read, isRetry: asksAgain(read) };
      const found = await ask(request, response, { site, question, graceMs: 0 }, deps);
      const { threadId } = found;
      await send(found, response, v1Protocol({ threadId, knows: knownBy(body) }), deps);
    })
    .get(limits.lookups.perAddress, isAssistant, (request, response) => {
      siteOf(request.params.domain, response);
      // The SDK takes an empty response for "nothing to resume" and any other status for an error.
      response.status(200).type('text/plain').end();
    });

  router.use(createStreamRoutes(deps));

  router.get(
    '/discovery/v1/site/:domain',
    limits.lookups.perAddress,
    isAssistant,
    async (request: AssistantRequest, response: Response) => {
      const site = siteOf(request.params.domain, response);
      const { starterQuestions } = await deps.siteSettings.of(site);
      response.set('Cache-Control', 'private, max-age=60').json({
        domain: site.domain,
        name: site.name,
        starterQuestions,
        mode: isExtractive(deps.models.forSite(site)[0].model) ? 'extractive' : 'model',
        pageReports:
          site.feedback.createJobs === 'never'
            ? null
            : {
                createJobs: site.feedback.createJobs,
                minNoteCharacters: site.feedback.minNoteCharacters,
              },
      });
    },
  );

  return router;
}
