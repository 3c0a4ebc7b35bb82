import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunOnRepository } from './run-git.ts';

const objectId = /^[\da-f]{40}(?:[\da-f]{24})?$/;

/**
 * The commit of a ref. Git keeps refs in a file each, or all in `packed-refs`. To read those costs nothing,
 * but every process stops the whole service for as long as it takes to copy its memory. What is kept
 * otherwise is for git to read.
 */
export async function readRef(
  repository: string,
  ref: string,
  { git, signal }: { git: RunOnRepository; signal?: AbortSignal | undefined },
): Promise<string | undefined> {
  signal?.throwIfAborted();
  const kept = isPlainName(ref) ? await readKept(repository, ref) : null;
  if (kept !== null) return kept;
  // The pattern also stands for what lies below it: `docs` is no branch where `docs/a` is one.
  const listed = await git(['for-each-ref', '--format=%(refname) %(objectname)', ref], { signal });
  return listed
    .toString()
    .split('\n')
    .find((line) => line.startsWith(`${ref} `))
    ?.split(' ')[1];
}

/** Nothing that leads out of the folder of refs, or that file systems read in their own way. */
const isPlainName = (ref: string) =>
  /^refs\/[\w./-]+$/.test(ref) && ref.split('/').every((name) => name !== '' && name[0] !== '.');

/** `undefined`: there is no such ref. `null`: it may be kept otherwise. */
async function readKept(repository: string, ref: string): Promise<string | undefined | null> {
  try {
    // Packing a ref writes the list first. So whoever finds no file reads the list after it.
    const id = (await readIfThere(join(repository, ref)))?.trimEnd();
    if (id !== undefined) return objectId.test(id) ? id : null;
    const packed = await readIfThere(join(repository, 'packed-refs'));
    const line = packed?.split('\n').find((each) => each.endsWith(` ${ref}`));
    return line?.slice(0, line.indexOf(' '));
  } catch {
    // For example, `refs/heads` is a file where git keeps refs in tables.
    return null;
  }
}

/** A folder is nothing: `refs/heads/docs` where there is `refs/heads/docs/a`. */
const readIfThere = (file: string) =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'EISDIR') return undefined;
    throw error;
  });
