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
  /** Before any look-up, so that guessing keys is limited too. */
  perAddress: RequestHandler;
  /** Once the caller is known. The shorter window comes first: what it refuses costs no monthly use. */
  perCaller: RequestHandler[];
}

export interface Limits extends CallerLimits {
  /**
   * For what asks no model: search, pages, reading an answer on, stopping it, deleting a conversation
   * or an opinion, what a site is. Counted by itself, with the same settings, so that readers still
   * find pages where questions are used up, and whoever has no question left can still stop an answer
   * and delete what is theirs.
   */
  lookups: CallerLimits;
  /** Instructions for agent jobs, once it is known that the project in the path is the caller's. */
  perProject: RequestHandler;
  /** Connections that are held open; what each counts stands in the configuration. */
  concurrency: {
    /** Of one answer, by its id. */
    readers: ConcurrencyLimit;
    /** Of job logs, by the key or by the project of a page. */
    followers: ConcurrencyLimit;
  };
  /** Once a question has been read. */
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

/** `prefix` stands before the names of the counters, `what` is what they count. */
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
        // A used-up key must not use up the hour of its organization's other keys.
        onRefused: async (response) => organizations.decrement(organization(response)),
      }),
    ],
  };
}
