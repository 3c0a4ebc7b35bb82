import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, parse, relative, resolve, sep } from 'node:path';
import { DocentError } from '../../platform/errors.ts';
import { joinFile, pageEnding } from '../generators/paths.ts';
import { dayOf } from '../markdown/frontmatter.ts';
import {
  type IncludedFile,
  maxIncludedBytes,
  refusalOf,
  tooLarge,
} from '../includes/include-files.ts';
import { filePages, type FileSettings, isReStructuredText, maxBytes } from './file-pages.ts';
import { maxWordBytes, type WordFile, wordPlaces } from './owner-words.ts';
import { type Globs, isWanted, type PageSource, type SourceRun } from './page-source.ts';

export function createFolderSource(settings: FileSettings): PageSource {
  const { folder } = settings;
  return {
    id: `folder ${folder}`,
    async read(run) {
      const { root } = parse(resolve(folder));
      const unread: string[] = [];
      const files = {
        names: await walkFolder({
          ...settings,
          ...run,
          onUnread: (path) => void unread.push(path),
        }),
        unread,
        folder: joinFile(resolve(folder).slice(root.length).replaceAll(sep, '/')),
        read: (name: string) =>
          readFile(join(folder, name)).catch((cause: unknown) => {
            // Continuing without the file would remove its page from the index.
            throw new DocentError(
              'unavailable',
              `The file ${name} in the docs folder cannot be read.`,
              { cause },
            );
          }),
        modified: async (name: string) =>
          dayOf((await stat(join(folder, name))).mtime.toISOString()),
        // If a file can't be read, it's not a settings file: it may be a folder, or belong to another user.
        readSettings: (path: string) => readFile(join(root, path), 'utf8').catch(() => undefined),
        readIncluded: (paths: readonly string[], below: string) =>
          readIncluded(paths, join(root, below), root),
        repository: await findRepository(resolve(folder), root),
        from: folder,
      };
      const { repository } = files;
      const homes = repository === undefined ? [] : [join(root, repository)];
      const words = await wordsInFolders(new Set([...homes, resolve(folder)]), run);
      return { pages: await filePages(files, settings, run), words };
    },
  };
}

/** Only these folders are read: `.docent` may be the data folder, too. A link out of them isn't followed. */
async function wordsInFolders(
  folders: Iterable<string>,
  run: Pick<SourceRun, 'signal' | 'onWarning'>,
): Promise<WordFile[]> {
  const found: WordFile[] = [];
  const isThere = (path: string) => stat(path).catch(() => undefined);
  for (const home of folders) {
    const own = join(home, '.docent');
    const facts = await isThere(join(own, 'instructions.md'));
    if (facts?.isFile() && facts.size <= maxWordBytes)
      found.push({
        path: 'instructions.md',
        text: await readFile(join(own, 'instructions.md'), 'utf8'),
      });
    for (const place of wordPlaces) {
      if (place.kind === 'instructions' || !(await isThere(join(own, place.folder)))) continue;
      const folder = join(own, place.folder);
      const options = {
        folder,
        include: [place.include],
        ending: /\.md$/,
        maxBytes: maxWordBytes,
        ...run,
      };
      for (const name of await walkFolder(options))
        found.push({
          path: `${place.folder}/${name}`,
          text: await readFile(join(folder, name), 'utf8'),
        });
    }
  }
  return found;
}

/** A checkout ends at its `.git`. Further above, it's something else. */
const maxLevelsAbove = 8;

/** Paths start at `root`, that of the file system. */
export async function findRepository(folder: string, root: string): Promise<string | undefined> {
  let at = folder;
  for (let up = 0; up <= maxLevelsAbove && at !== root; up += 1) {
    const isRepository = await stat(join(at, '.git')).catch(() => undefined);
    if (isRepository) return joinFile(at.slice(root.length).replaceAll(sep, '/'));
    at = dirname(at);
  }
  return undefined;
}

/** Reads files that pages include. A link must stay in the folder, like the name of the file itself. */
async function readIncluded(
  paths: readonly string[],
  folder: string,
  root: string,
): Promise<Map<string, IncludedFile>> {
  const found = new Map<string, IncludedFile>();
  const home = await realpath(folder).catch(() => folder);
  for (const path of paths) {
    const target = await realpath(join(root, path)).catch(() => undefined);
    if (target === undefined) continue;
    const inside = relative(home, target).replaceAll(sep, '/');
    const reason = refusalOf(inside, '');
    const facts = reason === undefined ? await stat(target).catch(() => undefined) : undefined;
    if (reason !== undefined) found.set(path, { reason });
    else if (facts && facts.size > maxIncludedBytes) found.set(path, { reason: tooLarge });
    else if (facts?.isFile()) {
      const bytes = await readFile(target).catch(() => ({ reason: 'it cannot be read' }));
      found.set(path, bytes);
    }
  }
  return found;
}

/** Globs apply to paths below the folder. Without them, all Markdown and MDX files are read. */
export interface WalkOptions extends Globs {
  folder: string;
  /** The files that count; by default, Markdown and MDX. */
  ending?: RegExp;
  maxBytes?: number;
  signal?: AbortSignal | undefined;
  onWarning: (warning: string) => void;
  /** Called with files of documentation that nobody reads here. */
  onUnread?: (path: string) => void;
}

/** Returns the paths of the Markdown and MDX files below a folder, with `/`, in a fixed order. */
export async function walkFolder(options: WalkOptions): Promise<string[]> {
  const { folder, signal, onWarning } = options;
  const root = await realpath(folder).catch((cause: unknown) => {
    throw new DocentError(
      'bad_request',
      `The docs folder ${folder} does not exist or cannot be read.`,
      { cause },
    );
  });
  if (!(await stat(root)).isDirectory()) {
    throw new DocentError(
      'bad_request',
      `The docs folder ${folder} is a file. Name the folder that contains it.`,
    );
  }
  const files: string[] = [];
  const visited = new Set<string>([root]);
  await visit('');
  return files.sort((a, b) => (a < b ? -1 : 1));

  async function visit(below: string): Promise<void> {
    signal?.throwIfAborted();
    const entries = await readdir(join(root, below), { withFileTypes: true }).catch(
      (cause: unknown) => {
        // Continuing without the folder would remove its pages from the index.
        throw new DocentError('unavailable', `The folder ${join(folder, below)} cannot be read.`, {
          cause,
        });
      },
    );
    for (const entry of entries) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      const path = below ? `${below}/${entry.name}` : entry.name;
      if (entry.isSymbolicLink()) await follow(path);
      else if (entry.isDirectory()) await visit(path);
      else if (entry.isFile()) await take(path);
    }
  }

  async function follow(path: string): Promise<void> {
    const target = await realpath(join(root, path)).catch(() => undefined);
    const inside = target === undefined ? '..' : relative(root, target);
    if (
      target === undefined ||
      inside.startsWith('..') ||
      inside.split(sep).some((part) => part.startsWith('.'))
    ) {
      onWarning(`${path}: skipped, because the link leads out of the docs folder.`);
      return;
    }
    if (!(await stat(target)).isDirectory()) return take(path);
    // A link to a folder above would never end.
    if (visited.has(target) || join(root, path).startsWith(target + sep)) return;
    visited.add(target);
    await visit(path);
  }

  async function take(path: string): Promise<void> {
    const isPage = (options.ending ?? pageEnding).test(path);
    if (!(isPage || isReStructuredText(path)) || !isWanted(path, options)) return;
    if (!isPage) return options.onUnread?.(path);
    const { size } = await stat(join(root, path));
    const { maxBytes: most = maxBytes } = options;
    if (size > most) {
      onWarning(`${path}: skipped, because it is larger than ${Math.floor(most / 1_000_000)} MB.`);
    } else files.push(path);
  }
}
