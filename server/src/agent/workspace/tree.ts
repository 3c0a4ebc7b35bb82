/** Mode of git: a plain file, one that may be run, a link, a submodule. */
export type EntryMode = '100644' | '100755' | '120000' | '160000';

export interface TreeEntry {
  path: string;
  mode: EntryMode;
  /** Id of the contents. */
  oid: string;
}

/** The files of one commit. Nothing is checked out: contents are read by name, links are not followed. */
export interface Tree {
  commit: string;
  entries: ReadonlyMap<string, TreeEntry>;
  /** Contents of plain files; those that are not on this machine yet are fetched together. Paths that are no plain file are left out. */
  read(paths: readonly string[], signal?: AbortSignal): Promise<Map<string, Buffer>>;
}

/** What becomes of one path. A file that is moved is one deletion and one addition with `from`. */
export interface FileChange {
  path: string;
  kind: 'added' | 'modified' | 'deleted';
  /** Where an added file was before. */
  from?: string;
  /** `undefined`: there was nothing. */
  before: Buffer | undefined;
  /** `undefined`: it is deleted. */
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
