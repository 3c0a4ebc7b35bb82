/** The files of a commit in a bare repository that has all of them; nothing is checked out. */
import { type EntryMode, isPlainFile, type Tree, type TreeEntry } from '../workspace/tree.ts';
import { readBlobs, type RunOnRepository } from '../../platform/git/run-git.ts';

export async function openBareTree(
  git: RunOnRepository,
  commit: string,
  signal?: AbortSignal,
): Promise<Tree> {
  const entries = await listTree(git, commit, signal);
  return {
    commit,
    entries,
    async read(paths, readSignal) {
      return readPaths(entries, paths, (oids) => readBlobs(git, oids, readSignal));
    },
  };
}

/** Contents of the plain files among those paths. */
export async function readPaths(
  entries: Tree['entries'],
  paths: readonly string[],
  readOids: (oids: readonly string[]) => Promise<Map<string, Buffer>>,
): Promise<Map<string, Buffer>> {
  const wanted = paths.flatMap((path) => {
    const entry = entries.get(path);
    return entry && isPlainFile(entry) ? [{ path, oid: entry.oid }] : [];
  });
  const blobs = await readOids(wanted.map(({ oid }) => oid));
  return new Map(
    wanted.flatMap(({ path, oid }) => {
      const bytes = blobs.get(oid);
      return bytes ? [[path, bytes] as const] : [];
    }),
  );
}

/** All entries of a commit except folders. */
export async function listTree(
  git: RunOnRepository,
  commit: string,
  signal?: AbortSignal,
): Promise<Map<string, TreeEntry>> {
  const listed = await git(['ls-tree', '-r', '-z', '--full-tree', commit], { signal });
  const entries = new Map<string, TreeEntry>();
  for (const line of listed.toString().split('\0')) {
    const [, mode = '', oid = '', path = ''] =
      /^(\d{6}) [a-z]+ ([\da-f]+)\t([\s\S]*)$/.exec(line) ?? [];
    if (path !== '') entries.set(path, { path, mode: mode as EntryMode, oid });
  }
  return entries;
}
