/** The refs of a repository of the tests, as git keeps them: no test starts a process for one. */
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

let written = 0;

/** Where a ref is at: in a file of its own, or with all others when packed. */
export async function readRef(repository: string, ref: string): Promise<string | undefined> {
  const loose = await readOrNothing(join(repository, ref));
  if (/^[\da-f]{40}\n$/.test(loose)) return loose.trim();
  return (await packedRefs(repository)).find((line) => line.endsWith(` ${ref}`))?.slice(0, 40);
}

/** The names of all branches, without `refs/heads/`. */
export async function branchesOf(repository: string): Promise<string[]> {
  const folder = join(repository, 'refs/heads');
  const loose = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.lock'))
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
  const packed = (await packedRefs(repository)).flatMap((line) => {
    const [, name] = /^[\da-f]{40} refs\/heads\/(.+)$/.exec(line) ?? [];
    return name === undefined ? [] : [name];
  });
  return [...new Set([...loose, ...packed])].toSorted();
}

/** For a ref that only its server writes, to the same commit when twice at once. */
export async function writeRef(repository: string, ref: string, commit: string): Promise<void> {
  const file = join(repository, ref);
  await mkdir(dirname(file), { recursive: true });
  const unfinished = `${file}.${(written += 1)}.lock`;
  await writeFile(unfinished, `${commit}\n`);
  await rename(unfinished, file);
}

const packedRefs = async (repository: string): Promise<string[]> =>
  (await readOrNothing(join(repository, 'packed-refs'))).split('\n');

/** A folder is nothing, too: `refs/heads/docs` where there is `refs/heads/docs/fix`. */
const readOrNothing = (file: string) =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (['ENOENT', 'EISDIR', 'ENOTDIR', 'ENAMETOOLONG'].includes(error.code ?? '')) return '';
    throw error;
  });
