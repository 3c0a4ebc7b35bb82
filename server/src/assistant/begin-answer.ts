import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { clientGone } from '../http/client-gone.ts';
import { requestIdOf } from '../http/request-log.ts';
import { callerOf } from '../http/require-key.ts';
import type { Limits } from '../limits/limits.ts';
import type { Site } from '../sites/sites.ts';
import { type AnswerParts, openAnswer } from './answer.ts';
import type { Question } from './question.ts';
import { askerOf } from './runs/routes.ts';
import type { RemoteRun } from './runs/remote-run.ts';
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
  { site, question, chatId, questionKey, forSdk = false, graceMs }: Asked,
  parts: BeginParts,
): Promise<{ run: Run | RemoteRun; gone: AbortSignal }> {
  const { limits, runs } = parts;
  const { domain } = site;
  const { fp, threadId } = question;
  const caller = callerOf(response);
  const gone = clientGone(response);
  const asker = askerOf(request, response, { domain, fp });
  // Who can ask for the answer again may have left for that: as if they had left a moment later.
  const leaves = questionKey === undefined ? gone : new AbortController().signal;
  const isStored = question.store && site.privacy.store;
  const begin = async () => {
    await limits.perQuestion(request, response, { domain, fp, threadId });
    // The stop signal may have come while the question was counted.
    runs.refuseWhenStopping();
    return runs.begin({
      open: (signal) => openAnswer(question, site, caller, parts, signal),
      asker,
      chatId,
      questionKey,
      requestId: requestIdOf(response),
      isStored,
      forSdk,
      gone: leaves,
      ...(graceMs !== undefined && { graceMs }),
    });
  };
  const run =
    questionKey === undefined
      ? await begin()
      : await runs.once({ key: questionKey, asked: digestOf(question), asker, isStored }, begin);
  // Sent again and again under one key, it has as many readers.
  limits.atOnce.readers(run.messageId, response);
  response.set('X-Thread-Id', run.threadId);
  return { run, gone };
}

/** What makes it another question: above all what its answer may be made from, and whether it is kept. */
function digestOf({ text, context, filter, store }: Question): string {
  const all = JSON.stringify([text, context, filter, store]);
  return createHash('sha256').update(all).digest('base64url');
}
