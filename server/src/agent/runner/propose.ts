/** The words of a commit and of its pull request. */
import type { FileChange } from '../../files/tree.ts';
import { commitMessage, pullTitle } from '../proposal/messages.ts';
import { pullBody } from '../proposal/pull-body.ts';
import { findTemplate } from '../proposal/template.ts';
import type { Judgement } from './judge.ts';
import type { Workplace } from './workplace.ts';

export interface Proposal {
  title: string;
  body: string;
  commitMessage: string;
}

export async function proposeChange(
  place: Workplace,
  changes: readonly FileChange[],
  { report, review }: Judgement,
  jobUrl: string,
): Promise<Proposal> {
  const { job, files } = place;
  const instructions = place.instructions.map(({ text }) => text);
  const summary = job.summary ?? job.message ?? '';
  const title = pullTitle(job.title ?? undefined, instructions.at(-1) ?? '');
  const body = pullBody({
    summary,
    instructions,
    changes: await wholeChange(place, changes),
    checks: report,
    review,
    job: { id: job.id, url: jobUrl },
    formerPulls: job.formerPulls,
    template: await findTemplate(files.original()),
  });
  return { title, body, commitMessage: commitMessage({ title, summary }) };
}

/** All that the pull request changes: this round's change, and what its branch holds already. */
async function wholeChange(
  { job, forge, files, signal }: Workplace,
  changes: readonly FileChange[],
): Promise<readonly FileChange[]> {
  const { sourceCommit, baseBranch } = job;
  if (sourceCommit === null || baseBranch === null) return changes;
  const tip = await forge.tip(baseBranch, signal);
  const fork = tip === undefined ? undefined : await forge.mergeBase(tip, sourceCommit, signal);
  if (fork === undefined || fork === sourceCommit) return changes;
  const [from, source] = await Promise.all(
    [fork, sourceCommit].map((commit) => forge.openTree(commit, signal)),
  );
  if (!from || !source) return changes;
  const touched = new Set(changes.map(({ path }) => path));
  for (const path of [...from.entries.keys(), ...source.entries.keys()]) {
    if (from.entries.get(path)?.oid !== source.entries.get(path)?.oid) touched.add(path);
  }
  const paths = [...touched].toSorted();
  const [old, now] = await Promise.all([from.read(paths, signal), files.view().read(paths)]);
  const moved = new Map(changes.map((change) => [change.path, change.from]));
  return paths.flatMap((path): FileChange[] => {
    const [before, after] = [old.get(path), now.get(path)];
    if (before && after) {
      return before.equals(after) ? [] : [{ path, kind: 'modified', before, after }];
    }
    if (before) return [{ path, kind: 'deleted', before, after }];
    const origin = moved.get(path);
    const isMove = origin !== undefined && old.has(origin);
    return after ? [{ path, kind: 'added', ...(isMove && { from: origin }), before, after }] : [];
  });
}
