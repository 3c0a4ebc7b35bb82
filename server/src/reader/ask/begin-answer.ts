import type { Request, Response } from 'express';
import { DocentError } from '../../platform/errors.ts';
import { clientGone } from '../../platform/http/client-gone.ts';
import { requestIdOf } from '../../platform/http/request-log.ts';
import { callerOf } from '../../platform/http/require-key.ts';
import type { Limits } from '../../platform/limits/limits.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import type { Database } from '../../platform/store/database.ts';
import { makeOnce, type NoteMade } from '../../platform/store/idempotency.ts';
import { type AnswerParts, openAnswer } from './answer.ts';
import type { Question } from './question.ts';
import { chatClaim, questionClaim } from '../stream/access.ts';
import type { Found } from '../stream/known-runs.ts';
import { askerOf } from '../stream/routes.ts';
import type { Run } from '../stream/run.ts';
import type { Runs } from '../stream/runs.ts';
import { questionScope, type StoredAnswers } from '../stream/stored-answers.ts';

export interface BeginParts extends AnswerParts {
  limits: Limits;
  runs: Runs;
  storedAnswers: StoredAnswers;
  database: Database;
  now: () => Date;
}

export interface Asked {
  site: Site;
  question: Question;
  /** What the client calls the conversation, where its answers can be resumed by that. */
  chatId?: string | undefined;
  /** What the client calls this question: sent again, it gets the same answer. */
  questionKey?: string | undefined;
  /** Whether the client is a chat SDK. */
  forSdk?: boolean;
  /** Other than the usual grace: 0 where clients of this protocol do not come back, so who leaves has stopped. */
  graceMs?: number;
}

/**
 * What every question takes once it has been read, whatever protocol it came in: it may be refused or
 * held up, then its answer begins. `gone` fires when the client leaves.
 */
export async function beginAnswer(
  request: Request,
  response: Response,
  asked: Asked,
  parts: BeginParts,
): Promise<{ run: Run; gone: AbortSignal }> {
  const gone = clientGone(response);
  const run = await begin(request, response, asked, parts, gone);
  limitReaders(run, response, parts);
  return { run, gone };
}

/** The same for a question that its client gave a name: sent again, it has the answer that it had. */
export async function beginNamedAnswer(
  request: Request,
  response: Response,
  asked: Asked & { questionKey: string },
  parts: BeginParts,
): Promise<Found> {
  const { site, question, questionKey: key } = asked;
  const { runs, storedAnswers } = parts;
  const asker = askerOf(request, response, { domain: site.domain, fp: question.fp });
  const { text, context, filter, store } = question;
  // What makes it another question: above all what its answer may be made from, and whether it is kept.
  const body = JSON.stringify([text, context, filter, store]);
  // A question that is not stored is known to this process only.
  const keyed =
    question.store && site.privacy.store
      ? { scope: questionScope, key: questionClaim(key, asker), body }
      : undefined;
  // Who can ask for the answer again may have left for that: as if they had left a moment later.
  const { signal } = new AbortController();
  const found = await runs.once({ key, body, asker }, async () => {
    let run: Run | undefined;
    const { id } = await makeOnce(parts, keyed, async (note) => {
      run = await begin(request, response, asked, parts, signal, note);
      return run.messageId;
    });
    const found = run ?? (await runs.find(id, asker)) ?? (await storedAnswers.find(id, asker));
    if (!found) throw new DocentError('not_found', 'The answer to this question was deleted.');
    return found;
  });
  // Sent again and again under one key, it has as many readers.
  limitReaders(found, response, parts);
  return found;
}

async function begin(
  request: Request,
  response: Response,
  { site, question, chatId, questionKey, forSdk = false, graceMs }: Asked,
  parts: BeginParts,
  gone: AbortSignal,
  note?: NoteMade,
): Promise<Run> {
  const { limits, runs } = parts;
  const { domain } = site;
  const { fp, threadId } = question;
  const caller = callerOf(response);
  const asker = askerOf(request, response, { domain, fp });
  await limits.perQuestion(request, response, { domain, fp, threadId });
  // The stop signal may have come while the question was counted.
  runs.refuseWhenStopping();
  const chat = questionKey === undefined ? chatClaim(chatId, asker) : undefined;
  return runs.begin({
    open: (signal) => openAnswer(question, site, caller, parts, signal, { chat, note }),
    asker,
    chatId,
    questionKey,
    requestId: requestIdOf(response),
    forSdk,
    gone,
    ...(graceMs !== undefined && { graceMs }),
  });
}

function limitReaders(run: Found, response: Response, { limits }: BeginParts): void {
  limits.atOnce.readers(run.messageId, response);
  response.set('X-Thread-Id', run.threadId);
}
