import type { Request, Response } from 'express';
import { clientGone } from '../http/client-gone.ts';
import type { Limits } from '../limits/limits.ts';
import type { Site } from '../sites/sites.ts';
import type { Question } from './question.ts';
import type { Runs } from './runs/runs.ts';

export interface AdmitParts {
  limits: Limits;
  runs: Runs;
}

/**
 * What every question passes once it has been read, whatever protocol it came in: it may be refused or
 * held up. Answers what fires when the client leaves.
 */
export async function admit(
  request: Pick<Request, 'ip'>,
  response: Response,
  { site, question }: { site: Site; question: Question },
  { limits, runs }: AdmitParts,
): Promise<AbortSignal> {
  const gone = clientGone(response);
  const { fp, threadId } = question;
  await limits.perQuestion(request, response, { domain: site.domain, fp, threadId }, gone);
  // It may have been held up until after the stop signal.
  runs.refuseWhenStopping();
  return gone;
}
