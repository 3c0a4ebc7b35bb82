/** All paths and folders of a file set by the names that case-insensitive file systems see. A change takes the same time for 100,000 paths as for ten. */
import { fold } from './paths.ts';

interface IndexedPath {
  /** The spelling in the repository. */
  path: string;
  isFolder: boolean;
  /** One for a file; for a folder, the files in it at any depth. */
  files: number;
}

export type PathIndex = ReturnType<typeof createPathIndex>;

export function createPathIndex(paths: Iterable<string>) {
  const byName = new Map<string, IndexedPath[]>();
  let folder = '';
  let chain: IndexedPath[] = [];
  for (const path of paths) add(path);

  return {
    add,
    remove(path: string): void {
      for (const [step, isFolder] of stepsOf(path)) {
        const list = byName.get(fold(step)) ?? [];
        const entry = list.find((one) => one.path === step && one.isFolder === isFolder);
        if (entry) entry.files -= 1;
      }
    },

    /** What prevents a file with this path: another spelling, a folder of the same name, or a file where it needs a folder. */
    conflict(path: string): { path: string; isFolder: boolean } | undefined {
      for (const [step, isFolder] of stepsOf(path)) {
        const other = byName
          .get(fold(step))
          ?.find((one) => one.files > 0 && (one.path !== step || one.isFolder !== isFolder));
        if (other) return { path: other.path, isFolder: other.isFolder };
      }
      return undefined;
    },

    isFolder: (path: string): boolean =>
      path === '' ||
      (byName.get(fold(path))?.some((one) => one.path === path && one.isFolder && one.files > 0) ??
        false),

    /** An existing file whose path differs only in spelling. */
    otherSpelling: (path: string): string | undefined =>
      byName.get(fold(path))?.find((one) => one.files > 0 && !one.isFolder)?.path,
  };

  function add(path: string): void {
    const parent = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    if (parent !== folder || chain.length === 0) {
      folder = parent;
      chain = stepsOf(path)
        .filter(([, isFolder]) => isFolder)
        .map(([step]) => indexedPath(step, true));
    }
    for (const entry of chain) entry.files += 1;
    indexedPath(path, false).files += 1;
  }

  function indexedPath(path: string, isFolder: boolean): IndexedPath {
    const key = fold(path);
    const list = byName.get(key);
    const found = list?.find((one) => one.path === path && one.isFolder === isFolder);
    if (found) return found;
    const entry = { path, isFolder, files: 0 };
    if (list) list.push(entry);
    else byName.set(key, [entry]);
    return entry;
  }
}

/** `a/b/c`: the folders `a` and `a/b`, then the file. */
function stepsOf(path: string): [step: string, isFolder: boolean][] {
  const steps: [string, boolean][] = [];
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
    steps.push([path.slice(0, at), true]);
  }
  steps.push([path, false]);
  return steps;
}
