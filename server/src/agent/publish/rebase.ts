/** Applies changes to a commit that has other changes, line by line if both changed a file. */
import { diff3Merge } from 'node-diff3';
import { isTooMuch } from '../../platform/workers/worker-pool.ts';
import { runAgentTask } from '../run-agent-task.ts';
import { isText } from '../workspace/text-file.ts';
import { type FileChange, foldersOf, type Tree } from '../workspace/tree.ts';

export interface Rebased {
  changes: FileChange[];
  /** Files that hold the changes of both sides. */
  merged: string[];
  /** Files whose changes conflict. */
  conflicts: string[];
}

/** The same changes on another commit. A file that both sides changed is merged as text; their changes always stay. */
export async function rebaseChanges(
  changes: readonly FileChange[],
  { from, onto }: { from: Tree; onto: Tree },
  signal?: AbortSignal,
): Promise<Rebased> {
  const isSame = (path: string) => {
    const one = from.entries.get(path);
    const other = onto.entries.get(path);
    return one?.oid === other?.oid && one?.mode === other?.mode;
  };
  const touched = new Set(
    changes.flatMap(({ path, from: moved }) =>
      [path, moved].filter((each) => each !== undefined && !isSame(each)),
    ) as string[],
  );
  const theirs = await onto.read([...touched], signal);
  const deleted = new Set(changes.filter(({ kind }) => kind === 'deleted').map(({ path }) => path));
  const before = new Map(changes.map((change) => [change.path, change.before]));
  let folders: Set<string> | undefined;
  const result: Rebased = { changes: [], merged: [], conflicts: [] };

  for (const change of changes) {
    const { path, after, from: moved } = change;
    const now = theirs.get(path);
    if (isInTheWay(path)) {
      result.conflicts.push(path);
    } else if (!touched.has(path)) {
      const [content, isMerged] = await afterTheirs(change);
      if (content === undefined && change.kind !== 'deleted') result.conflicts.push(moved ?? path);
      else result.changes.push({ ...change, after: content });
      if (isMerged) result.merged.push(path);
    } else if (after === undefined) {
      // They deleted it too, or they changed what we delete.
      if (onto.entries.has(path) && !isMovedOn(path)) result.conflicts.push(path);
      else if (onto.entries.has(path)) result.changes.push({ ...change, before: now });
    } else if (now === undefined) {
      result.conflicts.push(path);
    } else if (!now.equals(after)) {
      const content = change.before && (await merge(change.before, after, now, signal));
      if (content === undefined) {
        result.conflicts.push(path);
      } else {
        result.merged.push(path);
        result.changes.push({ path, kind: 'modified', before: now, after: content });
      }
    }
  }
  return result;

  /** A moved file keeps what they changed at its old path. */
  async function afterTheirs({
    after,
    from: moved,
  }: FileChange): Promise<[Buffer | undefined, boolean]> {
    if (moved === undefined || !touched.has(moved) || after === undefined) return [after, false];
    const base = before.get(moved);
    const now = theirs.get(moved);
    const content = base && now && (await merge(base, after, now, signal));
    return [content, content !== undefined];
  }

  /** The old path of a file that we move. */
  function isMovedOn(path: string): boolean {
    return theirs.has(path) && changes.some(({ from: moved }) => moved === path);
  }

  /** They have a folder where we have a file, a file where we have a folder, or a link. */
  function isInTheWay(path: string): boolean {
    if (deleted.has(path)) return false;
    const entry = onto.entries.get(path);
    if (entry !== undefined && !entry.mode.startsWith('100')) return true;
    const parts = path.split('/');
    const parents = parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
    if (parents.some((parent) => onto.entries.has(parent) && !deleted.has(parent))) return true;
    if (from.entries.has(path)) return false;
    return (folders ??= foldersOf(onto.entries.keys())).has(path) && !isEmptied(path);
  }

  function isEmptied(folder: string): boolean {
    return [...onto.entries.keys()].every(
      (path) => !path.startsWith(`${folder}/`) || deleted.has(path),
    );
  }
}

/** Files that two commits changed in conflicting ways since their common base. */
export async function findConflicts(
  { base, ours, theirs }: { base: Tree; ours: Tree; theirs: Tree },
  signal?: AbortSignal,
): Promise<string[]> {
  const paths = new Set([...base.entries.keys(), ...ours.entries.keys(), ...theirs.entries.keys()]);
  const oid = (tree: Tree, path: string) => tree.entries.get(path)?.oid;
  const both = [...paths].filter((path) => {
    const [was, mine, other] = [oid(base, path), oid(ours, path), oid(theirs, path)];
    return was !== mine && was !== other && mine !== other;
  });
  if (both.length === 0) return [];
  const [was, mine, other] = await Promise.all(
    [base, ours, theirs].map((tree) => tree.read(both, signal)),
  );
  const conflicts: string[] = [];
  for (const path of both) {
    const [old, one, two] = [was?.get(path), mine?.get(path), other?.get(path)];
    // oxlint-disable-next-line no-await-in-loop -- one file after the other, in one worker
    const merged = old && one && two && (await merge(old, one, two, signal));
    if (merged === undefined) conflicts.push(path);
  }
  return conflicts;
}

/** In a worker: the library takes seconds for a thousand equal lines. What takes too much can't be merged. */
async function merge(
  base: Buffer,
  ours: Buffer,
  theirs: Buffer,
  signal: AbortSignal | undefined,
): Promise<Buffer | undefined> {
  try {
    const merged = await runAgentTask('mergeText', { base, ours, theirs }, { signal });
    return merged && Buffer.from(merged);
  } catch (error) {
    if (!isTooMuch(error)) throw error;
    return undefined;
  }
}

/**
 * Both sides' changes to one text, line by line; `undefined` where they cannot stand together, or where
 * it is no text. Line endings and a byte order mark stay as each side has them.
 */
export function mergeText({ base, ours, theirs }: Record<'base' | 'ours' | 'theirs', Uint8Array>) {
  const texts = [ours, base, theirs].map((bytes) => linesOf(Buffer.from(bytes)));
  const [a, o, b] = texts;
  if (a === undefined || o === undefined || b === undefined) return undefined;
  const merged: string[] = [];
  for (const region of diff3Merge(a, o, b, { excludeFalseConflicts: true })) {
    if (region.ok === undefined) return undefined;
    // Not spread: a region may be longer than an argument list.
    for (const line of region.ok) merged.push(line);
  }
  return Buffer.from(merged.join(''));
}

/** Each with its line ending. */
function linesOf(content: Buffer): string[] | undefined {
  return isText(content) ? (content.toString().match(/[^\n]+\n?|\n/g) ?? []) : undefined;
}
