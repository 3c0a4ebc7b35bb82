/**
 * The files that a job reads and edits: the tree of a commit with the job's edits on top. Nothing is on disk,
 * so no path, link or git setting can lead anywhere else.
 */
import { createAccess, type Denial } from './access.ts';
import {
  editText,
  lineEndingOf,
  overwrite,
  toBytes,
  toPlain,
  toTextFile,
  withEnding,
} from './text-file.ts';
import { checkPath, FileError, shownPath } from './paths.ts';
import { compileGlob } from './globs.ts';
import { createOverlay, type SavedEdit } from './overlay.ts';
import type { PathPolicy } from './path-policy.ts';
import { searchText, type SearchOptions, type SearchResult } from './search-text.ts';
import { type DocsFiles, docsFilesOf, type FileChange, type Tree } from './tree.ts';

export type { SavedEdit } from './overlay.ts';

export interface ReadText {
  /** Lines end with one newline, whatever they end with in the file. */
  text: string;
  firstLine: number;
  lastLine: number;
  /** Lines of the whole file. */
  lines: number;
}

export type FileSet = ReturnType<typeof createFileSet>;

export function createFileSet(options: {
  tree: Tree;
  policy: PathPolicy;
  edits?: readonly SavedEdit[];
  signal?: AbortSignal;
}) {
  const { tree, policy, signal } = options;
  const overlay = createOverlay(tree, options.edits ?? [], signal);
  const access = createAccess({ tree, overlay, policy });

  return {
    /** Refused paths that the agent must not read or write. */
    denied: access.denied satisfies readonly Denial[],

    list(glob?: string): string[] {
      const fits = glob === undefined ? () => true : compileGlob(glob);
      const found: string[] = [];
      for (const path of overlay.live())
        if (fits(path) && policy.isReadable(path)) found.push(path);
      return found.toSorted();
    },

    search(query: string, options: SearchOptions = {}): Promise<SearchResult> {
      return searchText(query, this.list(options.glob), options, overlay.contents, signal);
    },

    async read(
      path: string,
      range: { from?: number | undefined; to?: number | undefined } = {},
    ): Promise<ReadText> {
      const plain = toPlain((await readText(access.readable(path))).text);
      const all = plain.split('\n');
      const lines = all.at(-1) === '' ? all.length - 1 : all.length;
      const from = range.from ?? 1;
      if (from > 1 && from > lines) {
        throw new FileError(`${shownPath(path)} has only ${lines} lines.`);
      }
      const first = Math.max(1, from);
      const last = Math.min(lines, Math.max(first, range.to ?? lines));
      const text = first === 1 && last === lines ? plain : all.slice(first - 1, last).join('\n');
      return { text, firstLine: first, lastLine: last, lines };
    },

    /** Creates a file, or replaces the whole text of an existing one. */
    async write(path: string, text: string): Promise<{ isNew: boolean }> {
      if (access.isThere(path)) {
        const name = access.writable(path);
        const file = await readText(name);
        overlay.put(name, toBytes(name, { ...file, text: overwrite(file.text, text) }));
        return { isNew: false };
      }
      const name = access.creatable(path);
      const plain = toPlain(text.replace(/^\uFEFF/, ''));
      const ended = plain === '' || plain.endsWith('\n') ? plain : `${plain}\n`;
      const ending = await endingFor(name);
      overlay.put(name, toBytes(name, { hasMark: false, text: withEnding(ended, ending) }));
      return { isNew: true };
    },

    /** Replaces a passage that occurs exactly once, or all occurrences. `line`: of the first one. */
    async edit(
      path: string,
      oldText: string,
      newText: string,
      options: { replaceAll?: boolean | undefined } = {},
    ): Promise<{ count: number; line: number }> {
      const name = access.writable(path);
      const file = await readText(name);
      const isEverywhere = options.replaceAll ?? false;
      const { text, ...place } = editText(name, file.text, { oldText, newText, isEverywhere });
      overlay.put(name, toBytes(name, { ...file, text }));
      return place;
    },

    /** Takes back all edits of a file. */
    reset: (path: string): void => overlay.reset(checkPath(path)),

    async move(from: string, to: string): Promise<void> {
      const source = access.writable(from);
      const bytes = (await overlay.contents([source])).get(source);
      if (!bytes) throw access.missing(source);
      const before = overlay.editOf(source);
      const movedFrom = before?.movedFrom ?? (overlay.isInTree(source) ? source : null);
      overlay.drop(source);
      try {
        const target = access.creatable(to);
        overlay.put(target, bytes, movedFrom === target ? null : movedFrom);
      } catch (error) {
        overlay.restore(source, before);
        throw error;
      }
    },

    delete(path: string): void {
      overlay.drop(access.writable(path));
    },

    /** All changes to the repository, without files that are as they were. */
    changes: (): Promise<FileChange[]> => overlay.changes(),

    save: (): SavedEdit[] => overlay.save(),

    /** All plain files with the edits, for the checks, including those that the agent can't read. */
    view: (): DocsFiles => ({
      paths: overlay.live,
      has: overlay.isLive,
      read: overlay.contents,
    }),

    original: (): DocsFiles => docsFilesOf(tree, signal),
  };

  async function readText(path: string) {
    const bytes = (await overlay.contents([path])).get(path);
    if (!bytes) throw access.missing(path);
    return toTextFile(path, bytes);
  }

  /** The line ending of a neighboring file of the same kind. */
  async function endingFor(path: string) {
    const neighbour = overlay.neighbour(path);
    if (neighbour === undefined || !policy.isReadable(neighbour)) return '\n';
    const bytes = (await overlay.contents([neighbour])).get(neighbour);
    return (bytes && lineEndingOf(bytes.toString('latin1'))) ?? '\n';
  }
}
