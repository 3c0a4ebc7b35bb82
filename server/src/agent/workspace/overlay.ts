/** The tree of a commit with edits on top: which files exist, their contents, and the changes. */
import { createLru } from '../../platform/lru.ts';
import { FileError, fold } from './paths.ts';
import { type FileChange, isPlainFile, type Tree } from './tree.ts';

/** An edit as it is stored with the job. */
export interface SavedEdit {
  path: string;
  /** `null`: deleted. */
  content: Buffer | null;
  movedFrom: string | null;
}

export type Overlay = ReturnType<typeof createOverlay>;

const maxEditedBytes = 32 * 1024 * 1024;
const cacheBytes = 32 * 1024 * 1024;
const maxKept = 50;

export function createOverlay(tree: Tree, saved: readonly SavedEdit[], signal?: AbortSignal) {
  const edits = new Map<string, SavedEdit>();
  for (const edit of saved) edits.set(edit.path, edit);
  /** Contents of files that were read, so that an edit doesn't fetch them again. */
  const cache = createLru<string, Buffer>(cacheBytes, ({ length }) => length);
  let editedBytes = 0;
  for (const { content } of saved) editedBytes += content?.length ?? 0;
  /** Made on first use: a job that only reads doesn't need it. */
  let index: PathIndex | undefined;

  return {
    isInTree,
    isLive,
    live,
    contents,
    editOf: (path: string): SavedEdit | undefined => edits.get(path),
    /** All existing paths, by the names that case-insensitive file systems see. */
    pathIndex: (): PathIndex => (index ??= createPathIndex(occupied(), exists)),
    isFolder,

    put(path: string, content: Buffer, movedFrom = edits.get(path)?.movedFrom ?? null): void {
      const bytes = editedBytes - sizeOf(path) + content.length;
      if (bytes > maxEditedBytes) {
        throw new FileError(
          `All changes together are larger than ${maxEditedBytes / 1024 / 1024} MB; change less.`,
        );
      }
      index?.add(path);
      editedBytes = bytes;
      edits.set(path, { path, content, movedFrom });
    },

    drop(path: string): void {
      editedBytes -= sizeOf(path);
      if (isInTree(path)) edits.set(path, { path, content: null, movedFrom: null });
      else edits.delete(path);
    },

    /** The file is as it is in the tree. */
    reset(path: string): void {
      editedBytes -= sizeOf(path);
      edits.delete(path);
    },

    /** Undoes `drop`. */
    restore(path: string, edit: SavedEdit | undefined): void {
      if (edit) edits.set(path, edit);
      else edits.delete(path);
      editedBytes += sizeOf(path);
    },

    neighbour(path: string): string | undefined {
      const kind = kindOf(path);
      for (const other of live()) if (kindOf(other) === kind) return other;
      return undefined;
    },

    async changes(): Promise<FileChange[]> {
      const old = await tree.read([...edits.keys()].filter(isInTree), signal);
      const changed: FileChange[] = [];
      for (const { path, content, movedFrom } of edits.values()) {
        const before = old.get(path);
        if (content === null) {
          if (before) changed.push({ path, kind: 'deleted', before, after: undefined });
        } else if (!before) {
          const isMove = movedFrom !== null && edits.get(movedFrom)?.content === null;
          changed.push({
            path,
            kind: 'added',
            ...(isMove && { from: movedFrom }),
            before: undefined,
            after: content,
          });
        } else if (!before.equals(content)) {
          changed.push({ path, kind: 'modified', before, after: content });
        }
      }
      return changed.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    },

    save: (): SavedEdit[] => [...edits.values()],
  };

  function sizeOf(path: string): number {
    return edits.get(path)?.content?.length ?? 0;
  }

  function isInTree(path: string): boolean {
    return isPlainFile(tree.entries.get(path));
  }

  function isLive(path: string): boolean {
    const edit = edits.get(path);
    return edit ? edit.content !== null : isInTree(path);
  }

  function* live(): Generator<string> {
    for (const entry of tree.entries.values()) {
      if (isPlainFile(entry) && !edits.has(entry.path)) yield entry.path;
    }
    for (const { path, content } of edits.values()) if (content !== null) yield path;
  }

  /** Includes links and submodules: no file can take their place. */
  function* occupied(): Generator<string> {
    for (const entry of tree.entries.values()) if (!isPlainFile(entry)) yield entry.path;
    yield* live();
  }

  function isFolder(path: string): boolean {
    if (path === '') return true;
    for (const one of occupied()) if (one.startsWith(`${path}/`)) return true;
    return false;
  }

  function exists(step: { path: string; isFolder: boolean }): boolean {
    if (step.isFolder) return isFolder(step.path);
    const entry = tree.entries.get(step.path);
    return isLive(step.path) || (entry !== undefined && !isPlainFile(entry));
  }

  async function contents(paths: readonly string[]): Promise<Map<string, Buffer>> {
    const found = new Map<string, Buffer>();
    const wanted: string[] = [];
    for (const path of paths) {
      const edit = edits.get(path);
      const known = edit ? edit.content : cache.get(path);
      if (known) found.set(path, known);
      else if (!edit && isInTree(path)) wanted.push(path);
    }
    if (wanted.length > 0) {
      for (const [path, bytes] of await tree.read(wanted, signal)) {
        found.set(path, bytes);
        // Don't cache a search through everything: it would evict the files that are worked on.
        if (wanted.length <= maxKept) cache.set(path, bytes);
      }
    }
    return found;
  }
}

function kindOf(path: string): string {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  return `${folder}\0${/\.[^./]*$/.exec(path)?.[0] ?? ''}`;
}

interface IndexedPath {
  /** The spelling in the repository. */
  path: string;
  isFolder: boolean;
}

type PathIndex = ReturnType<typeof createPathIndex>;

/**
 * Paths and folders by the names that case-insensitive file systems see. `exists`: paths that were deleted
 * or moved stay in the index. It is made once: folding 100,000 paths takes time.
 */
function createPathIndex(paths: Iterable<string>, exists: (step: IndexedPath) => boolean) {
  const byName = new Map<string, IndexedPath[]>();
  for (const path of paths) add(path);
  const at = (path: string) => byName.get(fold(path)) ?? [];

  return {
    add,

    /** What prevents a file with this path: another spelling, a folder of the same name, or a file where it needs a folder. */
    conflict(path: string): IndexedPath | undefined {
      for (const step of stepsOf(path)) {
        const other = at(step.path).find((one) => !isSame(one, step) && exists(one));
        if (other) return other;
      }
      return undefined;
    },

    /** An existing file whose path differs only in spelling. */
    otherSpelling: (path: string): string | undefined =>
      at(path).find((one) => !one.isFolder && exists(one))?.path,
  };

  function add(path: string): void {
    for (const step of stepsOf(path).toReversed()) {
      const name = fold(step.path);
      const known = byName.get(name);
      // Its folders are known too.
      if (known?.some((one) => isSame(one, step))) return;
      if (known) known.push(step);
      else byName.set(name, [step]);
    }
  }
}

const isSame = (one: IndexedPath, other: IndexedPath) =>
  one.path === other.path && one.isFolder === other.isFolder;

/** `a/b/c`: the folders `a` and `a/b`, then the file. */
function stepsOf(path: string): IndexedPath[] {
  const steps: IndexedPath[] = [];
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
    steps.push({ path: path.slice(0, at), isFolder: true });
  }
  return [...steps, { path, isFolder: false }];
}
