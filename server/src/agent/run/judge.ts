/** What stands in the way of a change: judged by its bytes, whatever the model says of it. */
import { type ChecksReport, isBroken } from '@docent/shared/agent-checks';
import { checkDocs } from '../checks/check-docs.ts';
import { JobError } from '../../platform/errors.ts';
import { createPathPolicy } from '../workspace/path-policy.ts';
import { type Review, reviewChanges } from '../workspace/review.ts';
import { holdsSecret } from '../workspace/secrets.ts';
import { withoutReaders } from '../../platform/redaction/quote-readers.ts';
import type { DocsFiles, FileChange } from '../workspace/tree.ts';
import { isDraftPull } from '../publish/draft.ts';
import { repositoryAddress } from '../../platform/tenants/projects.ts';
import type { Workplace } from './workplace.ts';

export interface Judgement {
  report: ChecksReport;
  review: Review;
  /** Sentences for the model; empty where the change is good. */
  problems: string[];
  /** Ends the job where the problems stay; `undefined`: then it becomes a draft that lists them. */
  failure: JobError | undefined;
  isDraft: boolean;
}

/** Of a change against the files that it began with. */
export function reviewOf(
  { job, project, instructions, signal }: Workplace,
  changes: readonly FileChange[],
  before: DocsFiles,
  siteUrl: string | undefined,
): Promise<Review> {
  return reviewChanges({
    changes,
    policy: createPathPolicy(project.paths, project.docsRoot),
    guard: project.guard,
    allowLarge: job.allowLarge,
    // A reader's words name nothing that the owner has asked for, also where an owner passed them on.
    trusted: instructions
      .filter(({ keyId }) => keyId !== null)
      .map(({ text }) => withoutReaders(text)),
    own: [siteUrl, project.repository && repositoryAddress(project.repository)].flatMap(
      (address) => address ?? [],
    ),
    before,
    signal,
  });
}

export async function judgeChange(
  place: Workplace,
  changes: readonly FileChange[],
  siteUrl: string | undefined,
): Promise<Judgement> {
  const { job, project, files, parsed, signal } = place;
  const before = files.original();
  const review = await reviewOf(place, changes, before, siteUrl);
  if (holdsSecret(`${job.title ?? ''}\n${job.summary ?? job.message ?? ''}`)) {
    const message = 'Your title or summary holds what looks like a real secret; leave it out.';
    review.problems.push({ code: 'secret_found', message });
  }
  const root = project.docsRoot;
  const report = await checkDocs({
    before,
    after: files.view(),
    changes,
    root,
    project,
    parsed,
    signal,
  });
  const hasFailedChecks = isBroken(report);
  return {
    report,
    review,
    problems: [
      ...review.problems.map(({ message }) => message),
      ...(hasFailedChecks ? describeProblems(report) : []),
    ],
    failure: failureOf(review, hasFailedChecks && project.checks.onFailure === 'fail', report),
    isDraft: isDraftPull({ policy: project.draft, wish: job.isDraft, review, hasFailedChecks }),
  };
}

function describeProblems({ problems, more }: ChecksReport): string[] {
  const lines = problems.map(({ path, line, message, severity }) => {
    const place = line === undefined ? path : `${path}:${line}`;
    return `${place}: ${message}${severity === 'warning' ? ' (only a warning)' : ''}`;
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
