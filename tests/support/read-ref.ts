import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where a ref of a repository is at, read as git keeps it: each in a file, or all in one when packed. */
export async function readRef(repository: string, ref: string): Promise<string | undefined> {
  const loose = await readOrNothing(join(repository, ref));
  if (/^[\da-f]{40}\n$/.test(loose)) return loose.trim();
  const packed = await readOrNothing(join(repository, 'packed-refs'));
  return packed
    .split('\n')
    .find((line) => line.endsWith(` ${ref}`))
    ?.slice(0, 40);
}

/** A folder is nothing, too: `refs/heads/docs` where there is `refs/heads/docs/fix`. */
const readOrNothing = (file: string) =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (['ENOENT', 'EISDIR', 'ENOTDIR', 'ENAMETOOLONG'].includes(error.code ?? '')) return '';
    throw error;
  });
