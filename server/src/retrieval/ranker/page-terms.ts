/**
 * The terms of a page as numbers, in the order of its text. Indexing and reranking read these numbers, so
 * that a text is analyzed once, when its page changes.
 */
import { Buffer } from 'node:buffer';
import { analyzeChunk, eachChunk } from './analysis.ts';
import type { Page, Passage } from '../retriever.ts';
import { createGrowing, findTerm, type Vocabulary } from './search-index.ts';
import { stopWords } from './stop-words.ts';

/**
 * Each passage is a list of varints: the number of terms in each of `storedFields`, and then these terms.
 * A term is its number plus 1, and 0 ends a sentence.
 */
export interface PageTerms {
  bytes: Uint8Array;
  /** Where each passage starts, plus the end. */
  starts: Uint32Array;
}

/** Reranking reads the first `closeFields`. Only these are split into sentences. */
export const storedFields = [
  'title',
  'heading',
  'text',
  'description',
  'headingPath',
  'path',
  'code',
] as const;
export const closeFields = 3;

/** Stop words have the first numbers in every vocabulary. */
export const stopTerms = stopWords.size;

const sentencePattern = /(?<=[.!?:])\s+|[。！？\n]/;

export type PageAnalyzer = ReturnType<typeof createPageAnalyzer>;

const maxKnownChunks = 300_000;

/** All pages of one analyzer share its term numbers, which continue those of `base`. */
export function createPageAnalyzer(base?: Vocabulary) {
  const numbers = new Map<string, number>();
  const termStarts = createGrowing(base?.termStarts ?? [0]);
  const termBytes = createGrowingBytes(base?.termBytes);
  /** A few thousand chunks make up most texts; without this cache, indexing takes half as long again. */
  const known = new Map<string, readonly number[]>();
  const out = createGrowingBytes();
  const body = createGrowingBytes();
  if (!base) for (const word of stopWords) add(word);

  function add(term: string): number {
    termBytes.append(Buffer.from(term));
    termStarts.push(termBytes.length());
    const number = termStarts.length() - 2;
    numbers.set(copyOf(term), number);
    return number;
  }

  function numberOf(term: string): number {
    return numbers.get(term) ?? (base ? findTerm(base, Buffer.from(term)) : -1);
  }

  function termsOf(chunk: string): readonly number[] {
    const before = known.get(chunk);
    if (before) return before;
    const found: number[] = [];
    analyzeChunk(chunk, (term) => {
      const number = numberOf(term);
      found.push(number < 0 ? add(term) : number);
    });
    if (known.size >= maxKnownChunks) known.clear();
    known.set(copyOf(chunk), found);
    return found;
  }

  /** Returns the number of terms. Sentences without terms leave no trace. */
  function write(sentences: readonly string[]): number {
    let count = 0;
    for (const sentence of sentences) {
      let isFirst = true;
      eachChunk(sentence, (chunk) => {
        for (const number of termsOf(chunk)) {
          if (isFirst && count > 0) body.pushVarint(0);
          isFirst = false;
          count += 1;
          body.pushVarint(number + 1);
        }
      });
    }
    return count;
  }

  return {
    /** The number of a term, or -1 if no page has it. */
    numberOf,
    termCount: (): number => termStarts.length() - 1,
    /** All terms by number. */
    terms: () => ({ termBytes: termBytes.view(), termStarts: termStarts.view() }),
    analyze(page: Omit<Page, 'markdown'>): PageTerms {
      out.clear();
      const starts = new Uint32Array(page.passages.length + 1);
      for (const [index, passage] of page.passages.entries()) {
        body.clear();
        const texts = fieldTexts(page, passage, index === 0);
        for (const [position, field] of storedFields.entries()) {
          const isClose = position < closeFields;
          out.pushVarint(write(isClose ? texts[field].split(sentencePattern) : [texts[field]]));
        }
        out.append(body.view());
        starts[index + 1] = out.length();
      }
      return { bytes: Uint8Array.from(out.view()), starts };
    },
  };
}

/** Reads one passage after another, field by field. */
export function createTermReader() {
  let bytes: Uint8Array = new Uint8Array();
  let field = 0;

  /** Reads varints until `count` of them were more than `least`, and returns how many it has read. */
  function read(into: Uint32Array, count: number, least: number): number {
    let at = reader.position;
    let left = count;
    let used = 0;
    while (left > 0 && at < bytes.length) {
      let byte = bytes[at++] ?? 0;
      let value = byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = bytes[at++] ?? 0;
        value |= (byte & 127) << shift;
      }
      into[used++] = value;
      if (value > least) left -= 1;
    }
    reader.position = at;
    return used;
  }

  const reader = {
    /** The number of terms in each field of the passage. */
    lengths: new Uint32Array(storedFields.length),
    /** Where the next field starts. */
    position: 0,
    /** The terms and ends of sentences of the field read last; see `PageTerms`. */
    values: new Uint32Array(4096),
    open(page: PageTerms, passage: number): void {
      bytes = page.bytes;
      field = 0;
      reader.position = page.starts[passage] ?? 0;
      read(reader.lengths, storedFields.length, -1);
    },
    /** Reads the next field, and returns the number of its values. */
    readField(): number {
      const length = reader.lengths[field++] ?? 0;
      // Each term can be a sentence.
      if (2 * length > reader.values.length) reader.values = new Uint32Array(4 * length);
      return read(reader.values, length, 0);
    },
  };
  return reader;
}

/** Copies a piece of text, because a substring keeps the whole text in memory. */
function copyOf(piece: string): string {
  return piece.length < minCopiedLength ? piece : Buffer.from(piece).toString();
}

/** V8 always copies shorter substrings. */
const minCopiedLength = 13;

function createGrowingBytes(start: Uint8Array = new Uint8Array()) {
  let bytes = Buffer.alloc(Math.max(1 << 16, 2 * start.length));
  bytes.set(start);
  let used = start.length;
  function reserve(length: number): void {
    if (used + length <= bytes.length) return;
    const larger = Buffer.alloc(2 * (used + length));
    larger.set(bytes.subarray(0, used));
    bytes = larger;
  }
  return {
    append(more: Uint8Array): void {
      reserve(more.length);
      bytes.set(more, used);
      used += more.length;
    },
    pushVarint(value: number): void {
      reserve(5);
      let rest = value;
      for (; rest > 127; rest >>>= 7) bytes[used++] = (rest & 127) | 128;
      bytes[used++] = rest;
    },
    clear: () => void (used = 0),
    length: () => used,
    view: () => bytes.subarray(0, used),
  };
}

function fieldTexts(
  page: Omit<Page, 'markdown'>,
  passage: Passage,
  isFirst: boolean,
): Record<(typeof storedFields)[number], string> {
  return {
    title: page.title,
    heading: passage.heading === page.title ? '' : passage.heading,
    text: passage.text,
    description: (isFirst && page.description) || '',
    headingPath: passage.headingPath.join('\n'),
    path: page.path,
    code: passage.code,
  };
}
