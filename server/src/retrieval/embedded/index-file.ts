/**
 * The index file of one site: the pages, their terms, the search index as it is in memory, and a header
 * that describes them.
 */
import { Buffer } from 'node:buffer';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { PageTerms } from '../ranker/page-terms.ts';
import type { Page, Passage } from '../retriever.ts';
import { createGrowing, type SearchIndex } from '../ranker/search-index.ts';
import type { PassageVectors } from '../vectors.ts';

/** Raise it when the format or the analysis of words changes. Sites must then be indexed again. */
const fileVersion = 3;
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
  readTerms(page: number): PageTerms;
  /** The terms of all pages as one. */
  readAllTerms(): PageTerms;
  /** For copying pages into the next version. */
  records: PageRecords;
  close(): void;
}

/** Where the pages are in a file, each as its Markdown and then its passages as JSON. */
interface PageRecords {
  file: number;
  startOf(page: number): number;
  markdownBytes: Uint32Array;
  passageBytes: Uint32Array;
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
  });
  const heads = JSON.parse(section('heads').toString()) as PageHead[];
  const index: SearchIndex = {
    pageCount: header.pageCount,
    passageCount: header.passageCount,
    firstPassage: numbers('firstPassage'),
    termBytes: section('termBytes'),
    termStarts: numbers('termStarts'),
    sortedTerms: numbers('sortedTerms'),
    counts: numbers('counts'),
    passages: postings('passages'),
    pages: postings('pages'),
  };
  const recordStarts = section('recordStarts');
  const markdownBytes = numbers('markdownBytes');
  const passageBytes = numbers('passageBytes');
  const startOf = (page: number): number => recordStarts.readDoubleLE(page * 8);

  const pageTermStarts = numbers('pageTermStarts');
  const firstOf = (page: number): number => index.firstPassage[page] ?? 0;

  function readPage(page: number): Page {
    let start = startOf(page);
    const record = readAt(file, start, startOf(page + 1) - start);
    start = markdownBytes[page] ?? 0;
    const markdown = record.toString('utf8', 0, start);
    const lengths = passageBytes.subarray(firstOf(page), firstOf(page + 1));
    const passages = Array.from(lengths, (length) => {
      start += length;
      return JSON.parse(record.toString('utf8', start - length, start)) as Passage;
    });
    return { ...(heads[page] as PageHead), markdown, passages };
  }

  /** The terms of the pages `[from, to)`, which come after the records. */
  function readTerms(from: number, to: number): PageTerms {
    const starts = pageTermStarts.subarray(firstOf(from), firstOf(to) + 1);
    const first = starts[0] ?? 0;
    const bytes = readAt(file, startOf(header.pageCount) + first, (starts.at(-1) ?? 0) - first);
    return { bytes, starts: starts.map((start) => start - first) };
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
    records: { file, startOf, markdownBytes, passageBytes },
    readTerms: (page) => readTerms(page, page + 1),
    readAllTerms: () => readTerms(0, header.pageCount),
    readPage,
    readPassage(page, passage) {
      let at = startOf(page) + (markdownBytes[page] ?? 0);
      for (let one = index.firstPassage[page] ?? 0; one < passage; one += 1)
        at += passageBytes[one] ?? 0;
      return JSON.parse(readAt(file, at, passageBytes[passage] ?? 0).toString()) as Passage;
    },
    close: () => closeSync(file),
  };
}

/** Reads into a buffer of its own, which is aligned for numbers of any width. */
function readAt(file: number, start: number, length: number): Buffer {
  const buffer = Buffer.from(new ArrayBuffer(length));
  readInto(file, start, buffer);
  return buffer;
}

function readInto(file: number, start: number, buffer: Buffer): void {
  for (let done = 0; done < buffer.length;) {
    const read = readSync(file, buffer, done, buffer.length - done, start + done);
    if (read === 0) throw new Error('The index file is truncated.');
    done += read;
  }
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
      for (const { bytes, starts } of terms) {
        const first = starts[0] ?? 0;
        const last = starts.at(-1) ?? 0;
        const offset = (pageTermStarts.view().at(-1) ?? 0) - first;
        for (const start of starts.subarray(1)) pageTermStarts.push(start + offset);
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
