import { type DocsFiles, docsFilesOf, type FileChange } from '../workspace/tree.ts';
import type { Workplace } from './workplace.ts';

export interface WholeChange {
  changes: readonly FileChange[];
  /** What all of it began with. */
  before: DocsFiles;
}

/** All that the pull request changes, this round's change and what its branch holds already; `undefined`: this round's alone. */
export async function wholeChange(
  { job, forge, files, signal }: Workplace,
  changes: readonly FileChange[],
): Promise<WholeChange | undefined> {
  const { sourceCommit, baseBranch } = job;
  if (sourceCommit === null || baseBranch === null) return undefined;
  const tip = await forge.tip(baseBranch, signal);
  const fork = tip === undefined ? undefined : await forge.mergeBase(tip, sourceCommit, signal);
  if (fork === undefined || fork === sourceCommit) return undefined;
  const [from, source] = await Promise.all(
    [fork, sourceCommit].map((commit) => forge.openTree(commit, signal)),
  );
  if (!from || !source) return undefined;
  const touched = new Set(changes.map(({ path }) => path));
  for (const path of [...from.entries.keys(), ...source.entries.keys()]) {
    if (from.entries.get(path)?.oid !== source.entries.get(path)?.oid) touched.add(path);
  }
  const paths = [...touched].toSorted();
  const [old, now] = await Promise.all([from.read(paths, signal), files.view().read(paths)]);
  const moved = new Map(changes.map((change) => [change.path, change.from]));
  const all = paths.flatMap((path): FileChange[] => {
    const [before, after] = [old.get(path), now.get(path)];
    if (before && after) {
      return before.equals(after) ? [] : [{ path, kind: 'modified', before, after }];
    }
    if (before) return [{ path, kind: 'deleted', before, after }];
    const origin = moved.get(path);
    const isMove = origin !== undefined && old.has(origin);
    return after ? [{ path, kind: 'added', ...(isMove && { from: origin }), before, after }] : [];
  });
  return { changes: all, before: docsFilesOf(from, signal) };
}
