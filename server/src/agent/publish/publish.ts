/**
 * One job, one branch, one pull request. Each run of a job is one commit that names the run in a trailer, so
 * that a repeated call finds what was done before a crash, even if the host's answer was lost. Branches only
 * move forward, so people's commits stay.
 */
import { JobError } from '../../platform/errors.ts';
import type { FileChange } from '../workspace/tree.ts';
import type { Forge, PullRequest } from '../forge/forge.ts';
import { markBody, renewBody } from './pull-text.ts';
import { findConflicts, rebaseChanges } from './rebase.ts';
import { nameSome } from '../../platform/text.ts';

/** Paths in one sentence. */
const maxNamed = 10;

export interface PublishRequest {
  branch: string;
  baseBranch: string;
  /** The commit that was changed. */
  source: string;
  changes: readonly FileChange[];
  /** `<job>/<run>` */
  key: string;
  commitMessage: string;
  title: string;
  body: string;
  isDraft: boolean;
  /** The job's pull request of earlier runs. */
  pullNumber?: number | undefined;
  /** For a new pull request. */
  extras?: { labels: readonly string[]; reviewers: readonly string[] } | undefined;
  /** Whether another job is about to create the branch. */
  isBusy?: ((branch: string) => Promise<boolean>) | undefined;
}

export interface Publication {
  /** `undefined`: nothing was left to change. */
  pull: PullRequest | undefined;
  /** Our commit of this run; `undefined`: nothing was left to change. */
  commit: string | undefined;
  /** A new one if the pull request of the wanted branch was merged or closed meanwhile. */
  branch: string;
  /** The pull request that was merged or closed meanwhile. */
  former: PullRequest | undefined;
  /** Sentences for the owner of the job. */
  notes: string[];
}

/** Others may push at the same time. */
const maxAttempts = 5;

export async function publish(
  forge: Forge,
  request: PublishRequest,
  signal: AbortSignal,
): Promise<Publication> {
  const { baseBranch, key } = request;
  assertNotBase(request.branch, baseBranch);
  const message = withTrailer(request.commitMessage, key);
  const notes: string[] = [];

  const known =
    request.pullNumber === undefined
      ? await forge.findPullRequest(request.branch, signal)
      : await forge.readPullRequest(request.pullNumber, signal);
  if (known !== undefined && known.state !== 'open') {
    // The merge may have deleted the branch; the host still knows its tip.
    const done = await findOurs(request.source, known.head.commit);
    if (done !== undefined) return published(done, known);
  }
  const former =
    request.pullNumber !== undefined && known !== undefined && known.state !== 'open'
      ? known
      : undefined;
  if (former !== undefined) {
    notes.push(`Pull request #${former.number} was ${former.state} meanwhile; this is a new one.`);
  }
  const { branch, commit } = await write(former);
  const seen =
    known?.state === 'open'
      ? ((await forge.readPullRequest(known.number, signal)) ?? known)
      : undefined;
  if (seen !== undefined && seen.state !== 'open' && commit !== undefined) {
    // It was merged or closed while we wrote: a commit that came too late goes into a new one.
    const isIn = (await findOurs(request.source, seen.head.commit)) !== undefined;
    if (isIn) return published(commit, seen);
    return publish(forge, { ...request, pullNumber: seen.number }, signal);
  }
  const open = seen ?? (await openPull(branch));
  if (commit === undefined && open === undefined) {
    return { pull: undefined, commit, branch, former, notes };
  }
  const pull = open === undefined ? await create(branch) : await update(open);
  if (request.isDraft && !pull.isDraft) {
    notes.push('The repository doesn’t support draft pull requests, so this one isn’t a draft.');
  }
  if (pull.state === 'open') await noteConflicts(pull, commit ?? pull.head.commit);
  // Also if it was opened before a crash; later, people have decided about them.
  if (pull.number !== request.pullNumber) await addExtras(pull.number);
  return { pull, commit, branch, former, notes };

  function published(commit: string, pull: PullRequest): Publication {
    return { pull, commit, branch: request.branch, former: undefined, notes };
  }

  /** Our commit of this run, if it is among those after `base`. */
  async function findOurs(base: string, tip: string): Promise<string | undefined> {
    if (base === tip) return undefined;
    const commits = await forge.commitsBetween(base, tip, signal);
    return commits.find((commit) => hasTrailer(commit.message, key))?.id;
  }

  /** After a merge, it starts at the tip of the base branch: merged changes are in it, and closed ones weren't wanted. */
  async function write(before: PullRequest | undefined) {
    const { source, changes, isBusy } = request;
    const wanted = { ...request, pullNumber: before?.number, isBusy, job: key.split('/', 1)[0] };
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      signal.throwIfAborted();
      const start = before && (await findStart(forge, wanted, signal));
      const { branch } = start ?? request;
      const from = start?.baseCommit ?? source;
      // A further branch that's free now may be another job's soon.
      const tip = start
        ? start.source === from
          ? undefined
          : start.source
        : await forge.tip(branch, signal);
      const ours = tip === undefined ? undefined : await findOurs(from, tip);
      if (ours !== undefined) return { branch, commit: ours };
      const parent = tip ?? from;
      const onto = tip === undefined ? baseBranch : branch;
      const ready = parent === source ? changes : await moveOnto(onto, parent);
      if (ready.length === 0) return { branch, commit: undefined };
      const commit = await forge.writeCommit({ parent, changes: ready, message }, signal);
      signal.throwIfAborted();
      const isWritten =
        tip === undefined
          ? await forge.createBranch(branch, commit, signal)
          : await forge.advanceBranch(branch, { from: tip, to: commit }, signal);
      if (isWritten) return { branch, commit };
    }
    throw new JobError(
      'branch_moved',
      `The branch “${request.branch}” kept changing while the change was being published.`,
    );
  }

  async function moveOnto(branch: string, tip: string): Promise<readonly FileChange[]> {
    const [from, onto] = await Promise.all([
      forge.openTree(request.source, signal),
      forge.openTree(tip, signal),
    ]);
    const { changes, merged, conflicts } = await rebaseChanges(
      request.changes,
      { from, onto },
      signal,
    );
    if (conflicts.length > 0) {
      throw new JobError(
        'branch_moved',
        `Other people changed “${branch}” in the meantime, and their changes conflict with the job’s in ${nameSome(conflicts, maxNamed)}.`,
      );
    }
    if (merged.length > 0) {
      notes.push(
        `Other people changed “${branch}” in the meantime. Their changes and the job’s were merged in ${nameSome(merged, maxNamed)}.`,
      );
    }
    return changes;
  }

  async function openPull(branch: string): Promise<PullRequest | undefined> {
    const found = await forge.findPullRequest(branch, signal);
    return found?.state === 'open' ? found : undefined;
  }

  async function create(branch: string): Promise<PullRequest> {
    signal.throwIfAborted();
    const { title, isDraft } = request;
    const body = markBody(request.body);
    return forge.createPullRequest({ branch, base: baseBranch, title, body, isDraft }, signal);
  }

  /** Keeps the title, which people may have improved, and a draft that people hold back. */
  async function update(open: PullRequest): Promise<PullRequest> {
    const body = renewBody(open.body, request.body);
    const mustHoldBack = request.isDraft && !open.isDraft;
    if (body === open.body && !mustHoldBack) return open;
    signal.throwIfAborted();
    const change = { ...(body !== open.body && { body }), ...(mustHoldBack && { isDraft: true }) };
    return forge.updatePullRequest(open.number, change, signal);
  }

  /** The pull request stays, whatever the host refuses of these. */
  async function addExtras(pull: number): Promise<void> {
    const { talk } = forge;
    const { labels = [], reviewers = [] } = request.extras ?? {};
    const refused: string[] = [];
    const attempt = async (what: string, asked: Promise<void> | undefined) => {
      try {
        await asked;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof JobError)) throw error;
        refused.push(`${what} (${error.message.replace(/\.$/, '')})`);
      }
    };
    for (const label of labels) {
      await attempt(`the label “${label}”`, talk?.addLabel(pull, label, signal));
    }
    for (const reviewer of reviewers) {
      await attempt(`the reviewer “${reviewer}”`, talk?.askForReview(pull, reviewer, signal));
    }
    if (refused.length === 0) return;
    notes.push(
      `The pull request was opened without ${new Intl.ListFormat('en').format(refused)}: add that at the host, and correct “labels” and “reviewers” of the project, or what its account may do.`,
    );
  }

  /** Adds a note if the base branch has changed the same lines. */
  async function noteConflicts(pull: PullRequest, commit: string): Promise<void> {
    const base = await forge.tip(pull.base, signal);
    if (base === undefined || base === request.source) return;
    const common = await forge.mergeBase(base, commit, signal);
    if (common === undefined || common === base) return;
    const conflicts = await findConflicts(
      {
        base: await forge.openTree(common, signal),
        ours: await forge.openTree(commit, signal),
        theirs: await forge.openTree(base, signal),
      },
      signal,
    );
    if (conflicts.length === 0) return;
    notes.push(
      `“${pull.base}” changed in the meantime; the pull request conflicts with it in ${nameSome(conflicts, maxNamed)}.`,
    );
  }
}

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

/** Whether a commit belongs to a job, in any of its runs. */
export function isOfJob(message: string, job: string): boolean {
  return message.split(/\r?\n/).some((line) => line.startsWith(trailer(`${job}/`)));
}

function assertNotBase(branch: string, baseBranch: string): void {
  if (branch !== baseBranch) return;
  throw new JobError(
    'forge_rejected',
    `The agent can’t write to the base branch “${baseBranch}”; name another branch.`,
  );
}

export function baseMissing(branch: string): JobError {
  return new JobError(
    'base_branch_missing',
    `The repository has no branch “${branch}” to work from.`,
  );
}

const trailer = (key: string) => `Docent-Job: ${key}`;

function hasTrailer(message: string, key: string): boolean {
  return message.split(/\r?\n/).includes(trailer(key));
}

function withTrailer(message: string, key: string): string {
  return hasTrailer(message, key) ? message : `${message.trimEnd()}\n\n${trailer(key)}\n`;
}
