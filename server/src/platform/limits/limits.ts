/**
 * The three limits of the assistant endpoints (service document, "Limits"), and those on instructions for agent
 * jobs and on open connections.
 */
import type { Request, RequestHandler, Response } from 'express';
import type { Config } from '../config/schema.ts';
import { DocentError } from '../errors.ts';
import { addressOf, callerOf } from '../http/request.ts';
import { type CounterDeps, createCounter, createLimiter } from './counters.ts';

/** Connections end with their answer or job, so retrying at once is no use. */
const connectionRetrySeconds = 15;

export type Limits = ReturnType<typeof createLimits>;

type LimitDeps = CounterDeps & { config: Pick<Config, 'limits' | 'agent'> };

export function createLimits(deps: LimitDeps) {
  const { limits, agent } = deps.config;
  return {
    /** For requests that may call a model. */
    questions: createCallerLimits(deps, { prefix: '', what: 'questions' }),

    /**
     * For all other requests. They have counters of their own with the same settings, so that readers can
     * still search, stop an answer, or delete their data when no question is left, and so that they can't
     * use up the questions.
     */
    lookups: createCallerLimits(deps, { prefix: 'lookup-', what: 'requests' }),

    /** Limits instructions for agent jobs. Runs once it's known that the project is the caller's. */
    perProject: createLimiter({
      counter: createCounter(deps, 'project-hour', 'hour'),
      limit: agent.perProjectAndHour,
      subject: (request) => String(request.params['projectId']),
      message: 'This project has had too many instructions in this hour. Please try again later.',
    }),

    concurrency: {
      /** Readers of one answer, by its ID. */
      readers: createConcurrencyLimit(
        limits.readersPerAnswer,
        'Too many connections read this answer at the same time. Please try again in a moment.',
      ),
      /** Followers of job logs, by the key or by the project of a page. */
      followers: createConcurrencyLimit(
        limits.followersPerKey,
        'Too many job logs are followed at the same time. Close some of them, and try again.',
      ),
    },
  };
}

/** The three windows of the service document. `prefix` is part of the counters' names, `what` is what they count. */
function createCallerLimits(deps: LimitDeps, { prefix, what }: { prefix: string; what: string }) {
  const { perAddressAndDay, perKeyAndMonth, perOrganizationAndHour } = deps.config.limits;
  const organizations = createCounter(deps, `${prefix}organization-hour`, 'hour');
  const organization = (response: Response) => callerOf(response).organization;

  const perCaller = [
    createLimiter({
      counter: organizations,
      limit: perOrganizationAndHour,
      subject: (_request, response) => organization(response),
      message: `This site has had too many ${what} in this hour. Please try again later.`,
    }),
    createLimiter({
      counter: createCounter(deps, `${prefix}key-month`, 'month'),
      limit: perKeyAndMonth,
      subject: (_request, response) => callerOf(response).id,
      message: `This site has used up its ${what} for this month.`,
      // A used-up key must not take requests from the organization's other keys.
      onRefused: async (response) => organizations.decrement(organization(response)),
    }),
  ];
  return {
    /** Runs before any lookup, so that guessing keys and sites is limited too. */
    perAddress: createLimiter({
      counter: createCounter(deps, `${prefix}address-day`, 'day'),
      limit: perAddressAndDay,
      subject: addressOf,
      message: `Your address has sent too many ${what} today. Please try again tomorrow.`,
    }),
    /**
     * Counts a request whose key, site, and body are valid, and refuses it over a limit. The shorter window
     * comes first: what it rejects costs no monthly use.
     */
    async perCaller(request: Request, response: Response): Promise<void> {
      for (const limiter of perCaller) await runLimiter(limiter, request, response);
    },
  };
}

/** Runs a limiter once more of the request is known than its routes need. Rejects over the limit. */
export function runLimiter(
  limiter: RequestHandler,
  request: Request,
  response: Response,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const next = (error?: unknown) => (error === undefined ? resolve() : reject(error as Error));
    Promise.resolve(limiter(request, response, next)).catch(reject);
  });
}

interface Connection {
  readonly closed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** Limits the open connections of one subject. Each process counts its own. */
export function createConcurrencyLimit(limit: number, message: string) {
  const open = new Map<string, number>();

  return (subject: string, connection: Connection): void => {
    const count = open.get(subject) ?? 0;
    if (count >= limit) {
      throw new DocentError('rate_limited', message, { retryAfter: connectionRetrySeconds });
    }
    // It closed already, and emits no second `close`.
    if (connection.closed) return;
    open.set(subject, count + 1);
    connection.once('close', () => {
      const left = (open.get(subject) ?? 1) - 1;
      if (left > 0) open.set(subject, left);
      else open.delete(subject);
    });
  };
}
