/**
 * Writes the index file of one site, under a temporary name until it's complete. Readers see the old file
 * or the new one.
 */
import { Buffer } from 'node:buffer';
import { open, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileVersion, magic, trailerBytes } from './index-file.ts';
import type { Header, PageHead, PageRecord } from './index-file.ts';
import { createGrowing } from '../ranker/postings.ts';
import type { SearchIndex } from '../ranker/search-index.ts';
import type { PassageVectors } from '../vectors.ts';

const writeBytes = 1 << 20;

export interface IndexWriter {
  add(head: PageHead, record: PageRecord): Promise<void>;
  /** Completes and syncs the file under its temporary name. */
  finish(index: SearchIndex, vectors?: PassageVectors): Promise<void>;
  /** Replaces the previous file. */
  publish(path: string): Promise<void>;
  discard(): Promise<void>;
}

export async function createIndexWriter(temporaryPath: string): Promise<IndexWriter> {
  const file = await open(temporaryPath, 'wx');
  const heads: PageHead[] = [];
  const recordStarts: number[] = [];
  const markdownBytes = createGrowing();
  const passageBytes = createGrowing();
  const sections: Header['sections'] = {};
  const out = createOutput(file);

  return {
    async add(head, record) {
      heads.push(head);
      recordStarts.push(out.length());
      markdownBytes.push(record.markdown.length);
      await out.write(record.markdown);
      for (const passage of record.passages) {
        passageBytes.push(passage.length);
        await out.write(passage);
      }
    },
    async finish(index, vectors) {
      recordStarts.push(out.length());
      const write = async (name: string, bytes: Uint8Array): Promise<void> => {
        await out.write(Buffer.alloc((8 - (out.length() % 8)) % 8));
        sections[name] = [out.length(), bytes.byteLength];
        await out.write(bytes);
      };
      await write('heads', Buffer.from(JSON.stringify(heads)));
      await write('recordStarts', bytesOf(Float64Array.from(recordStarts)));
      await write('markdownBytes', bytesOf(markdownBytes.view()));
      await write('passageBytes', bytesOf(passageBytes.view()));
      await write('firstPassage', bytesOf(index.firstPassage));
      await write('termBytes', index.termBytes);
      await write('termStarts', bytesOf(index.termStarts));
      for (const name of ['passages', 'pages'] as const) {
        await write(`${name}.bytes`, index[name].bytes);
        await write(`${name}.starts`, bytesOf(index[name].starts));
        await write(`${name}.counts`, bytesOf(index[name].counts));
      }
      await write('names.terms', bytesOf(index.names.terms));
      await write('names.starts', bytesOf(index.names.starts));
      if (vectors) {
        await write('vectorKeys', Buffer.from(vectors.keys, 'latin1'));
        await write('vectors', bytesOf(vectors.values));
      }
      const { pageCount, passageCount } = index;
      const header: Header = {
        version: fileVersion,
        sections,
        pageCount,
        passageCount,
        ...(vectors && { embedder: { model: vectors.model, dimensions: vectors.dimensions } }),
      };
      const bytes = Buffer.from(JSON.stringify(header));
      const trailer = Buffer.alloc(trailerBytes);
      trailer.writeDoubleLE(out.length(), 0);
      trailer.writeUInt32LE(bytes.length, 8);
      trailer.write(magic, 16, 'latin1');
      await out.write(bytes);
      await out.write(trailer);
      await out.flush();
      await file.sync();
      await file.close();
    },
    async publish(path) {
      await rename(temporaryPath, path);
      // The new name is durable only after its folder is synced.
      const folder = await open(dirname(path), 'r');
      await folder.sync().catch(() => undefined);
      await folder.close();
    },
    async discard() {
      await file.close().catch(() => undefined);
      await rm(temporaryPath, { force: true });
    },
  };
}

function bytesOf(numbers: Uint32Array | Float64Array | Int8Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

interface Output {
  write(bytes: Uint8Array): Promise<void>;
  flush(): Promise<void>;
  length(): number;
}

/** Buffers small writes. */
function createOutput(file: FileHandle): Output {
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let length = 0;
  async function flush(): Promise<void> {
    const bytes = Buffer.concat(waiting);
    waiting = [];
    waitingBytes = 0;
    for (let done = 0; done < bytes.length;) {
      done += (await file.write(bytes, done, bytes.length - done)).bytesWritten;
    }
  }
  return {
    async write(bytes) {
      waiting.push(bytes);
      waitingBytes += bytes.byteLength;
      length += bytes.byteLength;
      if (waitingBytes >= writeBytes) await flush();
    },
    flush,
    length: () => length,
  };
}
