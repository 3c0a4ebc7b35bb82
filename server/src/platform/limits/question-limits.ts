/** Limits on how many questions come in a minute: of one reader, in one thread, from one address. */
import { createHash } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';
import type { Config } from '../config/schema.ts';
import { type CounterDeps, createCounterStore } from './counter-store.ts';
import { createLimiter } from './limiter.ts';
import { minuteMs, minuteOf } from './windows.ts';

/** The asker, as far as it's known once the body is read. */
export interface QuestionAsker {
  domain: string;
  /** An `anonymous` reader is counted by address only. */
  fp: string;
  threadId: string | undefined;
}

/** Counts a question, and refuses it when too many came in this minute. */
export type PerQuestion = (
  request: Request,
  response: Response,
  asker: QuestionAsker,
) => Promise<void>;

export function createQuestionLimits(
  deps: CounterDeps & { config: Pick<Config, 'limits'> },
): PerQuestion {
  const { perReaderAndMinute, perThreadAndMinute, perAddressAndMinute } = deps.config.limits;
  // The asker is in the body, so these limiters run after it is read and not as middleware.
  const askers = new WeakMap<Request, QuestionAsker>();
  const limiters: RequestHandler[] = [];
  const add = (
    name: string,
    limit: number | false,
    subjectOf: (asker: QuestionAsker, request: Request) => string | undefined,
    message: string,
  ) => {
    if (limit === false) return;
    limiters.push(
      createLimiter({
        store: createCounterStore(deps, name, minuteOf),
        limit,
        windowMs: minuteMs,
        subject(request) {
          const asker = askers.get(request);
          return asker && subjectOf(asker, request);
        },
        message,
      }),
    );
  };
  add(
    'address-minute',
    perAddressAndMinute,
    (_asker, { ip }) => ipKeyGenerator(ip ?? 'unknown'),
    'Your address sends too many questions. Please wait a moment.',
  );
  add(
    'reader-minute',
    perReaderAndMinute,
    ({ domain, fp }) => (fp === 'anonymous' ? undefined : digest(domain, fp)),
    'You have asked many questions in a short time. Please wait a moment.',
  );
  add(
    'thread-minute',
    perThreadAndMinute,
    ({ domain, threadId }) => threadId && digest(domain, threadId),
    'This conversation goes too fast. Please wait a moment.',
  );

  return async (request, response, asker) => {
    askers.set(request, asker);
    for (const limiter of limiters) await run(limiter, request, response);
  };
}

function run(limiter: RequestHandler, request: Request, response: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    const next = (error?: unknown) => (error === undefined ? resolve() : reject(error as Error));
    Promise.resolve(limiter(request, response, next)).catch(reject);
  });
}

/** Names that clients choose can be long or personal, so only their digests are stored. */
function digest(domain: string, name: string): string {
  return createHash('sha256').update(`${domain}\n${name}`).digest('base64url').slice(0, 22);
}
