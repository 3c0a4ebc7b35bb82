import type { Forge, PullRequest } from '../forge/forge.ts';
import { assertNotBase, baseMissing, isOfJob } from './publish.ts';

export interface StartPoint {
  baseBranch: string;
  /** The tip of the base branch. */
  baseCommit: string;
  /** A new one if the pull request of the wanted branch was merged or closed. */
  branch: string;
  /** The commit to work on. */
  source: string;
  /** The job's open pull request. */
  pull: PullRequest | undefined;
  /** The job's pull request that was merged or closed. */
  former: PullRequest | undefined;
}

/**
 * Where a run of a job begins: at the tip of its branch, with people's commits, or at the base branch if the
 * branch doesn't exist. Spec: "Git branch the agent works on"; it doesn't say what happens if the caller
 * names an existing branch. We chose to work on top of it.
 */
export async function findStart(
  forge: Forge,
  wanted: {
    branch: string;
    /** By default, the repository's default branch. */
    baseBranch?: string | undefined;
    /** The job's pull request of earlier runs. */
    pullNumber?: number | undefined;
    /** Whether another job is about to create the branch. */
    isBusy?: ((branch: string) => Promise<boolean>) | undefined;
    /** The job whose commits may be continued on a further branch. */
    job?: string | undefined;
  },
  signal?: AbortSignal,
): Promise<StartPoint> {
  const baseBranch = wanted.baseBranch ?? (await forge.defaultBranch(signal));
  // Before the model costs anything.
  assertNotBase(wanted.branch, baseBranch);
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
      // A run that failed while it published may have created it.
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
