import type { Request, Response } from 'express';
import { clientGone } from '../http/client-gone.ts';
import { requestIdOf } from '../http/request-log.ts';
import { callerOf } from '../http/require-key.ts';
import type { Limits } from '../limits/limits.ts';
import type { Site } from '../sites/sites.ts';
import { type AnswerParts, openAnswer } from './answer.ts';
import type { Question } from './question.ts';
import { askerOf } from './runs/routes.ts';
import type { Run } from './runs/run.ts';
import type { Runs } from './runs/runs.ts';

export interface BeginParts extends AnswerParts {
  limits: Limits;
  runs: Runs;
}

export interface Asked {
  site: Site;
  question: Question;
  /** What the client calls the conversation, where its answers can be resumed by that. */
  chatId?: string | undefined;
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
  request: Pick<Request, 'ip'>,
  response: Response,
  { site, question, chatId, forSdk = false, graceMs }: Asked,
  parts: BeginParts,
): Promise<{ run: Run; gone: AbortSignal }> {
  const { limits, runs } = parts;
  const { domain } = site;
  const { fp, threadId } = question;
  const caller = callerOf(response);
  const gone = clientGone(response);
  await limits.perQuestion(request, response, { domain, fp, threadId }, gone);
  // It may have been held up until after the stop signal.
  runs.refuseWhenStopping();
  const run = await runs.begin({
    open: (signal) => openAnswer(question, site, caller, parts, signal),
    asker: askerOf(request, response, { domain, fp }),
    chatId,
    requestId: requestIdOf(response),
    isStored: question.store && site.privacy.store,
    forSdk,
    gone,
    ...(graceMs !== undefined && { graceMs }),
  });
  response.set('X-Thread-Id', run.threadId);
  return { run, gone };
}
