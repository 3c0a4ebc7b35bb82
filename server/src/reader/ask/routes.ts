/** The assistant's endpoints (service document, "Assistant message"; decisions, "Assistant"). */
import { AssistantRequestV1, AssistantRequestV2 } from '@docent/shared/assistant';
import type { HandOver } from '@docent/shared/hand-over';
import { SiteReply } from '@docent/shared/replies';
import { AnswerPartSchema } from '@docent/shared/stream-schema';
import type { RequestHandler } from 'express';
import { z } from 'zod';
import { type Challenges, requireProof } from '../challenge/routes.ts';
import { countedHeaders, endpointsOf, sent } from '../../platform/http/endpoint.ts';
import { isExtractive } from '../../platform/models/model.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import { threadHeader } from '../stream/routes.ts';
import {
  asksAgain,
  knownBy,
  v1Protocol,
  isSdkCaller,
  v2Protocol,
} from '../stream/sdk-protocols.ts';
import type { SiteSettingsStore } from '../site-settings.ts';
import { ask, type AskDeps, questionKeyOf, send } from './ask.ts';
import { toQuestion } from './question.ts';

export interface AssistantDeps extends AskDeps {
  siteSettings: Pick<SiteSettingsStore, 'of'>;
  challenges: Challenges;
}

const endpoint = endpointsOf<AssistantDeps>('Assistant');

const before = ({ streams, challenges }: AssistantDeps): RequestHandler[] => [
  streams.acceptQuestions,
  requireProof(challenges),
];

/** What may go wrong once a question is asked. */
export const modelFailures = [
  'budget_exceeded',
  'unavailable',
  'upstream_failed',
  'model_refused',
] as const;

export const assistantEndpoints = [
  endpoint('POST /discovery/v2/assistant/{domain}/message', {
    id: 'createAssistantMessageV2',
    summary: 'Ask a question',
    description:
      'The answer is a stream of server-sent events, for chat SDK 5 and later and for plain readers. Each event holds one part as JSON. With the header `Idempotency-Key`, of 16 characters or more, the same question sent again gets the same answer; another question with the same key is 409.',
    who: { key: 'assistant' },
    limit: 'question',
    before,
    body: AssistantRequestV2,
    reply: {
      status: 200,
      description: 'The answer, as it is made.',
      content: { 'text/event-stream': AnswerPartSchema },
      headers: { ...threadHeader, ...countedHeaders },
    },
    errors: [...modelFailures, 'conflict'],
    async run({ site, body, request, response }, deps) {
      const question = toQuestion(body, site.docs);
      const forSdk = isSdkCaller(body, {
        userAgent: request.get('user-agent'),
        accept: request.get('accept'),
      });
      const chatId = typeof body.id === 'string' ? body.id : undefined;
      const questionKey = questionKeyOf(request);
      const options = { site, question, chatId, questionKey, forSdk };
      const found = await ask(request, response, options, deps);
      await send(found, response, v2Protocol(forSdk), deps);
      return sent;
    },
  }),
  endpoint('POST /discovery/v1/assistant/{domain}/message', {
    id: 'createAssistantMessageV1',
    summary: 'Ask a question (chat SDK 4)',
    who: { key: 'assistant' },
    limit: 'question',
    isDeprecated: true,
    before,
    body: AssistantRequestV1,
    reply: {
      status: 200,
      description: 'The answer as a data stream of chat SDK 4: lines of `code:JSON`.',
      content: { 'text/plain': { description: 'Lines of a code, a colon and JSON.' } },
      headers: { ...threadHeader, ...countedHeaders },
    },
    errors: modelFailures,
    async run({ site, body, request, response }, deps) {
      const read = toQuestion(body, site.docs);
      const question = { ...read, isRetry: asksAgain(read) };
      const found = await ask(request, response, { site, question, graceMs: 0 }, deps);
      const { threadId } = found;
      await send(found, response, v1Protocol({ threadId, knows: knownBy(body) }), deps);
      return sent;
    },
  }),
  endpoint('GET /discovery/v1/assistant/{domain}/message', {
    id: 'resumeAssistantMessageV1',
    summary: 'What chat SDK 4 asks after a reload',
    who: { key: 'assistant' },
    isDeprecated: true,
    query: z.object({ chatId: z.string().optional() }),
    reply: {
      status: 200,
      description: 'Nothing: an answer of version 1 cannot be resumed.',
      content: { 'text/plain': { description: 'Empty.' } },
    },
    run({ response }) {
      // The SDK takes an empty response for "nothing to resume" and any other status for an error.
      response.status(200).type('text/plain').end();
      return sent;
    },
  }),
  endpoint('GET /discovery/v1/site/{domain}', {
    id: 'getSite',
    summary: 'What a chat shows before the first question',
    who: { key: 'assistant' },
    reply: SiteReply,
    async run({ site, response }, { siteSettings, models }) {
      const { starterQuestions } = await siteSettings.of(site);
      response.set('Cache-Control', 'private, max-age=60');
      const { createJobs, minNoteCharacters } = site.feedback;
      const isQuoting = isExtractive(models.forSite(site)[0].model);
      const mode = isQuoting ? ('extractive' as const) : ('model' as const);
      return {
        domain: site.domain,
        name: site.name,
        starterQuestions,
        mode,
        handOver: site.handOver ? toHandOver(site.handOver) : null,
        pageReports: createJobs === 'never' ? null : { createJobs, minNoteCharacters },
      };
    },
  }),
];

function toHandOver({ link }: NonNullable<Site['handOver']>): z.input<typeof HandOver> {
  return link === undefined ? { kind: 'form' } : { kind: 'link', url: link };
}
