/**
 * Reading an answer again, and stopping it, by our message id, the question's `Idempotency-Key`, or the
 * client's chat id. Not in the service document: the paths are those of the chat SDKs.
 *   GET  /discovery/v2/assistant/{domain}/message/{id}/stream  reads it from part `skip` on; 204 if there is nothing to read
 *   POST /discovery/v2/assistant/{domain}/message/{id}/stop    stops it; 204 even if there is nothing to stop
 */
import { type Request, type Response, Router } from 'express';
import { DocentError } from '../../platform/errors.ts';
import { clientGone } from '../../platform/http/request.ts';
import { requireKey } from '../../accounts/require-key.ts';
import type { Keys } from '../../accounts/keys/keys.ts';
import { anonymous } from '../../platform/redaction/redact.ts';
import type { Sites } from '../../platform/tenants/sites.ts';
import { type AskDeps, askerOf, send } from '../ask/ask.ts';
import { isStream } from './stream-names.ts';
import { v2Protocol } from './v2-protocol.ts';
import { callerOf } from '../../platform/auth/caller.ts';

type StreamRequest = Request<{ domain: string; id: string }>;

export interface StreamRouteDeps extends Pick<AskDeps, 'limits' | 'streams' | 'storedAnswers'> {
  keys: Keys;
  sites: Sites;
}

export function createStreamRoutes(deps: StreamRouteDeps): Router {
  const { keys, limits, sites, streams, storedAnswers } = deps;
  const router = Router({ strict: true, caseSensitive: true });
  const isAssistant = requireKey(keys, 'assistant');

  const asker = (request: StreamRequest, response: Response) => {
    const { domain } = sites.forCaller(request.params.domain, callerOf(response));
    const fp = givenFp(request);
    return askerOf(request, response, { domain, fp });
  };

  router
    .route('/discovery/v2/assistant/:domain/message/:id/stream')
    .get(limits.lookups.perAddress, isAssistant, async (request, response) => {
      const skip = skipOf(request);
      // Even "nothing there" is only true now, and for this reader.
      response.set('Cache-Control', 'no-store');
      const who = asker(request, response);
      const { id } = request.params;
      // A stored answer can only be read as a whole.
      const found =
        (await streams.find(id, who)) ??
        (skip === 0 ? await storedAnswers.find(id, who) : undefined);
      const isLive = found && isStream(found);
      const hasNothing = !found || (isLive && found.isEnded && skip >= found.next);
      if (hasNothing) {
        // Chat SDKs take 204 for "nothing to resume" and 404 for an error.
        response.status(204).end();
        return;
      }
      limits.concurrency.readers(found.messageId, response);
      response.set('X-Thread-Id', found.threadId);
      await send(found, response, v2Protocol(isLive ? found.forSdk : true), deps, skip);
    });

  router
    .route('/discovery/v2/assistant/:domain/message/:id/stop')
    .post(limits.lookups.perAddress, isAssistant, async (request, response) => {
      // Responds once the turn is stored, so that the next question finds it.
      const who = asker(request, response);
      const { id } = request.params;
      const stream = await streams.find(id, who);
      const found = stream ?? (await storedAnswers.find(id, who));
      if (stream) {
        stream.end('stopped');
        await stream.done;
      } else if (found) {
        await storedAnswers.stop(found, clientGone(response));
      }
      // Who stops before the first header of the answer doesn't know its conversation yet.
      if (found) response.set('X-Thread-Id', found.threadId);
      response.status(204).end();
    });

  return router;
}

/** The reader's name, from a header, which chat SDKs can set, or from the query. */
function givenFp(request: Pick<Request, 'get' | 'query'>): string {
  const given = request.get('x-fp') ?? request.query['fp'];
  return typeof given === 'string' && given !== '' ? given : anonymous;
}

/** How many parts the client already has. */
function skipOf(request: Pick<Request, 'query'>): number {
  const given = request.query['skip'];
  if (given === undefined) return 0;
  if (typeof given === 'string' && /^\d{1,9}$/.test(given)) return Number(given);
  throw new DocentError('bad_request', '`skip` is the number of parts that you have: 0, 1, 2 …', {
    details: [{ path: 'skip', message: 'must be a whole number' }],
  });
}
