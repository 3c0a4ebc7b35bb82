/**
 * The index file of one site: the pages, their terms, the search index as it is in memory, and a header
 * that describes them. `index-writer.ts` writes it.
 */
import { Buffer } from 'node:buffer';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { PageTerms } from '../ranker/page-terms.ts';
import type { Page, Passage } from '../retriever.ts';
import type { SearchIndex } from '../ranker/search-index.ts';
import type { PassageVectors, VectorSource } from '../vectors.ts';

/** Raise it when the format or the analysis of words changes. Sites must then be indexed again. */
export const fileVersion = 3;
export const magic = 'docent-index';
export const trailerBytes = 32;

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

export interface Header {
  version: number;
  sections: Record<string, [start: number, length: number]>;
  pageCount: number;
  passageCount: number;
  embedder?: VectorSource;
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

export function readInto(file: number, start: number, buffer: Buffer): void {
  for (let done = 0; done < buffer.length;) {
    const read = readSync(file, buffer, done, buffer.length - done, start + done);
    if (read === 0) throw new Error('The index file is truncated.');
    done += read;
  }
}
