/**
 * What can be done with an answer that is being made, by our message id or a name of the client's: of the
 * question (`Idempotency-Key`) or of the chat. An answer that was stored is read by our id alone. Not
 * in the service document: the paths are those of the chat SDKs (decisions, wire.md).
 *   GET  /discovery/v2/assistant/{domain}/message/{id}/stream  reads it again, and on; 204 where there is nothing to read
 *   POST /discovery/v2/assistant/{domain}/message/{id}/stop    ends it; 204 also where there is nothing to end
 */
import { ipKeyGenerator } from 'express-rate-limit';
import { type Request, type Response, Router } from 'express';
import { DocentError } from '../../platform/errors.ts';
import { clientGone } from '../../platform/http/client-gone.ts';
import { toIdempotencyKey } from '../../platform/http/idempotency-key.ts';
import { methodNotAllowed } from '../../platform/http/method-not-allowed.ts';
import { callerOf, requireKey } from '../../platform/http/require-key.ts';
import type { Keys } from '../../platform/auth/key-store.ts';
import type { Limits } from '../../platform/limits/limits.ts';
import { anonymous } from '../../platform/redaction/pseudonym.ts';
import type { Sites } from '../../platform/tenants/sites.ts';
import { type Asker, questionKeyMinLength } from './access.ts';
import type { Runs } from './runs.ts';
import type { StoredAnswers } from './stored-answers.ts';
import { type Protocol, writeRun } from './write-run.ts';

type RunRequest = Request<{ domain: string; id: string }>;

export interface RunRoutesParts {
  keys: Keys;
  limits: Limits;
  sites: Sites;
  runs: Runs;
  storedAnswers: StoredAnswers;
}

export function createRunRoutes(parts: RunRoutesParts, v2: (forSdk: boolean) => Protocol): Router {
  const { keys, limits, sites, runs, storedAnswers } = parts;
  const router = Router({ strict: true, caseSensitive: true });
  const isAssistant = requireKey(keys, 'assistant');

  const asker = (request: RunRequest, response: Response) => {
    const { domain } = sites.forCaller(request.params.domain, callerOf(response));
    const fp = givenFp(request);
    return askerOf(request, response, { domain, fp });
  };

  router
    .route('/discovery/v2/assistant/:domain/message/:id/stream')
    .get(limits.lookups.perAddress, isAssistant, async (request, response) => {
      const skip = skipOf(request);
      // Also of "nothing there", which is true for this moment and this reader only.
      response.set('Cache-Control', 'no-store');
      const who = asker(request, response);
      const run = await runs.find(request.params.id, who);
      // The SDKs take 204 for "nothing to resume" and 404 for a fault.
      if (!run) {
        // Its parts cannot be told apart any more, so there is only all of it.
        const stored = skip === 0 ? await storedAnswers.find(request.params.id, who) : undefined;
        if (!stored) {
          response.status(204).end();
          return;
        }
        limits.atOnce.readers(stored.messageId, response);
        await runs.track(storedAnswers.send(stored, response, v2(true), clientGone(response)));
        return;
      }
      if (skip < run.first || (run.isEnded && skip >= run.next)) {
        response.status(204).end();
        return;
      }
      limits.atOnce.readers(run.messageId, response);
      response.set('X-Thread-Id', run.threadId);
      await runs.track(writeRun(run, response, v2(run.forSdk), skip));
    })
    .all(methodNotAllowed('GET'));

  router
    .route('/discovery/v2/assistant/:domain/message/:id/stop')
    .post(limits.lookups.perAddress, isAssistant, async (request, response) => {
      // Settles when the turn is stored, so a question that follows finds it.
      const who = asker(request, response);
      const run = await runs.find(request.params.id, who);
      if (run) {
        run.end('stopped');
        await run.done;
      } else {
        const stored = await storedAnswers.find(request.params.id, who);
        if (stored) await storedAnswers.stop(stored, clientGone(response));
      }
      response.status(204).end();
    })
    .all(methodNotAllowed('POST'));

  return router;
}

/** Who asks, for the answer to be found again by them alone. */
export function askerOf(
  request: Pick<Request, 'ip'>,
  response: Response,
  { domain, fp }: { domain: string; fp: string },
): Asker {
  // Of an IPv6 address the network counts: browsers change the rest by themselves.
  const address = ipKeyGenerator(request.ip ?? 'unknown');
  return { caller: callerOf(response), domain, fp, address };
}

/** A reader with a name says it again: in a header, which chat SDKs can set, or in the query. */
function givenFp(request: Pick<Request, 'get' | 'query'>): string {
  const given = request.get('x-fp') ?? request.query['fp'];
  return typeof given === 'string' && given !== '' ? given : anonymous;
}

/** Long enough that nobody guesses it: the answer can be read by it. */
export function toQuestionKey(header: string | undefined): string | undefined {
  const key = toIdempotencyKey(header);
  if (key === undefined || key.length >= questionKeyMinLength) return key;
  throw new DocentError(
    'bad_request',
    `The header \`Idempotency-Key\` of a question needs at least ${questionKeyMinLength} characters, such as a UUID.`,
  );
}

/** How many parts the reader has already. */
function skipOf(request: Pick<Request, 'query'>): number {
  const given = request.query['skip'];
  if (given === undefined) return 0;
  if (typeof given === 'string' && /^\d{1,9}$/.test(given)) return Number(given);
  throw new DocentError('bad_request', '`skip` is the number of parts that you have: 0, 1, 2 …', {
    details: [{ path: 'skip', message: 'must be a whole number' }],
  });
}
