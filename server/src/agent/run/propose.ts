/** The words of a commit and of its pull request. */
import type { FileChange } from '../workspace/tree.ts';
import { withoutReaders } from '../../platform/redaction/quote-readers.ts';
import { commitMessage, pullTitle } from '../publish/messages.ts';
import { pullBody } from '../publish/pull-body.ts';
import { findTemplate } from '../publish/template.ts';
import { type Judgement, reviewOf } from './judge.ts';
import { wholeChange } from './whole-change.ts';
import type { Workplace } from './workplace.ts';

export interface Proposal {
  title: string;
  body: string;
  commitMessage: string;
}

export async function proposeChange(
  place: Workplace,
  changes: readonly FileChange[],
  judged: Judgement,
  { jobUrl, siteUrl }: { jobUrl: string; siteUrl: string | undefined },
): Promise<Proposal> {
  const { job, files } = place;
  // Who wrote in may ask to be forgotten; a repository's host forgets nothing.
  const instructions = place.instructions.map(({ text }) =>
    withoutReaders(text, 'What readers wrote stands on the page of the job.'),
  );
  const summary = job.summary ?? job.message ?? '';
  const title = pullTitle(job.title ?? undefined, instructions.at(-1) ?? '');
  const whole = await wholeChange(place, changes);
  // What an earlier round brought in still has to be looked at: it is no news in this one.
  const review = whole
    ? await reviewOf(place, whole.changes, whole.before, siteUrl)
    : judged.review;
  const body = pullBody({
    summary,
    instructions,
    changes: whole?.changes ?? changes,
    checks: judged.report,
    review,
    job: { id: job.id, url: jobUrl },
    formerPulls: job.formerPulls,
    template: await findTemplate(files.original()),
  });
  return { title, body, commitMessage: commitMessage({ title, summary }) };
}
