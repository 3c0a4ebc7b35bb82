/**
 * The index file of one site: the pages, the search index as it is in memory, and a header that describes
 * both.
 */
import { Buffer } from 'node:buffer';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Page, Passage } from '../retriever.ts';
import { createGrowing, type SearchIndex } from '../ranker/search-index.ts';
import type { PassageVectors } from '../vectors.ts';

/** Raise it when the format or the analysis of words changes. Sites must then be indexed again. */
const fileVersion = 2;
const magic = 'docent-index';
const trailerBytes = 32;

/** The part of a page that's kept in memory. */
export type PageHead = Omit<Page, 'markdown' | 'passages'>;

export interface IndexFile {
  heads: PageHead[];
  index: SearchIndex;
  /** One vector per passage, if an embedder is configured. */
  vectors?: PassageVectors;
  /** Differs between versions of the file. */
  identity: string;
  readPage(page: number): Page;
  readPassage(page: number, passage: number): Passage;
  /** The bytes of a page, for copying into the next version. */
  readRecord(page: number): PageRecord;
  close(): void;
}

export interface PageRecord {
  markdown: Buffer;
  passages: Buffer[];
}

interface Header {
  version: number;
  sections: Record<string, [start: number, length: number]>;
  pageCount: number;
  passageCount: number;
  embedder?: { model: string; dimensions: number };
}

export function identityOf(stat: { ino: number; mtimeMs: number; size: number }): string {
  return `${stat.ino}-${stat.mtimeMs}-${stat.size}`;
}

/** Opens a file; `undefined` if it has another format version. Throws if there is no file. */
export function openIndexFile(path: string): IndexFile | undefined {
  const file = openSync(path, 'r');
  try {
    const opened = readIndex(file);
    if (!opened) closeSync(file);
    return opened;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function readIndex(file: number): IndexFile | undefined {
  const stat = fstatSync(file);
  if (stat.size < trailerBytes) return undefined;
  const trailer = readAt(file, stat.size - trailerBytes, trailerBytes);
  if (trailer.toString('latin1', 16, 16 + magic.length) !== magic) return undefined;
  const headerStart = trailer.readDoubleLE(0);
  const header = JSON.parse(
    readAt(file, headerStart, trailer.readUInt32LE(8)).toString(),
  ) as Header;
  if (header.version !== fileVersion) return undefined;
  const first = Math.min(...Object.values(header.sections).map(([start]) => start));
  const body = readAt(file, first, headerStart - first);
  const section = (name: string): Buffer => {
    const [start, length] = header.sections[name] ?? [first, 0];
    return body.subarray(start - first, start - first + length);
  };
  const numbers = (name: string): Uint32Array => {
    const bytes = section(name);
    return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  };
  const postings = (name: string): SearchIndex['passages'] => ({
    bytes: section(`${name}.bytes`),
    starts: numbers(`${name}.starts`),
    counts: numbers(`${name}.counts`),
  });
  const heads = JSON.parse(section('heads').toString()) as PageHead[];
  const index: SearchIndex = {
    pageCount: header.pageCount,
    passageCount: header.passageCount,
    firstPassage: numbers('firstPassage'),
    termBytes: section('termBytes'),
    termStarts: numbers('termStarts'),
    passages: postings('passages'),
    pages: postings('pages'),
    names: { terms: numbers('names.terms'), starts: numbers('names.starts') },
  };
  const recordStarts = section('recordStarts');
  const markdownBytes = numbers('markdownBytes');
  const passageBytes = numbers('passageBytes');
  const startOf = (page: number): number => recordStarts.readDoubleLE(page * 8);

  function readRecord(page: number): PageRecord {
    const start = startOf(page);
    const record = readAt(file, start, startOf(page + 1) - start);
    let at = markdownBytes[page] ?? 0;
    const passages: Buffer[] = [];
    for (
      let passage = index.firstPassage[page] ?? 0;
      passage < (index.firstPassage[page + 1] ?? 0);
      passage += 1
    ) {
      const length = passageBytes[passage] ?? 0;
      passages.push(record.subarray(at, at + length));
      at += length;
    }
    return { markdown: record.subarray(0, markdownBytes[page]), passages };
  }
  const values = section('vectors');
  const { embedder } = header;
  return {
    heads,
    index,
    ...(embedder && {
      vectors: {
        ...embedder,
        keys: section('vectorKeys').toString('latin1'),
        values: new Int8Array(values.buffer, values.byteOffset, values.length),
      },
    }),
    identity: identityOf(stat),
    readRecord,
    readPage: (page) => toPage(heads[page] as PageHead, readRecord(page)),
    readPassage(page, passage) {
      let at = startOf(page) + (markdownBytes[page] ?? 0);
      for (let one = index.firstPassage[page] ?? 0; one < passage; one += 1)
        at += passageBytes[one] ?? 0;
      return JSON.parse(readAt(file, at, passageBytes[passage] ?? 0).toString()) as Passage;
    },
    close: () => closeSync(file),
  };
}

export function toPage(head: PageHead, record: PageRecord): Page {
  const passages = record.passages.map((bytes) => JSON.parse(bytes.toString()) as Passage);
  return { ...head, markdown: record.markdown.toString(), passages };
}

export function toRecord(page: Page): PageRecord {
  return {
    markdown: Buffer.from(page.markdown),
    passages: page.passages.map((passage) => Buffer.from(JSON.stringify(passage))),
  };
}

/** Reads into a buffer of its own, which is aligned for numbers of any width. */
function readAt(file: number, start: number, length: number): Buffer {
  const buffer = Buffer.from(new ArrayBuffer(length));
  for (let done = 0; done < length;) {
    const read = readSync(file, buffer, done, length - done, start + done);
    if (read === 0) throw new Error('The index file is truncated.');
    done += read;
  }
  return buffer;
}

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
    async add(head: PageHead, record: PageRecord): Promise<void> {
      heads.push(head);
      recordStarts.push(length);
      markdownBytes.push(record.markdown.length);
      await write(record.markdown);
      for (const passage of record.passages) {
        passageBytes.push(passage.length);
        await write(passage);
      }
    },
    /** Completes and syncs the file under its temporary name. */
    async finish(index: SearchIndex, vectors?: PassageVectors): Promise<void> {
      recordStarts.push(length);
      await writeSection('heads', Buffer.from(JSON.stringify(heads)));
      await writeSection('recordStarts', bytesOf(Float64Array.from(recordStarts)));
      await writeSection('markdownBytes', bytesOf(markdownBytes.view()));
      await writeSection('passageBytes', bytesOf(passageBytes.view()));
      await writeSection('firstPassage', bytesOf(index.firstPassage));
      await writeSection('termBytes', index.termBytes);
      await writeSection('termStarts', bytesOf(index.termStarts));
      for (const name of ['passages', 'pages'] as const) {
        await writeSection(`${name}.bytes`, index[name].bytes);
        await writeSection(`${name}.starts`, bytesOf(index[name].starts));
        await writeSection(`${name}.counts`, bytesOf(index[name].counts));
      }
      await writeSection('names.terms', bytesOf(index.names.terms));
      await writeSection('names.starts', bytesOf(index.names.starts));
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
        ...(vectors && { embedder: { model: vectors.model, dimensions: vectors.dimensions } }),
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
