/**
 * The files that one job reads and edits: the tree of a commit with the job's edits laid over it. Nothing
 * stands on a disk, so that no path, link or setting of git can lead anywhere else.
 */
import { createByteCache } from './byte-cache.ts';
import { FileError } from './file-error.ts';
import { compileGlob } from './globs.ts';
import type { PathPolicy } from './path-policy.ts';
import { createPathIndex } from './path-index.ts';
import { checkNewPath, checkPath, shownPath } from './paths.ts';
import { searchText, type SearchOptions, type SearchResult } from './search-text.ts';
import { editText } from './edit-text.ts';
import { lineEndingOf, overwrite, toBytes, toPlain, toTextFile, withEnding } from './text-file.ts';
import { type DocsFiles, docsFilesOf, type FileChange, isPlainFile, type Tree } from './tree.ts';

/** An edit as it is stored with the job. */
export interface SavedEdit {
  path: string;
  /** `null`: deleted. */
  content: Buffer | null;
  movedFrom: string | null;
}

export interface Denial {
  path: string;
  reason: string;
}

export interface ReadText {
  /** Lines end with one newline, whatever they end with in the file. */
  text: string;
  firstLine: number;
  lastLine: number;
  /** Of the whole file. */
  lines: number;
}

export type FileSet = ReturnType<typeof createFileSet>;

const maxEditedBytes = 32 * 1024 * 1024;
const cacheBytes = 32 * 1024 * 1024;

export function createFileSet(parts: {
  tree: Tree;
  policy: PathPolicy;
  /** Of an earlier run of the same job. */
  edits?: readonly SavedEdit[];
  signal?: AbortSignal;
}) {
  const { tree, policy, signal } = parts;
  const edits = new Map<string, SavedEdit>();
  for (const edit of parts.edits ?? []) edits.set(edit.path, edit);
  const cache = createByteCache(cacheBytes);
  const denied: Denial[] = [];
  // Folding 100,000 paths takes its time, and a job that only reads does not need it.
  let index: ReturnType<typeof createPathIndex> | undefined;
  const places = () => (index ??= createPathIndex(occupied()));

  return {
    /** What was refused because it leads where the agent must not write or read. */
    denied: denied as readonly Denial[],

    /** Paths of the files that the agent may read, in order. */
    list(glob?: string): string[] {
      const fits = glob === undefined ? () => true : compileGlob(glob);
      const found: string[] = [];
      for (const path of live()) if (policy.isReadable(path) && fits(path)) found.push(path);
      return found.toSorted();
    },

    search(query: string, options: SearchOptions = {}): Promise<SearchResult> {
      return searchText(query, this.list(options.glob), options, contents, signal);
    },

    /** The lines from one to another, both included. */
    async read(path: string, range: { from?: number; to?: number } = {}): Promise<ReadText> {
      const plain = toPlain((await readText(existing(path))).text);
      const all = plain.split('\n');
      const lines = all.at(-1) === '' ? all.length - 1 : all.length;
      const from = range.from ?? 1;
      if (from > 1 && from > lines) {
        throw new FileError('missing', `${shownPath(path)} has only ${lines} lines.`);
      }
      const first = Math.max(1, from);
      const last = Math.min(lines, Math.max(first, range.to ?? lines));
      const text = first === 1 && last === lines ? plain : all.slice(first - 1, last).join('\n');
      return { text, firstLine: first, lastLine: last, lines };
    },

    /** Makes a file, or puts a text in the place of all of an existing one. */
    async write(path: string, text: string): Promise<{ isNew: boolean }> {
      const known = isLive(checked(path));
      const name = known ? writable(path) : creatable(path);
      if (known) {
        const file = await readText(name);
        put(name, toBytes(name, { ...file, text: overwrite(file.text, text) }));
      } else {
        const plain = toPlain(text.replace(/^\uFEFF/, ''));
        const ended = plain === '' || plain.endsWith('\n') ? plain : `${plain}\n`;
        const ending = await usualEnding(name);
        put(name, toBytes(name, { hasMark: false, text: withEnding(ended, ending) }));
      }
      return { isNew: !known };
    },

    /** Replaces a passage that stands there exactly once, or all of them. */
    async edit(
      path: string,
      oldText: string,
      newText: string,
      options: { replaceAll?: boolean } = {},
    ): Promise<{ count: number }> {
      const name = writable(path);
      const file = await readText(name);
      const isEverywhere = options.replaceAll ?? false;
      const { text, count } = editText(name, file.text, { oldText, newText, isEverywhere });
      put(name, toBytes(name, { ...file, text }));
      return { count };
    },

    /** Also of a file that is not text. */
    async move(from: string, to: string): Promise<void> {
      const source = writable(from);
      const bytes = (await contents([source])).get(source);
      if (!bytes) throw missing(source);
      const movedFrom = edits.get(source)?.movedFrom ?? (isInTree(source) ? source : null);
      const before = edits.get(source);
      drop(source);
      try {
        const target = creatable(to);
        put(target, bytes, movedFrom === target ? null : movedFrom);
      } catch (error) {
        restore(source, before);
        throw error;
      }
    },

    delete(path: string): void {
      drop(writable(path));
    },

    /** What becomes of the repository, file by file; what is again as it was is not among them. */
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

    /** All plain files of the repository with the edits, for the checks: also those that the agent may not read. */
    view(): DocsFiles {
      return {
        paths: live,
        has: isLive,
        read: contents,
      };
    },

    /** As it was before any edit. */
    original: (): DocsFiles => docsFilesOf(tree, signal),
  };

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

  /** Also links and submodules: nothing can be put in their place. */
  function* occupied(): Generator<string> {
    for (const entry of tree.entries.values()) {
      if (!isPlainFile(entry)) yield entry.path;
    }
    yield* live();
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
        cache.set(path, bytes);
        found.set(path, bytes);
      }
    }
    return found;
  }

  async function readText(path: string) {
    const bytes = (await contents([path])).get(path);
    if (!bytes) throw missing(path);
    return toTextFile(path, bytes);
  }

  /** What is refused for where it leads is remembered: somebody may have told the model to try. */
  function refuse(error: FileError, path: string): FileError {
    const shown = path.slice(0, 300);
    if (denied.length < 1000) denied.push({ path: shown, reason: error.message });
    return error;
  }

  function checked(path: string): string {
    try {
      return checkPath(path);
    } catch (error) {
      throw error instanceof FileError ? refuse(error, path) : error;
    }
  }

  /** A plain file that is there and may be read. */
  function existing(path: string): string {
    const name = checked(path);
    if (!isLive(name)) throw missing(name);
    if (policy.isReadable(name)) return name;
    const { kind, reason } = policy.judge(name);
    throw refuse(
      kind === 'outside'
        ? new FileError('outside', `${shownPath(name)} is ${reason}, and not for you to read.`)
        : new FileError('private', `${shownPath(name)} may hold secrets and is not shown.`),
      name,
    );
  }

  function writable(path: string): string {
    const name = checked(path);
    if (!isLive(name)) throw missing(name);
    assertOpen(name);
    return existing(name);
  }

  function creatable(path: string): string {
    const name = checked(path);
    const entry = tree.entries.get(name);
    if (entry && !isPlainFile(entry)) throw linkError(name, name);
    // A file that was there before may come back under its name, whatever that is.
    if (!isInTree(name)) {
      try {
        checkNewPath(name);
      } catch (error) {
        throw error instanceof FileError ? refuse(error, path) : error;
      }
    }
    assertOpen(name);
    if (!policy.isReadable(name)) {
      throw refuse(
        new FileError('private', `${shownPath(name)} has the name of a file with secrets.`),
        name,
      );
    }
    if (isLive(name)) {
      throw new FileError('conflict', `${shownPath(name)} exists already; choose another path.`);
    }
    const other = places().conflict(name);
    if (other) {
      const otherEntry = tree.entries.get(other.path);
      if (!other.isFolder && otherEntry && !isPlainFile(otherEntry)) {
        throw linkError(name, other.path);
      }
      throw new FileError(
        'conflict',
        other.isFolder
          ? `${shownPath(name)} cannot be a file: there is the folder ${shownPath(other.path)}. Spell folders exactly as they are.`
          : `${shownPath(name)} cannot be made beside the file ${shownPath(other.path)}: they would be the same on some systems.`,
      );
    }
    return name;
  }

  function assertOpen(path: string): void {
    const { kind, reason } = policy.judge(path);
    if (kind === 'outside') {
      throw refuse(
        new FileError(
          'outside',
          `${shownPath(path)} is ${reason}. Only the documentation${policy.root === '' ? '' : ` in "${policy.root}"`} can be changed.`,
        ),
        path,
      );
    }
    if (kind === 'protected' && policy.onProtected === 'block') {
      throw refuse(
        new FileError(
          'protected',
          `${shownPath(path)} is ${reason} and protected in this project. Leave it as it is, and say in the end what somebody would have to change there.`,
        ),
        path,
      );
    }
  }

  function linkError(path: string, at: string): FileError {
    const what =
      tree.entries.get(at)?.mode === '160000' ? 'a submodule' : 'a link to another place';
    const where =
      path === at ? `${shownPath(path)} is ${what}` : `${shownPath(at)} on the way is ${what}`;
    return refuse(
      new FileError('link', `${where}; it is neither followed, read nor written.`),
      path,
    );
  }

  function missing(path: string): FileError {
    for (let at = path.length; at > 0; at = path.lastIndexOf('/', at - 1)) {
      const step = path.slice(0, at);
      const entry = tree.entries.get(step);
      if (entry && !isPlainFile(entry)) return linkError(path, step);
    }
    if (edits.get(path)?.content === null) {
      return new FileError('missing', `${shownPath(path)} was deleted or moved by you.`);
    }
    if (places().isFolder(path)) {
      return new FileError(
        'missing',
        `${shownPath(path)} is a folder; list it, then name one of its files.`,
      );
    }
    const near = nearPaths(path);
    return new FileError(
      'missing',
      `There is no file ${shownPath(path)}.${near.length > 0 ? ` Do you mean ${near.map(shownPath).join(' or ')}?` : ' List the files to see which there are.'}`,
    );
  }

  /** Another spelling, or a file of the same name elsewhere. */
  function nearPaths(path: string): string[] {
    const other = places().otherSpelling(path);
    if (other !== undefined && policy.isReadable(other)) return [other];
    const stem = (one: string) =>
      one
        .slice(one.lastIndexOf('/') + 1)
        .replace(/\.[^.]*$/, '')
        .toLowerCase();
    const wanted = stem(path);
    const found: string[] = [];
    for (const one of live()) {
      if (stem(one) === wanted && policy.isReadable(one)) found.push(one);
      if (found.length === 3) break;
    }
    return found;
  }

  /** As the neighbours of the same kind have it. */
  async function usualEnding(path: string) {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    const extension = /\.[^./]*$/.exec(path)?.[0] ?? '';
    for (const one of live()) {
      const isNeighbour =
        one.startsWith(folder) &&
        one.endsWith(extension) &&
        !one.includes('/', folder.length) &&
        policy.isReadable(one);
      if (!isNeighbour) continue;
      const bytes = (await contents([one])).get(one);
      const ending = bytes && lineEndingOf(bytes.toString('latin1'));
      if (ending) return ending;
    }
    return '\n';
  }

  function put(path: string, content: Buffer, movedFrom = edits.get(path)?.movedFrom ?? null) {
    let total = content.length;
    for (const edit of edits.values()) {
      if (edit.path !== path) total += edit.content?.length ?? 0;
    }
    if (total > maxEditedBytes) {
      throw new FileError(
        'too-large',
        `All changes together are larger than ${maxEditedBytes / 1024 / 1024} MB; change less.`,
      );
    }
    if (!isLive(path)) index?.add(path);
    edits.set(path, { path, content, movedFrom });
  }

  function drop(path: string): void {
    index?.remove(path);
    if (isInTree(path)) edits.set(path, { path, content: null, movedFrom: null });
    else edits.delete(path);
  }

  function restore(path: string, edit: SavedEdit | undefined): void {
    index?.add(path);
    if (edit) edits.set(path, edit);
    else edits.delete(path);
  }
}
