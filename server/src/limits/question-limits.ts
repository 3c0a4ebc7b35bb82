/** Limits on how fast questions come: of one reader, in one thread, from one address. */
import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';
import type { Config } from '../config/schema.ts';
import { DocentError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import { type Burst, type BurstState, countBursts } from './bursts.ts';
import { createSlowDown, type Sleep } from './slow-down.ts';
import type { SteadyClock } from './steady-clock.ts';

/** Who asks, as far as it is known once the body is read. */
export interface QuestionAsker {
  domain: string;
  /** Readers that do not say who they are count by their address alone. */
  fp: string;
  threadId: string | undefined;
}

/** Counts a question, refuses it where too many came, or holds it up where nearly too many did. */
export type PerQuestion = (
  request: Pick<Request, 'ip'>,
  response: Response,
  asker: QuestionAsker,
  gone: AbortSignal,
) => Promise<void>;

const messages = {
  'reader-minute': 'You have asked many questions in a short time. Please wait a moment.',
  'thread-minute': 'This conversation goes too fast. Please wait a moment.',
  'address-minute': 'Your address sends too many questions. Please wait a moment.',
} as const;
type Name = keyof typeof messages;

export interface QuestionLimitsParts {
  database: Database;
  config: Pick<Config, 'limits'>;
  steadyNow: SteadyClock;
  /** Tests put a gate in its place. */
  sleep?: Sleep | undefined;
}

export function createQuestionLimits(parts: QuestionLimitsParts): PerQuestion {
  const { database, steadyNow, sleep } = parts;
  const { perReaderAndMinute, perThreadAndMinute, perAddressAndMinute, slowDown } =
    parts.config.limits;
  const slow = createSlowDown(slowDown, sleep);

  return async (request, response, { domain, fp, threadId }, gone) => {
    const bursts: Burst[] = [];
    const add = (name: Name, limit: number | false, subject: string | undefined) => {
      if (limit !== false && subject !== undefined) bursts.push({ name, limit, subject });
    };
    // Always in this order, so that two requests that lock the same rows never wait in a ring.
    add('address-minute', perAddressAndMinute, ipKeyGenerator(request.ip ?? 'unknown'));
    add('reader-minute', perReaderAndMinute, fp === 'anonymous' ? undefined : digest(domain, fp));
    add('thread-minute', perThreadAndMinute, threadId && digest(domain, threadId));
    if (bursts.length === 0) return;

    const states = await countBursts(database, bursts, steadyNow());
    setHeaders(response, states);
    const full = states.filter(({ isLetIn }) => !isLetIn);
    const longest = full.toSorted((a, b) => b.resetSeconds - a.resetSeconds)[0];
    if (longest) {
      throw new DocentError('rate_limited', messages[longest.name as Name], {
        retryAfter: longest.resetSeconds,
      });
    }
    await slow.wait(states, gone);
  };
}

/** What the client names itself can be long, and is nobody's business. */
function digest(domain: string, name: string): string {
  return createHash('sha256').update(`${domain}\n${name}`).digest('base64url').slice(0, 22);
}

/** In the same form as those of the other limits (draft 8 of the standard to be). */
function setHeaders(response: Response, states: BurstState[]): void {
  for (const { name, subject, limit, remaining, resetSeconds } of states) {
    const partition = createHash('sha256').update(subject).digest('base64').slice(0, 12);
    response.append('RateLimit', `"${name}"; r=${remaining}; t=${resetSeconds}`);
    response.append('RateLimit-Policy', `"${name}"; q=${limit}; w=60; pk=:${partition}:`);
  }
}
