import type { Forge, PullRequest } from '../forge/forge.ts';
import { baseMissing, isOfJob } from './publish.ts';

export interface StartPoint {
  baseBranch: string;
  /** Where the base branch is now. */
  baseCommit: string;
  /** Another than was asked for where its pull request was merged or closed. */
  branch: string;
  /** The commit to work on. */
  source: string;
  /** The job's open pull request. */
  pull: PullRequest | undefined;
  /** The job's pull request that was merged or closed. */
  former: PullRequest | undefined;
}

/**
 * Where a run of a job begins. A branch that exists is worked on from its tip, with whatever people
 * have committed there; one that does not begins at the base branch. Spec: "Git branch the agent works
 * on"; what happens where the caller names one that exists is not shown: the agent works on top of it.
 */
export async function findStart(
  forge: Forge,
  wanted: {
    branch: string;
    /** The repository's default branch where it is not configured. */
    baseBranch?: string | undefined;
    /** The job's pull request of earlier runs. */
    pullNumber?: number | undefined;
    /** Whether somebody else is about to write to a branch that is not there yet. */
    isBusy?: ((branch: string) => Promise<boolean>) | undefined;
    /** The job whose commits may be continued on a further branch. */
    job?: string | undefined;
  },
  signal?: AbortSignal,
): Promise<StartPoint> {
  const baseBranch = wanted.baseBranch ?? (await forge.defaultBranch(signal));
  const baseCommit = await forge.tip(baseBranch, signal);
  if (baseCommit === undefined) throw baseMissing(baseBranch);
  const pull =
    wanted.pullNumber === undefined
      ? undefined
      : await forge.readPullRequest(wanted.pullNumber, signal);
  const start = { baseBranch, baseCommit };
  if (pull !== undefined && pull.state !== 'open') {
    for (let number = 2; ; number += 1) {
      const branch = `${wanted.branch}-${number}`;
      const tip = await forge.tip(branch, signal);
      if (tip === undefined) {
        if (await wanted.isBusy?.(branch)) continue;
        return { ...start, branch, source: baseCommit, pull: undefined, former: pull };
      }
      // A run that failed while it published may have begun it: then there is no need for another.
      if (!(await isOurs(tip))) continue;
      const begun = await forge.findPullRequest(branch, signal);
      if (begun !== undefined && begun.state !== 'open') continue;
      return { ...start, branch, source: tip, pull: begun, former: pull };
    }
  }
  const source = (await forge.tip(wanted.branch, signal)) ?? baseCommit;
  return { ...start, branch: wanted.branch, source, pull, former: undefined };

  async function isOurs(tip: string): Promise<boolean> {
    const { job } = wanted;
    if (job === undefined || tip === start.baseCommit) return false;
    const commits = await forge.commitsBetween(start.baseCommit, tip, signal);
    return commits.some(({ message }) => isOfJob(message, job));
  }
}
