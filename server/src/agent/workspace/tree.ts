/** Git's modes: a plain file, an executable, a link, a submodule. */
export type EntryMode = '100644' | '100755' | '120000' | '160000';

export interface TreeEntry {
  path: string;
  mode: EntryMode;
  oid: string;
}

/** The files of a commit. Nothing is checked out, and links aren't followed. */
export interface Tree {
  commit: string;
  entries: ReadonlyMap<string, TreeEntry>;
  /** Contents of plain files; those that are not on this machine yet are fetched together. Paths that are no plain file are left out. */
  read(paths: readonly string[], signal?: AbortSignal): Promise<Map<string, Buffer>>;
}

/** The change of one path. A move is a deletion and an addition with `from`. */
export interface FileChange {
  path: string;
  kind: 'added' | 'modified' | 'deleted';
  /** The earlier path of a moved file. */
  from?: string;
  /** `undefined`: the file is new. */
  before: Buffer | undefined;
  /** `undefined`: the file is deleted. */
  after: Buffer | undefined;
}

/** The files of one state, as far as a reader of them needs to know: a commit, or a commit with edits laid over it. */
export interface DocsFiles {
  paths(): Iterable<string>;
  has(path: string): boolean;
  /** Contents of plain files; others are left out. */
  read(paths: readonly string[], signal?: AbortSignal): Promise<Map<string, Buffer>>;
}

export function isPlainFile(entry: TreeEntry | undefined): boolean {
  return entry?.mode === '100644' || entry?.mode === '100755';
}

/** The files of a commit as they are, before anything is edited. */
export function docsFilesOf(tree: Tree, signal?: AbortSignal): DocsFiles {
  return {
    *paths() {
      for (const entry of tree.entries.values()) if (isPlainFile(entry)) yield entry.path;
    },
    has: (path) => isPlainFile(tree.entries.get(path)),
    read: (paths, own = signal) => tree.read(paths, own),
  };
}

export function foldersOf(paths: Iterable<string>): Set<string> {
  const found = new Set<string>();
  for (const path of paths) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end);
      if (found.has(folder)) break;
      found.add(folder);
    }
  }
  return found;
}

/** What differs between two commits, by path. Of more than `most` files, the contents of the others aren't read. */
export async function changesBetween(
  from: Tree,
  to: Tree,
  { most = Infinity, signal }: { most?: number; signal?: AbortSignal } = {},
): Promise<FileChange[]> {
  const oidOf = (tree: Tree, path: string) => {
    const entry = tree.entries.get(path);
    return isPlainFile(entry) ? entry?.oid : undefined;
  };
  const paths = [...new Set([...from.entries.keys(), ...to.entries.keys()])]
    .filter((path) => oidOf(from, path) !== oidOf(to, path))
    .toSorted();
  const some = paths.slice(0, most);
  const [old, now] = [await from.read(some, signal), await to.read(some, signal)];
  return paths.map((path) => {
    const isNew = oidOf(from, path) === undefined;
    const kind = isNew ? 'added' : oidOf(to, path) === undefined ? 'deleted' : 'modified';
    return { path, kind, before: old.get(path), after: now.get(path) };
  });
}
