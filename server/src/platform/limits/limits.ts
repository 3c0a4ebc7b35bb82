/**
 * The three limits of the assistant endpoints (service document, "Limits"), and those on questions per
 * minute, on instructions for agent jobs, and on open connections. Windows are fixed and in UTC.
 */
import type { RequestHandler, Response } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';
import type { Config } from '../config/schema.ts';
import type { Caller } from '../auth/key-store.ts';
import { type ConcurrencyLimit, createConcurrencyLimit } from './concurrency-limit.ts';
import { type CounterDeps, createCounterStore } from './counter-store.ts';
import { createLimiter } from './limiter.ts';
import { createQuestionLimits, type PerQuestion } from './question-limits.ts';
import { dayMs, dayOf, hourMs, hourOf, monthOf } from './windows.ts';

/** The three windows of the service document, for requests that are counted together. */
export interface CallerLimits {
  /** Runs before any lookup, so that guessing keys is limited too. */
  perAddress: RequestHandler;
  /** Run once the caller is known. The shorter window comes first: what it rejects costs no monthly use. */
  perCaller: RequestHandler[];
}

export interface Limits extends CallerLimits {
  /**
   * For requests that call no model: search, pages, resuming or stopping an answer, deleting a
   * conversation or feedback, site settings. They have counters of their own with the same settings, so
   * that readers can still use them when no question is left.
   */
  lookups: CallerLimits;
  /** Limits instructions for agent jobs. Runs once it's known that the project is the caller's. */
  perProject: RequestHandler;
  /** Connections that stay open. */
  concurrency: {
    /** Readers of one answer, by its id. */
    readers: ConcurrencyLimit;
    /** Followers of job logs, by the key or by the project of a page. */
    followers: ConcurrencyLimit;
  };
  /** Runs once the body of a question is read. */
  perQuestion: PerQuestion;
}

export function createLimits(
  deps: CounterDeps & { config: Pick<Config, 'limits' | 'agent'> },
  callerOf: (response: Response) => Caller,
): Limits {
  return {
    ...createCallerLimits(deps, callerOf, { prefix: '', what: 'questions' }),
    lookups: createCallerLimits(deps, callerOf, { prefix: 'lookup-', what: 'searches' }),
    perProject: createLimiter({
      store: createCounterStore(deps, 'project-hour', hourOf),
      limit: deps.config.agent.perProjectAndHour,
      windowMs: hourMs,
      subject: (request) => String(request.params['projectId']),
      message: 'This project has had too many instructions in this hour. Please try again later.',
    }),
    concurrency: {
      readers: createConcurrencyLimit(
        deps.config.limits.readersPerAnswer,
        'Too many connections read this answer at the same time. Please try again in a moment.',
      ),
      followers: createConcurrencyLimit(
        deps.config.limits.followersPerKey,
        'Too many job logs are followed at the same time. Close some of them, and try again.',
      ),
    },
    perQuestion: createQuestionLimits(deps),
  };
}

/** `prefix` is part of the counters' names, `what` is what they count. */
function createCallerLimits(
  deps: Parameters<typeof createLimits>[0],
  callerOf: (response: Response) => Caller,
  { prefix, what }: { prefix: string; what: string },
): CallerLimits {
  const { perAddressAndDay, perKeyAndMonth, perOrganizationAndHour } = deps.config.limits;
  const organizations = createCounterStore(deps, `${prefix}organization-hour`, hourOf);
  const organization = (response: Response) => callerOf(response).organization;

  return {
    perAddress: createLimiter({
      store: createCounterStore(deps, `${prefix}address-day`, dayOf),
      limit: perAddressAndDay,
      windowMs: dayMs,
      subject: (request) => ipKeyGenerator(request.ip ?? 'unknown'),
      message: `Your address has sent too many ${what} today. Please try again tomorrow.`,
    }),
    perCaller: [
      createLimiter({
        store: organizations,
        limit: perOrganizationAndHour,
        windowMs: hourMs,
        subject: (_request, response) => organization(response),
        message: `This site has had too many ${what} in this hour. Please try again later.`,
      }),
      createLimiter({
        store: createCounterStore(deps, `${prefix}key-month`, monthOf),
        limit: perKeyAndMonth,
        windowMs: 31 * dayMs,
        subject: (_request, response) => callerOf(response).keyId,
        message: `This site has used up its ${what} for this month.`,
        // A used-up key must not take requests from the organization's other keys.
        onRefused: async (response) => organizations.decrement(organization(response)),
      }),
    ],
  };
}
