/**
 * Vectors of a run that isn't complete, in a file, as they arrive. A run that's killed, or whose disk is full,
 * loses one batch, and the next one asks only for the rest.
 */
import { appendFile, mkdir, readdir, readFile, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { Embedder } from '../embedder.ts';
import { digestOf, keyLength } from '../vectors.ts';

interface KeptVector {
  key: string;
  bytes: Int8Array;
}

export type KeptVectors = Awaited<ReturnType<typeof openKeptVectors>>;

const ending = '.vectors';

/** Each model has its own file; the prefix of a passage is part of its key. */
export async function openKeptVectors(
  folder: string,
  { source: { model, dimensions } }: Pick<Embedder, 'source'>,
) {
  const path = join(folder, digestOf(`${model} ${dimensions}`) + ending);
  const recordLength = keyLength + dimensions;
  await mkdir(folder, { recursive: true });
  const held = await readFile(path).catch(() => Buffer.alloc(0));
  const known = new Map<string, Int8Array>();
  let end = 0;
  for (; end + recordLength <= held.length; end += recordLength) {
    const values = held.subarray(end + keyLength, end + recordLength);
    known.set(held.toString('latin1', end, end + keyLength), new Int8Array(values));
  }
  // The last one was cut short.
  if (end < held.length) await truncate(path, end);

  return {
    /** As they were found, by their keys. */
    known,
    add(vectors: readonly KeptVector[]): Promise<void> {
      const parts = vectors.flatMap(({ key, bytes }) => [
        Buffer.from(key, 'latin1'),
        new Uint8Array(bytes),
      ]);
      return appendFile(path, Buffer.concat(parts));
    },
    /** The index has them now, and those of other models are obsolete. */
    async remove(): Promise<void> {
      for (const name of await readdir(folder))
        if (name.endsWith(ending)) await rm(join(folder, name), { force: true });
    },
  };
}
