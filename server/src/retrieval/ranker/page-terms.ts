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
 * Each passage is a list of varints: the terms of its fields, in the order of `storedFields`. A term's
 * value is its number plus `firstTerm`; smaller values end a sentence or a field.
 */
export interface PageTerms {
  bytes: Uint8Array;
  /** Where each passage starts, plus the end. */
  starts: Uint32Array;
}

/** Reranking reads two of these as names, and three as text, which is therefore split into sentences. */
export const storedFields = [
  'title',
  'heading',
  'text',
  'description',
  'headingPath',
  'path',
  'code',
] as const;
export const nameFields = 2;
export const closeFields = 3;
export const sentenceEnd = 0;
export const fieldEnd = 1;
export const firstTerm = 2;

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

  /** Writes sentences without terms as nothing. */
  function write(sentences: readonly string[]): void {
    let isStarted = false;
    for (const sentence of sentences) {
      let isFirst = true;
      eachChunk(sentence, (chunk) => {
        for (const number of termsOf(chunk)) {
          if (isFirst && isStarted) out.pushVarint(sentenceEnd);
          isFirst = false;
          isStarted = true;
          out.pushVarint(number + firstTerm);
        }
      });
    }
    out.pushVarint(fieldEnd);
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
        const texts = fieldTexts(page, passage, index === 0);
        for (const [position, field] of storedFields.entries())
          write(position < closeFields ? texts[field].split(sentencePattern) : [texts[field]]);
        starts[index + 1] = out.length();
      }
      return { bytes: Uint8Array.from(out.view()), starts };
    },
  };
}

/** Reads the values of one passage after another. */
export function createTermReader() {
  const reader = {
    /** Of the passage read last. */
    values: new Uint32Array(4096),
    /** Returns the number of values. */
    read({ bytes, starts }: PageTerms, passage: number, maxFields: number): number {
      const end = starts[passage + 1] ?? 0;
      let at = starts[passage] ?? 0;
      if (end - at > reader.values.length) reader.values = new Uint32Array(2 * (end - at));
      const { values } = reader;
      let count = 0;
      for (let fields = 0; at < end && fields < maxFields;) {
        let byte = bytes[at++] ?? 0;
        let value = byte & 127;
        for (let shift = 7; byte > 127; shift += 7) {
          byte = bytes[at++] ?? 0;
          value |= (byte & 127) << shift;
        }
        if (value === fieldEnd) fields += 1;
        values[count++] = value;
      }
      return count;
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
