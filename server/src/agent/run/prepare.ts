/** Where a run begins: its project, its commit, and the edits of an earlier run that still hold there. */
import { JobError } from '../../platform/errors.ts';
import { createParsedPages } from '../checks/docs-state.ts';
import { createCodeContext } from '../code/code.ts';
import { createFileSet, type SavedEdit } from '../workspace/file-set.ts';
import { createPathPolicy, type PathPolicy } from '../workspace/path-policy.ts';
import type { FileChange } from '../workspace/tree.ts';
import type { Forge } from '../forge/forge.ts';
import { rebaseChanges } from '../publish/rebase.ts';
import { findStart, type StartPoint } from '../publish/publish.ts';
import { nameSome } from '../../platform/text.ts';
import {
  readInstructions,
  type StoredInstruction,
  waitingInstructions,
} from '../jobs/instructions.ts';
import { type JobRow, rulesOfJob } from '../jobs/job.ts';
import { createBudgets } from './metered-model.ts';
import { loadEdits, pullEvent } from './checkpoints.ts';
import { isBranchBusy, type PreparedRun, type RunContext } from './run-context.ts';

/** A job that ends its process again and again is not tried forever. */
const maxCrashes = 3;
/** Paths in one sentence. */
const maxNamed = 20;

export async function prepare(run: RunContext): Promise<PreparedRun> {
  const { deps, control } = run;
  const { checkpoints, projects, forges } = deps;
  const { lease, signal } = control;
  // Before anything can fail: an instruction that waits now does not queue a job that fails again.
  for (const { id } of await waitingInstructions(deps.database, lease.id)) run.seen.add(id);
  signal.throwIfAborted();
  if (run.row.crashes >= maxCrashes) {
    const pull = await findMadePull(run);
    const where = pull ? ` Its pull request had been made: ${pull.url}` : '';
    throw new JobError(
      'process_lost',
      `Its process was lost ${maxCrashes} times in a row.${where}`,
    );
  }
  const found = await projects.find(run.row.project);
  if (!found) {
    const message = `The project “${run.row.project}” is not configured any more.`;
    throw new JobError('forge_not_configured', message);
  }
  const project = rulesOfJob(found, run.job);
  const forge = forges.forProject(project);
  const budgets = createBudgets({
    limits: project.limits,
    used: run.job,
    abort: control.abort,
  });
  run.budgets = budgets;

  const policy = createPathPolicy(project.paths, project.docsRoot);
  const isDrift = await needsEvidence(run);
  let saved: readonly SavedEdit[] = await loadEdits(deps.database, lease.id);
  if (run.row.stage === 'prepare') {
    const start = await findStart(
      forge,
      {
        branch: run.row.branch,
        baseBranch: run.row.base_branch ?? project.baseBranch,
        pullNumber: run.row.pull_number ?? undefined,
        isBusy: (branch) => isBranchBusy(run, branch),
        job: run.row.id,
      },
      signal,
    );
    const carried = isDrift
      ? // Their evidence is that of another commit.
        { edits: [], dropped: saved.map(({ path }) => path) }
      : await carry(forge, run.row, { policy, saved, onto: start.source }, signal);
    const notice = run.row.round === 1 ? undefined : noticeOf(start, carried);
    saved = carried.edits;
    run.row = await checkpoints.save(lease, {
      columns: {
        stage: 'work',
        notice: notice ?? null,
        base_branch: start.baseBranch,
        branch: start.branch,
        source_commit: start.source,
      },
      pulls: start,
      edits: saved,
    });
  }
  const tree = await forge.openTree(run.row.source_commit ?? '', signal);
  const files = createFileSet({ tree, policy, edits: saved, signal });
  const code =
    project.code.length === 0
      ? undefined
      : createCodeContext({
          project,
          openCode: deps.openCode,
          commits: JSON.parse(run.row.code_commits ?? '{}') as Record<string, string>,
          async onCommits(commits) {
            const columns = { code_commits: JSON.stringify(commits) };
            run.row = await checkpoints.save(lease, { columns });
          },
          signal,
        });
  const more = { project, forge, budgets, files, code, isDrift };
  return Object.assign(run, more, {
    parsed: createParsedPages(),
    instructions: [],
    denialsStored: 0,
  });
}

/**
 * Whether an instruction is the automation's, which wants evidence for every change. What people say about
 * its pull request is theirs to decide.
 */
export const isForEvidence = (
  row: Pick<JobRow, 'corrections' | 'caller_id'>,
  { callerId }: Pick<StoredInstruction, 'callerId'>,
) => row.corrections !== null && callerId === row.caller_id;

/** A run takes up instructions of one kind. */
async function needsEvidence({ deps, row }: RunContext): Promise<boolean> {
  if (row.corrections === null) return false;
  const all = await readInstructions(deps.database, row.id);
  const current =
    row.steps > 0 ? all.findLast((one) => one.isTaken) : all.find((one) => !one.isTaken);
  return isForEvidence(row, current ?? { callerId: null });
}

/** The pull request that a lost process made without telling us. */
async function findMadePull(run: RunContext): Promise<{ url: string } | undefined> {
  const { deps, control, row } = run;
  const project = await deps.projects.find(row.project);
  // If looking for it ends the process, it isn't looked for again.
  if (!project || row.state !== 'publishing' || row.crashes > maxCrashes) return undefined;
  try {
    const forge = deps.forges.forProject(project);
    const pull = await forge.findPullRequest(row.branch, control.signal);
    if (pull) {
      run.row = await deps.checkpoints.save(control.lease, {
        pulls: { pull },
        events: [pullEvent(pull)],
      });
    }
    return pull;
  } catch (error) {
    if (error instanceof JobError) return undefined;
    throw error;
  }
}

interface Carried {
  edits: readonly SavedEdit[];
  /** Paths that others have changed so that our edit no longer fits. */
  dropped: readonly string[];
}

/** Moves the unpublished edits of an earlier run onto today's files. */
async function carry(
  forge: Forge,
  { source_commit: old }: JobRow,
  earlier: { policy: PathPolicy; saved: readonly SavedEdit[]; onto: string },
  signal: AbortSignal,
): Promise<Carried> {
  const { policy, saved: edits } = earlier;
  if (old === null || edits.length === 0) return { edits: [], dropped: [] };
  if (old === earlier.onto) return { edits, dropped: [] };
  const onto = await forge.openTree(earlier.onto, signal);
  // A deleted branch may have taken the commit with it: then the edits have no base.
  const from = await forge.openTree(old, signal).catch(() => undefined);
  if (from === undefined) return { edits: [], dropped: edits.map(({ path }) => path) };
  const changes = await createFileSet({ tree: from, policy, edits, signal }).changes();
  const rebased = await rebaseChanges(changes, { from, onto }, signal);
  return { edits: rebased.changes.map(toEdit), dropped: rebased.conflicts };
}

const toEdit = ({ path, after, from }: FileChange): SavedEdit => ({
  path,
  content: after ?? null,
  movedFrom: from ?? null,
});

function noticeOf({ former, pull, baseBranch, branch }: StartPoint, carried: Carried): string {
  const { edits, dropped } = carried;
  const sentences = ['Time has passed, and the user has a further request.'];
  if (former !== undefined) {
    sentences.push(
      `Your pull request #${former.number} was ${former.state} meanwhile. What you change now goes into a new one, on top of today’s “${baseBranch}”.`,
    );
  } else if (pull !== undefined) {
    sentences.push(`Your pull request #${pull.number} is still open; you go on with it.`);
  } else {
    sentences.push(`Nothing has been proposed yet; you work on the branch “${branch}”.`);
  }
  if (edits.length > 0) {
    sentences.push(
      `Your edits that were not proposed still stand: ${nameSome(
        edits.map(({ path }) => path),
        maxNamed,
      )}.`,
    );
  }
  if (dropped.length > 0) {
    sentences.push(
      `These edits of yours no longer hold, for example because others changed the same lines: ${nameSome(dropped, maxNamed)}.`,
    );
  }
  sentences.push(
    'People may have changed the files since you last saw them: read them again before you edit.',
  );
  return sentences.join(' ');
}
