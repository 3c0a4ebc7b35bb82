/**
 * Vectors of a run that isn't complete, in a file, as they arrive. A run that's killed loses one batch, and
 * the next one asks only for the rest. A disk without room for all of them is noticed before the first one.
 */
import { constants, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Embedder } from '../embedder.ts';
import { digestOf, keyLength } from '../vectors.ts';

interface KeptVector {
  key: string;
  bytes: Int8Array;
}

export type KeptVectors = Awaited<ReturnType<typeof openKeptVectors>>;

const ending = '.vectors';
/** Vectors whose room is written at once. */
const atOnce = 1000;

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
  // Behind the last one is room for more.
  for (; end + recordLength <= held.length && held[end] !== 0; end += recordLength) {
    const values = held.subarray(end + keyLength, end + recordLength);
    known.set(held.toString('latin1', end, end + keyLength), new Int8Array(values));
  }

  async function write(bytes: Uint8Array, from: number): Promise<void> {
    const file = await open(path, constants.O_RDWR | constants.O_CREAT);
    try {
      for (let done = 0; done < bytes.length;) {
        const { bytesWritten } = await file.write(bytes, done, bytes.length - done, from + done);
        done += bytesWritten;
      }
    } finally {
      await file.close();
    }
  }

  return {
    /** As they were found, by their keys. */
    known,
    /** Takes the room for so many more. */
    async reserve(count: number): Promise<void> {
      for (let at = 0; at < count; at += atOnce) {
        const some = Math.min(atOnce, count - at);
        await write(new Uint8Array(some * recordLength), end + at * recordLength);
      }
    },
    async add(vectors: readonly KeptVector[]): Promise<void> {
      const parts = vectors.flatMap(({ key, bytes }) => [
        Buffer.from(key, 'latin1'),
        new Uint8Array(bytes),
      ]);
      const bytes = Buffer.concat(parts);
      await write(bytes, end);
      end += bytes.length;
    },
    /** The index has them now, and those of other models are obsolete. */
    async remove(): Promise<void> {
      for (const name of await readdir(folder))
        if (name.endsWith(ending)) await rm(join(folder, name), { force: true });
    },
  };
}
