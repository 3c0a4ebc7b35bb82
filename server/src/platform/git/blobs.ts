import type { GitOptions } from './run-git.ts';

/** Runs git on the repository in question. */
export type RunOnRepository = (
  args: readonly string[],
  options?: Partial<GitOptions>,
) => Promise<Buffer>;

/** Contents by id, in one process. */
export async function readBlobs(
  git: RunOnRepository,
  oids: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, Buffer>> {
  const wanted = [...new Set(oids)];
  if (wanted.length === 0) return new Map();
  return parseBatch(
    await git(['cat-file', '--batch'], { input: `${wanted.join('\n')}\n`, signal }),
  );
}

/** `<oid> blob <size>\n<bytes>\n` for each. */
export function parseBatch(output: Buffer): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(10, at);
    const [oid = '', , size] = output.toString('latin1', at, end).split(' ');
    const start = end + 1;
    if (size === undefined) throw new Error('git did not give the contents of a file.');
    const length = Number(size);
    found.set(oid, output.subarray(start, start + length));
    at = start + length + 1;
  }
  return found;
}
