/** A bare repository as a plain store of files, for who keeps something else in step with it. */
import { mkdir } from 'node:fs/promises';
import { DocentError } from '../../../platform/errors.ts';
import { readRef, runGit } from '../../../platform/git/run-git.ts';
import { listTree, openBareTree } from '../bare-tree.ts';
import { createLocalGit } from './git-in-place.ts';
import { writeCommit } from '../write-commit.ts';

export type LocalRepository = Awaited<ReturnType<typeof openLocalRepository>>;

/** Makes it where there is none. Rejects with `unavailable` where git is not installed. */
export async function openLocalRepository(path: string) {
  await mkdir(path, { recursive: true });
  await runGit(['init', '--quiet', '--bare', '--template=', '--initial-branch=main'], {
    repository: path,
    protocols: 'none',
  });
  const git = createLocalGit(path);

  return {
    path,
    tip: (branch: string) => git.tip(branch),

    /** Ids of the plain files of a commit, by their paths. */
    async files(commit: string): Promise<Map<string, string>> {
      const entries = await listTree(git.run, commit);
      return new Map(
        [...entries.values()]
          .filter(({ mode }) => mode.startsWith('100'))
          .map(({ path: file, oid }) => [file, oid]),
      );
    },

    async read(commit: string, paths: readonly string[]): Promise<Map<string, Buffer>> {
      return (await openBareTree(git.run, commit)).read(paths);
    },

    /** A commit on top of another, or the first one; `null` deletes a file. */
    async write(
      parent: string | undefined,
      files: ReadonlyMap<string, Buffer | null>,
      message: string,
    ): Promise<string> {
      const changes = [...files].map(([file, bytes]) => ({
        path: file,
        kind: bytes === null ? ('deleted' as const) : ('modified' as const),
        after: bytes ?? undefined,
      }));
      return writeCommit(git, { parent, changes, message });
    },

    /** Moves a branch; rejects where somebody else was faster. */
    async move(branch: string, from: string | undefined, to: string): Promise<void> {
      if (await git.move({ branch, from, to })) return;
      throw new DocentError('conflict', `The branch ${branch} was moved by somebody else.`);
    },

    /** A commit that is remembered beside the branches. */
    marked: (name: string): Promise<string | undefined> =>
      readRef(path, `refs/docent/${name}`, { git: git.run }),

    async mark(name: string, commit: string): Promise<void> {
      await git.run(['update-ref', `refs/docent/${name}`, commit]);
    },
  };
}
