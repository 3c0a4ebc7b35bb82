/** Paths and folders by the names that case-insensitive file systems see. It is made once: folding 100,000 paths takes time. */
import { fold } from './paths.ts';

export interface IndexedPath {
  /** The spelling in the repository. */
  path: string;
  isFolder: boolean;
}

export type PathIndex = ReturnType<typeof createPathIndex>;

/** `exists`: paths that were deleted or moved stay in the index. */
export function createPathIndex(paths: Iterable<string>, exists: (step: IndexedPath) => boolean) {
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
