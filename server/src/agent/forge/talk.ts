/** What people say about a pull request at its host, and what we answer there. */

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

/** Calls reject with `JobError`. */
export interface Talk {
  mayWrite(user: HostUser, signal?: AbortSignal): Promise<boolean>;
  /** A review with its comments by the same person. `id` is unknown where the host doesn't tell it. */
  readReview(
    review: { pull: number; id: string | undefined; author: HostUser; text: string },
    signal?: AbortSignal,
  ): Promise<{ remarks: Remark[]; thread: Thread }>;
  /** Writes a comment that ends with the mark, once: a repeated call finds it. */
  answer(thread: Thread, answer: Answer, signal?: AbortSignal): Promise<void>;
  failedChecks(commit: string, signal?: AbortSignal): Promise<FailedCheck[]>;
}
