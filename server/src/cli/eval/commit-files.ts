/** The files of a commit of a checkout on this machine, read from its objects: nothing is checked out. */
import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DocentError } from '../../platform/errors.ts';
import { GitError, readBlobs, type RunOnRepository, runGit } from '../../platform/git/run-git.ts';

export async function findCheckout(folder: string): Promise<string | undefined> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (await stat(join(at, '.git')).catch(() => undefined)) return at;
    if (at === dirname(at)) return undefined;
  }
}

export async function openCommit(checkout: string, ref: string) {
  const run: RunOnRepository = (args, options = {}) =>
    runGit(args, { repository: join(checkout, '.git'), protocols: 'none', ...options });
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
  const named = await run(args).catch((error: unknown) => {
    if (!(error instanceof GitError)) throw error;
    throw new DocentError(
      'bad_request',
      `There is no commit ${ref} in ${checkout}. If your CI fetches the newest commit only, let it fetch the others too.`,
    );
  });
  // Git repeats the option on some versions.
  const commit = named.toString().trim().split('\n').at(-1) ?? '';
  const listed = await run(['ls-tree', '-r', '-z', '--full-tree', commit]);
  const oids = new Map(
    listed
      .toString()
      .split('\0')
      .flatMap((line): [string, string][] => {
        const [, oid = '', path = ''] = /^100\d{3} blob ([\da-f]+)\t([\s\S]*)$/.exec(line) ?? [];
        return path ? [[path, oid]] : [];
      }),
  );
  return {
    commit,
    paths: () => oids.keys(),
    has: (path: string) => oids.has(path),
    async read(paths: readonly string[], signal?: AbortSignal): Promise<Map<string, Buffer>> {
      const wanted = paths.flatMap((path) => {
        const oid = oids.get(path);
        return oid === undefined ? [] : [[path, oid] as const];
      });
      const bytes = await readBlobs(
        run,
        wanted.map(([, oid]) => oid),
        signal,
      );
      return new Map(wanted.map(([path, oid]) => [path, bytes.get(oid) ?? Buffer.alloc(0)]));
    },
  };
}
