/** The point of no return, and what follows it: the commit, the branch and the pull request. */
import { JobError } from '../../platform/errors.ts';
import type { FileChange } from '../workspace/tree.ts';
import { timelineOf } from '../automations/rows.ts';
import { type Publication, publish } from '../publish/publish.ts';
import { withoutForeign } from '../../platform/models/escape-for-prompt.ts';
import { commitMessage, pullBody, pullTitle } from '../publish/pull-text.ts';
import { findTemplate } from '../publish/template.ts';
import { checksEvent, reviewPullRequest, type ReviewResult } from './review.ts';
import { diffInWorker } from '../workspace/diff.ts';
import { assertRunning, isBranchBusy, type PreparedRun } from './run-context.ts';

/** Publishing has a limit of its own: the job's would leave a pull request half made. */
const publishMs = 10 * 60_000;

/** Once it has begun, only the loss of the job or the end of the service can stop it. */
export async function publishChange(
  run: PreparedRun,
  changes: readonly FileChange[],
  result: ReviewResult,
): Promise<Publication> {
  const { deps, control, forge, budgets } = run;
  const words = await describeChange(run, changes, result);
  assertRunning(run);
  const isAgain = run.row.state === 'publishing';
  run.row = await deps.checkpoints.publishing(control.lease, isAgain ? [] : [checksEvent(result)]);
  budgets.close();
  const { job } = run;
  return publish(
    forge,
    {
      ...words,
      branch: job.branch,
      baseBranch: job.baseBranch ?? '',
      source: job.sourceCommit ?? '',
      changes,
      key: `${job.id}/${job.round}`,
      isDraft: result.isDraft,
      pullNumber: job.pull?.number,
      extras: run.project.pullRequest,
      isBusy: (branch) => isBranchBusy(run, branch),
    },
    AbortSignal.any([control.signal, tooLate()]),
  );
}

async function describeChange(
  run: PreparedRun,
  changes: readonly FileChange[],
  result: ReviewResult,
) {
  const { deps, job, files } = run;
  // Readers may ask to be forgotten, and a repository's host forgets nothing.
  const instructions = run.instructions.map(({ content }) => withoutForeign(content, true));
  const summary = job.summary ?? job.message ?? '';
  const title = pullTitle(job.title ?? undefined, instructions.at(-1) ?? '');
  const { changes: all, review } = await reviewPullRequest(run, changes, result);
  const questions = await deps.affectedQuestions?.({
    project: run.project,
    jobId: job.id,
    before: files.original(),
    after: files.view(),
    changed: all.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from])),
    signal: run.control.signal,
  });
  const body = pullBody({
    summary,
    questions,
    instructions,
    // What an earlier run brought in still needs approval, although it is not new in this one.
    review,
    files: await diffInWorker(all),
    checks: result.report,
    corrections: job.corrections ?? [],
    timeline: await timelineOf(deps.database, job),
    code: { commits: run.code?.read() ?? {}, places: result.places },
    job: {
      id: job.id,
      url: deps.linkTo({ kind: 'job', project: job.project, job: job.id }),
    },
    formerPulls: job.formerPulls,
    template: await findTemplate(files.original()),
  });
  return { title, body, commitMessage: commitMessage({ title, summary }) };
}

function tooLate(): AbortSignal {
  const controller = new AbortController();
  const reason = new JobError('forge_unavailable', 'The pull request was not made in time.');
  setTimeout(() => controller.abort(reason), publishMs).unref();
  return controller.signal;
}
