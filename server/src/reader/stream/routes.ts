/**
 * Reading an answer again, and stopping it, by our message id, the question's `Idempotency-Key`, or the
 * client's chat id. Not in the service document: the paths are those of the chat SDKs.
 */
import { AnswerPartSchema } from '@docent/shared/stream-schema';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { endpointsOf, sent } from '../../platform/http/endpoint.ts';
import { anonymous } from '../../platform/redaction/redact.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import { type AskDeps, askerOf, send } from '../ask/ask.ts';
import { isStream } from './stored-answers.ts';
import { v2Protocol } from './sdk-protocols.ts';

const endpoint = endpointsOf<Pick<AskDeps, 'limits' | 'streams' | 'storedAnswers'>>('Assistant');

export const threadHeader = {
  'X-Thread-Id': 'The conversation; send it as `threadId` to continue it.',
};

const parameters = {
  id: 'The `messageId` of the answer, the `Idempotency-Key` of its question, or the client’s chat id.',
};

/** Chat SDKs can set headers, and other clients a query. */
const query = z.object({
  fp: z.string().optional(),
  /** How many parts the client already has. */
  skip: z.preprocess(
    (text) => (typeof text === 'string' && !/^\d+$/.test(text) ? Number.NaN : text),
    z.coerce.number().int().min(0).max(999_999_999).optional(),
  ),
});

const asker = (
  { site, request, response }: { site: Site; request: Request; response: Response },
  fp = '',
) =>
  askerOf(request, response, { domain: site.domain, fp: request.get('x-fp') || fp || anonymous });

export const streamEndpoints = [
  endpoint('GET /discovery/v2/assistant/{domain}/message/{id}/stream', {
    id: 'resumeAssistantMessage',
    summary: 'Read an answer again, and on',
    who: { key: 'assistant' },
    parameters,
    query,
    reply: [
      {
        status: 200,
        description: 'The answer from its beginning, or after the parts to skip.',
        content: { 'text/event-stream': AnswerPartSchema },
        headers: threadHeader,
      },
      { status: 204, description: 'There is nothing to read.' },
    ],
    async run(call, deps) {
      const { params, response } = call;
      const { limits, streams, storedAnswers } = deps;
      const { fp, skip = 0 } = call.query;
      // Even "nothing there" is only true now, and for this reader.
      response.set('Cache-Control', 'no-store');
      const who = asker(call, fp);
      // A stored answer can only be read as a whole.
      const found =
        (await streams.find(params.id, who)) ??
        (skip === 0 ? await storedAnswers.find(params.id, who) : undefined);
      const isLive = found && isStream(found);
      const hasNothing = !found || (isLive && found.isEnded && skip >= found.next);
      if (hasNothing) {
        // Chat SDKs take 204 for "nothing to resume" and 404 for an error.
        response.status(204).end();
        return sent;
      }
      limits.concurrency.readers(found.messageId, response);
      response.set('X-Thread-Id', found.threadId);
      await send(found, response, v2Protocol(isLive ? found.forSdk : true), deps, skip);
      return sent;
    },
  }),
  endpoint('POST /discovery/v2/assistant/{domain}/message/{id}/stop', {
    id: 'stopAssistantMessage',
    summary: 'End an answer',
    who: { key: 'assistant' },
    parameters,
    query: query.omit({ skip: true }),
    reply: {
      status: 204,
      description: 'It has ended, or there was nothing to end.',
      headers: { 'X-Thread-Id': 'The conversation, if there was an answer.' },
    },
    async run(call, { streams, storedAnswers }) {
      // Responds once the turn is stored, so that the next question finds it.
      const { params, response, signal } = call;
      const who = asker(call, call.query.fp);
      const stream = await streams.find(params.id, who);
      const found = stream ?? (await storedAnswers.find(params.id, who));
      if (stream) {
        stream.end('stopped');
        await stream.done;
      } else if (found) {
        await storedAnswers.stop(found, signal);
      }
      // Who stops before the first header of the answer doesn't know its conversation yet.
      if (found) response.set('X-Thread-Id', found.threadId);
    },
  }),
];
