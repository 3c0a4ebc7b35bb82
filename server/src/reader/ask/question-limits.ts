/** Limits how many questions come in a minute from one address, from one reader, and in one thread. */
import type { Request, Response } from 'express';
import type { Config } from '../../platform/config/schema.ts';
import { sha256 } from '../../platform/hash.ts';
import { addressOf } from '../../platform/http/request.ts';
import { type CounterDeps, createCounter, createLimiter } from '../../platform/limits/counters.ts';
import { runLimiter } from '../../platform/limits/limits.ts';
import { anonymous } from '../../platform/redaction/redact.ts';

export type QuestionLimits = ReturnType<typeof createQuestionLimits>;

/** The asker, as far as it's known once the body is read. */
interface QuestionAsker {
  domain: string;
  /** An `anonymous` reader is counted by address only. */
  fp: string;
  threadId: string | undefined;
}

export function createQuestionLimits(deps: CounterDeps & { config: Pick<Config, 'limits'> }) {
  const { perReaderAndMinute, perThreadAndMinute, perAddressAndMinute } = deps.config.limits;
  const askerOf = (response: Response) => response.locals['asker'] as QuestionAsker;
  const limiters = [
    {
      name: 'address-minute',
      limit: perAddressAndMinute,
      subject: addressOf,
      message: 'Your address sends too many questions. Please wait a moment.',
    },
    {
      name: 'reader-minute',
      limit: perReaderAndMinute,
      subject: (_request: Request, response: Response) => {
        const { domain, fp } = askerOf(response);
        return fp === anonymous ? undefined : digest(domain, fp);
      },
      message: 'You have asked many questions in a short time. Please wait a moment.',
    },
    {
      name: 'thread-minute',
      limit: perThreadAndMinute,
      subject: (_request: Request, response: Response) => {
        const { domain, threadId } = askerOf(response);
        return threadId && digest(domain, threadId);
      },
      message: 'This conversation goes too fast. Please wait a moment.',
    },
  ].flatMap(({ name, limit, subject, message }) => {
    if (limit === false) return [];
    return [
      createLimiter({ counter: createCounter(deps, name, 'minute'), limit, subject, message }),
    ];
  });

  /** Counts a question, and refuses it when too many came in this minute. Runs once the body is read. */
  return async (request: Request, response: Response, asker: QuestionAsker): Promise<void> => {
    response.locals['asker'] = asker;
    for (const limiter of limiters) await runLimiter(limiter, request, response);
  };
}

/** Names that clients choose can be long or personal, so only their digests are stored. */
function digest(domain: string, name: string): string {
  return sha256(`${domain}\n${name}`, 'base64url').slice(0, 22);
}
