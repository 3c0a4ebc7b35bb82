/** What happens to every parsed question, whatever its protocol. */
import type { Request, Response } from 'express';
import { sha256 } from '../../platform/hash.ts';
import { DocentError } from '../../platform/errors.ts';
import { addressOf, callerOf, clientGone, idempotencyKeyOf } from '../../platform/http/request.ts';
import { requestIdOf } from '../../platform/http/record-requests.ts';
import { assertGroups } from '../../platform/auth/caller.ts';
import type { Limits } from '../../platform/limits/limits.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import { answer, type AnswerDeps } from './answer.ts';
import type { Question } from './question.ts';
import type { AnswerStreams, NewStream } from '../stream/answer-streams.ts';
import {
  type Asker,
  type FoundAnswer,
  isStream,
  minNameLength,
  type StoredAnswers,
} from '../stream/stored-answers.ts';
import { type Protocol, writeStream } from '../stream/write-stream.ts';
import type { QuestionLimits } from './question-limits.ts';

export interface AskDeps extends AnswerDeps {
  limits: Limits;
  questionLimits: QuestionLimits;
  streams: AnswerStreams;
  storedAnswers: StoredAnswers;
}

/** Counts the question and begins its answer, or finds the one that the same request has begun before. */
export async function ask(
  request: Request,
  response: Response,
  {
    site,
    question,
    chatId,
    questionKey,
    forSdk = false,
    graceMs,
  }: Partial<NewStream> & { site: Site; question: Question },
  deps: AskDeps,
): Promise<FoundAnswer> {
  const { limits, streams } = deps;
  const { domain } = site;
  const { fp, threadId, text, context, filter, store } = question;
  const caller = callerOf(response);
  assertGroups(caller, filter);
  await limits.questions.perCaller(request, response);
  // The same key with another body is a conflict.
  const body = JSON.stringify([text, context, filter, store]);
  const asked: NewStream = {
    asker: askerOf(request, response, { domain, fp }),
    filter,
    chatId,
    questionKey,
    body: sha256(body, 'base64url'),
    isStored: store && site.privacy.store,
    requestId: requestIdOf(response),
    forSdk,
    graceMs,
    gone: clientGone(response),
    async begin(signal, turn) {
      await deps.questionLimits(request, response, { domain, fp, threadId });
      // A shutdown may have begun while the question was counted.
      streams.refuseWhenStopping();
      return answer({ question, site, caller, asksBack: true, ...turn }, deps, signal);
    },
  };
  const found = await (questionKey === undefined
    ? streams.begin(asked)
    : streams.beginOnce(questionKey, asked));
  limits.concurrency.readers(found.messageId, response);
  response.set('X-Thread-Id', found.threadId);
  return found;
}

/** Sends an answer to its end, live or once it is stored. */
export function send(
  found: FoundAnswer,
  response: Response,
  protocol: Protocol,
  { streams, storedAnswers }: Pick<AskDeps, 'streams' | 'storedAnswers'>,
  skip = 0,
): Promise<void> {
  return streams.track(
    isStream(found)
      ? writeStream(found, response, protocol, skip)
      : storedAnswers.send(found, response, protocol, clientGone(response)),
  );
}

/** Who asks, for the answer to be found again by them alone. */
export function askerOf(
  request: Pick<Request, 'ip'>,
  response: Response,
  { domain, fp }: { domain: string; fp: string },
): Asker {
  return { caller: callerOf(response), domain, fp, address: addressOf(request) };
}

/** Long enough that nobody guesses it: the answer can be read by it. */
export function questionKeyOf(request: Request): string | undefined {
  const key = idempotencyKeyOf(request);
  if (key === undefined || key.length >= minNameLength) return key;
  throw new DocentError(
    'bad_request',
    `The header \`Idempotency-Key\` of a question needs at least ${minNameLength} characters, such as a UUID.`,
  );
}
