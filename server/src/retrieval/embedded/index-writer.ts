/** Writes the index file of one site: pages one by one, then what was made of them. */
import { Buffer } from 'node:buffer';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { PageTerms } from '../ranker/page-terms.ts';
import { createGrowing, type SearchIndex } from '../ranker/search-index.ts';
import type { Page } from '../retriever.ts';
import { type PassageVectors, sourceOf } from '../vectors.ts';
import {
  fileVersion,
  type Header,
  type IndexFile,
  magic,
  type PageHead,
  readInto,
  trailerBytes,
} from './index-file.ts';

const writeBytes = 1 << 20;

export type IndexWriter = Awaited<ReturnType<typeof createIndexWriter>>;

/** Writes a file under a temporary name until it's complete. Readers see the old file or the new one. */
export async function createIndexWriter(temporaryPath: string) {
  const file = await open(temporaryPath, 'wx');
  const heads: PageHead[] = [];
  const recordStarts: number[] = [];
  const markdownBytes = createGrowing();
  const passageBytes = createGrowing();
  const sections: Header['sections'] = {};
  let length = 0;
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;

  async function flush(): Promise<void> {
    const bytes = Buffer.concat(waiting);
    [waiting, waitingBytes] = [[], 0];
    await file.writeFile(bytes);
  }

  /** Buffers small writes. */
  async function write(bytes: Uint8Array): Promise<void> {
    waiting.push(bytes);
    waitingBytes += bytes.byteLength;
    length += bytes.byteLength;
    if (waitingBytes >= writeBytes) await flush();
  }

  async function writeSection(name: string, bytes: Uint8Array): Promise<void> {
    await write(Buffer.alloc((8 - (length % 8)) % 8));
    sections[name] = [length, bytes.byteLength];
    await write(bytes);
  }

  return {
    async add({ markdown, passages, ...head }: Page): Promise<void> {
      heads.push(head);
      recordStarts.push(length);
      const bytes = Buffer.from(markdown);
      markdownBytes.push(bytes.length);
      await write(bytes);
      for (const passage of passages) {
        const json = Buffer.from(JSON.stringify(passage));
        passageBytes.push(json.length);
        await write(json);
      }
    },
    /** Copies the pages `[from, to)` of another file. */
    async copy({ heads: all, index, records }: IndexFile, from: number, to: number): Promise<void> {
      const start = records.startOf(from);
      for (let page = from; page < to; page += 1) {
        heads.push(all[page] as PageHead);
        recordStarts.push(length + records.startOf(page) - start);
        markdownBytes.push(records.markdownBytes[page] ?? 0);
      }
      const lengths = records.passageBytes.subarray(
        index.firstPassage[from],
        index.firstPassage[to],
      );
      for (const bytes of lengths) passageBytes.push(bytes);
      await flush();
      const end = records.startOf(to);
      const block = Buffer.alloc(Math.min(writeBytes, end - start));
      for (let at = start; at < end; at += block.length) {
        const bytes = block.subarray(0, end - at);
        readInto(records.file, at, bytes);
        await file.writeFile(bytes);
      }
      length += end - start;
    },
    /** Completes and syncs the file under its temporary name. */
    async finish(
      index: SearchIndex,
      terms: readonly PageTerms[],
      vectors?: PassageVectors,
    ): Promise<void> {
      recordStarts.push(length);
      const pageTermStarts = createGrowing([0]);
      let termEnd = 0;
      for (const { bytes, starts } of terms) {
        const first = starts[0] ?? 0;
        const last = starts.at(-1) ?? 0;
        for (let at = 1; at < starts.length; at += 1)
          pageTermStarts.push(termEnd + (starts[at] ?? 0) - first);
        termEnd += last - first;
        await write(bytes.subarray(first, last));
      }
      await writeSection('heads', Buffer.from(JSON.stringify(heads)));
      await writeSection('recordStarts', bytesOf(Float64Array.from(recordStarts)));
      await writeSection('markdownBytes', bytesOf(markdownBytes.view()));
      await writeSection('passageBytes', bytesOf(passageBytes.view()));
      await writeSection('pageTermStarts', bytesOf(pageTermStarts.view()));
      await writeSection('firstPassage', bytesOf(index.firstPassage));
      await writeSection('termBytes', index.termBytes);
      await writeSection('termStarts', bytesOf(index.termStarts));
      await writeSection('sortedTerms', bytesOf(index.sortedTerms));
      await writeSection('counts', bytesOf(index.counts));
      for (const name of ['passages', 'pages'] as const) {
        await writeSection(`${name}.bytes`, index[name].bytes);
        await writeSection(`${name}.starts`, bytesOf(index[name].starts));
      }
      if (vectors) {
        await writeSection('vectorKeys', Buffer.from(vectors.keys, 'latin1'));
        await writeSection('vectors', bytesOf(vectors.values));
      }
      const { pageCount, passageCount } = index;
      const header: Header = {
        version: fileVersion,
        sections,
        pageCount,
        passageCount,
        ...(vectors && { embedder: sourceOf(vectors) }),
      };
      const bytes = Buffer.from(JSON.stringify(header));
      const trailer = Buffer.alloc(trailerBytes);
      trailer.writeDoubleLE(length, 0);
      trailer.writeUInt32LE(bytes.length, 8);
      trailer.write(magic, 16, 'latin1');
      await write(bytes);
      await write(trailer);
      await flush();
      await file.sync();
      await file.close();
    },
    /** Replaces the previous file. */
    async publish(path: string): Promise<void> {
      await rename(temporaryPath, path);
      // The new name is durable only after its folder is synced.
      const folder = await open(dirname(path), 'r');
      await folder.sync().catch(() => undefined);
      await folder.close();
    },
    async discard(): Promise<void> {
      await file.close().catch(() => undefined);
      await rm(temporaryPath, { force: true });
    },
  };
}

function bytesOf(numbers: Uint32Array | Float64Array | Int8Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}
