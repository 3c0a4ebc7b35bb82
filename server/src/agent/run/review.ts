/** Whether a change may become a pull request. Its bytes decide, whatever the model says about it. */
import type { AgentEvent } from '@docent/shared/agent-events';
import { type ChecksReport, isBroken } from '@docent/shared/agent-checks';
import { readInstructions } from '../jobs/instructions.ts';
import { checkChange } from '../checks/check-docs.ts';
import { JobError } from '../../platform/errors.ts';
import { createPathPolicy } from '../workspace/path-policy.ts';
import { type Review, reviewContent } from '../workspace/review.ts';
import { holdsSecret } from '../workspace/secrets.ts';
import { changesBetween, type DocsFiles, docsFilesOf, type FileChange } from '../workspace/tree.ts';
import { repositoryAddress } from '../../platform/tenants/projects.ts';
import { withoutForeign } from '../../platform/models/escape-for-prompt.ts';
import { type PreparedRun, siteUrlOf } from './run-context.ts';
import type { ProjectConfig } from '../../platform/config/project-config.ts';

export interface ReviewResult {
  report: ChecksReport;
  review: Review;
  /** Sentences for the model; empty where the change is good. */
  problems: string[];
  /** Ends the job if the problems stay; `undefined`: the pull request is then a draft that lists them. */
  failure: JobError | undefined;
  isDraft: boolean;
  places: string[];
}

export async function reviewRun(
  run: PreparedRun,
  changes: readonly FileChange[],
): Promise<ReviewResult> {
  const { deps, control, project, files, parsed } = run;
  const instructions = await readInstructions(deps.database, control.lease.id);
  run.instructions = instructions.filter(({ role, isTaken }) => role === 'user' && isTaken);
  const { job } = run;
  const review = await reviewAgainst(run, changes, files.original());
  if (holdsSecret(`${job.title ?? ''}\n${job.summary ?? job.message ?? ''}`)) {
    const message = 'Your title or summary holds what looks like a real secret; leave it out.';
    review.problems.push({ code: 'secret_found', message });
  }
  const report = await checkChange({ files, project, parsed, signal: control.signal });
  const { places, problems: misplaced } = await checkPlaces(run, changes);
  const hasFailedChecks = isBroken(report);
  return {
    report,
    review,
    problems: [
      ...review.problems.map(({ message }) => message),
      ...(hasFailedChecks ? describeProblems(report) : []),
      ...misplaced,
    ],
    failure:
      failureOf(review, hasFailedChecks && project.checks.onFailure === 'fail', report) ??
      (misplaced.length > 0 ? new JobError('checks_failed', sentences(misplaced)) : undefined),
    isDraft: isDraftPull(project.draft, job.isDraft, review.needsDraft, hasFailedChecks),
    places,
  };
}

/** A run that has read code says in its summary where, and each place must exist. */
async function checkPlaces({ code, job, isDrift }: PreparedRun, changes: readonly FileChange[]) {
  const none = { places: [], problems: [] };
  if (!code || changes.length === 0) return none;
  const read = Object.keys(code.read());
  // Corrections name their places themselves, and the message may be about what was taken back.
  const said = isDrift ? [job.summary] : [job.summary, job.message];
  const found = await code.check(said.join('\n'));
  if (isDrift || read.length === 0 || found.places.length + found.problems.length > 0) return found;
  const [first] = read;
  return {
    ...none,
    problems: [
      `You have read code. Name in your summary the place of each statement about it, such as ${first}:src/main.ts:12.`,
    ],
  };
}

export const checksEvent = ({ report }: ReviewResult): AgentEvent => ({ type: 'checks', report });

/** Everything that the pull request changes, with its review: this run's change, and what its branch holds already. */
export async function reviewPullRequest(
  run: PreparedRun,
  changes: readonly FileChange[],
  { review }: ReviewResult,
): Promise<{ changes: readonly FileChange[]; review: Review }> {
  const { forge, job, control } = run;
  const { signal } = control;
  const { sourceCommit, baseBranch } = job;
  if (sourceCommit === null || baseBranch === null) return { changes, review };
  const tip = await forge.tip(baseBranch, signal);
  const fork = tip === undefined ? undefined : await forge.mergeBase(tip, sourceCommit, signal);
  if (fork === undefined || fork === sourceCommit) return { changes, review };
  const [from, source] = await Promise.all([
    forge.openTree(fork, signal),
    forge.openTree(sourceCommit, signal),
  ]);
  const earlier = await changesBetween(from, source, { signal });
  const found = new Map(earlier.map((change) => [change.path, change]));
  for (const change of changes) {
    const { path, after } = change;
    const before = (found.get(path) ?? change).before;
    const kind = before === undefined ? 'added' : after === undefined ? 'deleted' : 'modified';
    const isNothing = before === undefined ? after === undefined : after && before.equals(after);
    if (isNothing) found.delete(path);
    else found.set(path, { ...change, kind, before });
  }
  const all = [...found.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return { changes: all, review: await reviewAgainst(run, all, docsFilesOf(from, signal)) };
}

function reviewAgainst(
  run: PreparedRun,
  changes: readonly FileChange[],
  before: DocsFiles,
): Promise<Review> {
  const { control, job, project, instructions } = run;
  return reviewContent({
    changes,
    policy: createPathPolicy(project.paths, project.docsRoot),
    guard: project.guard,
    allowLarge: job.allowLarge,
    // A reader's words, and what a check printed, name nothing that the owner has asked for, also where an
    // owner passed them on.
    trusted: instructions
      .filter(({ callerId }) => callerId !== null)
      .map(({ content, command }) =>
        withoutForeign([content, ...Object.values(command ?? {})].join('\n')),
      ),
    own: [siteUrlOf(run), project.repository && repositoryAddress(project.repository)].flatMap(
      (address) => address ?? [],
    ),
    before,
    signal: control.signal,
  });
}

function describeProblems({ problems, more }: ChecksReport): string[] {
  const lines = problems.map(({ path, line, message, severity }) => {
    const where = line === undefined ? path : `${path}:${line}`;
    return `${where}: ${message}${severity === 'warning' ? ' (only a warning)' : ''}`;
  });
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}

function failureOf(
  { problems }: Review,
  mustPass: boolean,
  report: ChecksReport,
): JobError | undefined {
  const [first] = problems;
  if (first) return new JobError(first.code, sentences(problems.map(({ message }) => message)));
  if (!mustPass) return undefined;
  const errors = report.problems.filter(({ severity }) => severity === 'error');
  const [one] = errors;
  const others = errors.length - 1 + report.more;
  const where = one && `${one.path}: ${one.message}`;
  return new JobError(
    'checks_failed',
    [where, others > 0 && `And ${others} more.`].filter(Boolean).join(' '),
  );
}

function sentences(all: readonly string[]): string {
  const shown = all.slice(0, 3).join(' ');
  return all.length > 3 ? `${shown} And ${all.length - 3} more.` : shown;
}

/**
 * Whether the pull request is a draft. Settings, the request, and the bytes of the change decide, never the
 * model. `never` is for hosts and teams without drafts: what needs approval then stands at the top of the
 * description.
 */
export function isDraftPull(
  policy: ProjectConfig['draft'],
  ...reasons: readonly boolean[]
): boolean {
  return policy === 'always' || (policy === 'caller' && reasons.includes(true));
}
