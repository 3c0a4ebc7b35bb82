/** Turns errors into the kinds of problems that the notice explains. */
import type { ErrorCode } from '@docent/shared/errors';
import { AnswerError, type FailureReason } from './answer-error.ts';
import type { ProblemKind } from '../embed/events.ts';
import { clip } from './limits.ts';
import { isRecord } from './message.ts';

export interface Problem {
  kind: ProblemKind;
  canRetry: boolean;
  /** For limits, as a time of `Date.now()`. */
  retryAt?: number;
  /** The service's error code. */
  code?: string;
  status?: number;
  /** What the site's owner can do, for the console. */
  forOwner?: string;
}

const kinds: Record<ErrorCode, ProblemKind> = {
  bad_request: 'bad',
  unauthorized: 'setup',
  forbidden: 'forbidden',
  not_found: 'notFound',
  method_not_allowed: 'setup',
  conflict: 'server',
  request_timeout: 'timeout',
  too_large: 'tooLarge',
  unsupported_media_type: 'setup',
  rate_limited: 'limit',
  budget_exceeded: 'budget',
  internal: 'server',
  upstream_failed: 'upstream',
  model_refused: 'setup',
  unavailable: 'server',
};

const kindOfReason: Record<Exclude<FailureReason, 'refused'>, ProblemKind> = {
  unreachable: 'blocked',
  lost: 'cut',
  gone: 'gone',
  endless: 'server',
  unreadable: 'server',
  failed: 'server',
  timeout: 'timeout',
};

/** For replies of proxies and load balancers. */
function kindOfStatus(status: number): ProblemKind {
  if (status === 401) return 'setup';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'notFound';
  if (status === 413) return 'tooLarge';
  if (status === 429) return 'limit';
  if (status === 408 || status === 504) return 'timeout';
  return status >= 500 ? 'server' : 'bad';
}

const isOneOf =
  (...some: ProblemKind[]) =>
  ({ kind }: { kind: ProblemKind }): boolean =>
    some.includes(kind);

/** Asking again would fail again. */
const isFinal = isOneOf('setup', 'forbidden', 'notFound', 'tooLarge', 'bad');
/** Only the connection failed, so the answer may exist. */
export const isConnectionProblem = isOneOf('offline', 'blocked', 'timeout', 'cut');
/** The model can't answer now, but search may find pages. */
const canSearchAfter = isOneOf('limit', 'budget', 'upstream', 'server', 'timeout');
export const canSearch = (problem: Problem): boolean =>
  canSearchAfter(problem) || problem.code === 'model_refused';
/** Only a changed question can be answered. */
export const needsEdit = isOneOf('tooLarge', 'bad');
/** The site's owner can fix it. */
const isForOwner = isOneOf('setup', 'forbidden', 'notFound', 'blocked', 'budget');

/** The longest limit is one per month. */
const maxWaitSeconds = 31 * 86_400;
const maxReason = 500;

function parseBody(message: string): Record<string, unknown> | undefined {
  try {
    const body: unknown = JSON.parse(message);
    return isRecord(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

function kindOf(error: unknown, body: Record<string, unknown> | undefined, isOnline: boolean) {
  const code = body?.['code'];
  if (typeof code === 'string' && Object.hasOwn(kinds, code)) return kinds[code as ErrorCode];
  if (error instanceof AnswerError && error.refusal) return kindOfStatus(error.refusal.status);
  if (!isOnline) return 'offline';
  if (error instanceof AnswerError && error.reason !== 'refused') {
    return kindOfReason[error.reason];
  }
  return 'server';
}

export function toProblem(error: unknown, at: { isOnline: boolean; now: number }): Problem {
  const body = parseBody(error instanceof Error ? error.message : String(error));
  const kind = kindOf(error, body, at.isOnline);
  const problem: Problem = { kind, canRetry: !isFinal({ kind }) };
  const code = body?.['code'];
  if (typeof code === 'string') problem.code = clip(code, maxReason);
  if (error instanceof AnswerError && error.refusal) problem.status = error.refusal.status;
  const retryAfter =
    body?.['retryAfter'] ?? (error instanceof AnswerError ? error.refusal?.retryAfter : undefined);
  if ((kind === 'limit' || kind === 'budget') && typeof retryAfter === 'number' && retryAfter > 0) {
    problem.retryAt = at.now + Math.min(retryAfter, maxWaitSeconds) * 1000;
  }
  if (isForOwner(problem)) {
    const said = typeof body?.['error'] === 'string' ? clip(body['error'], maxReason) : kind;
    problem.forOwner =
      kind === 'blocked'
        ? 'the service could not be reached: check that it runs and that connect-src of the page allows it.'
        : `the service refused the question: ${said} ${adviceFor(problem)}`;
  }
  return problem;
}

function adviceFor({ kind, code }: Problem): string {
  if (kind === 'budget') return 'To raise the budget, change budgets in the configuration.';
  if (code === 'model_refused') return 'To see why, run: docent doctor --model';
  return 'Check data-site, data-key and the allowed origins of the site.';
}
