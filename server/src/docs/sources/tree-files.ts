import { insideOf, joinFile, pageEnding } from '../generators/paths.ts';
import { type Files, type FileSettings, isReStructuredText, maxBytes } from './file-pages.ts';
import { isWanted, type SourceRun } from './page-source.ts';

/** The files of one state of a repository, by their paths from its root. */
export interface TreeFiles {
  paths(): Iterable<string>;
  has(path: string): boolean;
  read(paths: readonly string[], signal?: AbortSignal): Promise<Map<string, Buffer>>;
}

export async function filesOfTree(
  tree: TreeFiles,
  settings: FileSettings,
  { signal, onWarning }: Pick<SourceRun, 'signal' | 'onWarning'>,
): Promise<Files> {
  const folder = joinFile(settings.folder);
  const below = [...tree.paths()]
    .flatMap((path) => insideOf(path, folder) ?? [])
    // Hidden files and installed packages are not documentation.
    .filter((path) => path.split('/').every((part) => !/^\.|^node_modules$/.test(part)))
    .filter((path) => isWanted(path, settings))
    .toSorted();
  const wanted = below.filter((path) => pageEnding.test(path));
  const read = (paths: readonly string[]) =>
    tree.read(
      paths.filter((path) => tree.has(path)),
      signal,
    );
  const bytes = await read(wanted.map((name) => joinFile(folder, name)));
  const bytesOf = (name: string) => bytes.get(joinFile(folder, name)) ?? Buffer.alloc(0);
  return {
    names: wanted.filter((name) => {
      const isLarge = bytesOf(name).length > maxBytes;
      if (isLarge) onWarning(`${name}: skipped, because it is larger than 2 MB.`);
      return !isLarge;
    }),
    unread: below.filter(isReStructuredText),
    folder,
    read: (name) => Promise.resolve(bytesOf(name)),
    modified: () => Promise.resolve(undefined),
    readSettings: async (path) => (await read([path])).get(path)?.toString('utf8'),
    readIncluded: read,
    // Links and submodules are not among the files of the commit.
    repository: '',
    from: settings.folder || 'the repository',
  };
}
