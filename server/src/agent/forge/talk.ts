/** What people say about a pull request at its host, and what we answer there. */
import { JobError } from '../../platform/errors.ts';
import { hourMs } from '../../platform/time.ts';
import type { Rest } from './remote/rest.ts';

/** An account at the host. */
export interface HostUser {
  /** The number of the account, which GitLab asks by. */
  id: number;
  login: string;
}

/** A line of a file that a comment is about. */
export interface Place {
  path: string;
  line: number | undefined;
}

export interface Remark {
  text: string;
  at?: Place | undefined;
}

/** Where an answer belongs: in the thread of this comment, or below the pull request. */
export interface Thread {
  pull: number;
  /** The ID of a comment of a review (GitHub), or of a discussion (GitLab). */
  id?: string | undefined;
}

export interface Answer {
  body: string;
  /** Invisible in Markdown. */
  mark: string;
  /** When the question came; an answer that exists is younger. */
  since: string;
}

export interface FailedCheck {
  name: string;
  /** The end of what it printed, or its summary. */
  log: string;
}

/** What a pull request waits for. `unknown`: the host doesn't let us see. */
export interface Standing {
  checks: 'passing' | 'failing' | 'running' | 'none' | 'unknown';
  review: 'approved' | 'changes_requested' | 'none' | 'unknown';
}

/** The team that a reviewer is, as the configuration names one. */
export const teamIn = (reviewer: string): string | undefined =>
  reviewer.startsWith('team:') ? reviewer.slice('team:'.length) : undefined;

/** What GitHub, Gitea, and Forgejo are told to ask somebody. */
export function reviewersOf(reviewer: string) {
  const team = teamIn(reviewer);
  return team === undefined ? { reviewers: [reviewer] } : { team_reviewers: [team] };
}

export const nobodyKnown = () => new JobError('forge_rejected', 'The host knows nobody by it.');

/** Of all checks of a commit together. */
export function together(checks: readonly Standing['checks'][]): Standing['checks'] {
  const order = ['failing', 'running', 'passing'] as const;
  return order.find((one) => checks.includes(one)) ?? 'none';
}

/** The newest decision of each person counts; GitHub, Gitea, and Forgejo have the same list, oldest first. */
export function reviewOf(
  reviews: readonly { by: string | undefined; state: string }[],
): Standing['review'] {
  const decided = reviews.filter(({ state }) =>
    /^(APPROVED|REQUEST_CHANGES|CHANGES_REQUESTED|DISMISSED)$/.test(state),
  );
  const newest = [...new Map(decided.map(({ by, state }) => [by, state])).values()];
  if (newest.some((state) => state.includes('CHANGES'))) return 'changes_requested';
  return newest.includes('APPROVED') ? 'approved' : 'none';
}

/** The time after which an answer was written; the clocks of hosts differ from ours. */
export const afterOf = ({ since }: Answer): string =>
  new Date(Date.parse(since) - hourMs).toISOString();

/** Writes a comment, unless it's among those that are there: after a lost reply, the next call looks. */
export async function writeOnce(
  rest: Rest,
  { body, mark }: Answer,
  there: readonly { body?: string | null | undefined }[],
  request: { path: string; signal: AbortSignal | undefined },
): Promise<void> {
  if (there.some((one) => one.body?.includes(mark))) return;
  const written = { body: `${body}\n\n${mark}` };
  await rest.send({ ...request, method: 'POST', body: written, isOnce: true });
}

/** Calls reject with `JobError`. */
export interface Talk {
  /** Who wrote a commit of a repository of this host; `undefined`: the host knows nobody. */
  authorOf(
    at: { owner: string; name: string; commit: string },
    signal?: AbortSignal,
  ): Promise<HostUser | undefined>;
  /** Rejects if the host refuses it. A repeated call changes nothing. */
  addLabel(pull: number, label: string, signal?: AbortSignal): Promise<void>;
  /** A person's login, or `team:docs`. Rejects if they can't be asked. A repeated call changes nothing. */
  askForReview(pull: number, reviewer: string, signal?: AbortSignal): Promise<void>;
  mayWrite(user: HostUser, signal?: AbortSignal): Promise<boolean>;
  /** A review with its comments by the same person. `id` is unknown where the host doesn't tell it. */
  readReview(
    review: { pull: number; id: string | undefined; author: HostUser; text: string },
    signal?: AbortSignal,
  ): Promise<{ remarks: Remark[]; thread: Thread }>;
  /** Writes a comment that ends with the mark, once: a repeated call finds it. */
  answer(thread: Thread, answer: Answer, signal?: AbortSignal): Promise<void>;
  failedChecks(commit: string, signal?: AbortSignal): Promise<FailedCheck[]>;
  standing(of: { pull: number; commit: string }, signal?: AbortSignal): Promise<Standing>;
}
