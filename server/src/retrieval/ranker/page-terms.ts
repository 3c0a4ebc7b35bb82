/** The terms of a page by field and passage, as numbers: everything that an index needs. */
import { analyzeChunk, eachChunk } from './analysis.ts';
import { createGrowing } from './search-index.ts';
import type { Page, Passage } from '../retriever.ts';

export type Field = 'title' | 'heading' | 'headingPath' | 'path' | 'text' | 'code';
export const fields: readonly Field[] = ['title', 'heading', 'headingPath', 'path', 'text', 'code'];

/** The counts of a term in the six fields share one number: 4 bits each, 8 for text and code. */
const shifts = [0, 4, 8, 12, 16, 24];
const limits = [15, 15, 15, 15, 255, 255];

export interface PageTerms {
  /** The distinct terms of one passage after another. */
  terms: Uint32Array;
  /** The packed counts per field; see `countIn`. */
  counts: Uint32Array;
  /** Where the terms of each passage start, plus the end. */
  starts: Uint32Array;
  /** The number of terms in all fields of the first passage, then of the next. */
  lengths: Uint32Array;
  title: Uint32Array;
  /** One per passage; empty if no section starts there. */
  headings: Uint32Array[];
}

export type PageAnalyzer = ReturnType<typeof createPageAnalyzer>;

const maxKnownChunks = 300_000;

/** All pages of one analyzer share its term numbers. */
export function createPageAnalyzer() {
  const numbers = new Map<string, number>();
  const words: string[] = [];
  /** A few thousand chunks make up most texts; without this cache, indexing takes half as long again. */
  const known = new Map<string, readonly number[]>();
  /** The counts of the current passage; all zero between passages. */
  let here = new Uint32Array(1 << 16);

  function termsOf(chunk: string): readonly number[] {
    const before = known.get(chunk);
    if (before) return before;
    const found: number[] = [];
    analyzeChunk(chunk, (term) => {
      let number = numbers.get(term);
      if (number === undefined) {
        number = words.length;
        const own = copyOf(term);
        numbers.set(own, number);
        words.push(own);
      }
      found.push(number);
    });
    if (words.length > here.length) here = enlarge(here);
    if (known.size >= maxKnownChunks) known.clear();
    known.set(copyOf(chunk), found);
    return found;
  }

  function numbersOf(text: string): Uint32Array {
    const found = new Set<number>();
    eachChunk(text, (chunk) => {
      for (const number of termsOf(chunk)) found.add(number);
    });
    return Uint32Array.from(found);
  }

  return {
    /** All terms by number. */
    words: words as readonly string[],
    /** `undefined` if no page has the term. */
    numberOf: (term: string) => numbers.get(term),
    /** Emits the same terms as `analyze` in `analysis.ts`, from the cache. */
    analyzeText: (text: string, emit: (term: string) => void): void => {
      eachChunk(text, (chunk) => {
        for (const number of termsOf(chunk)) emit(words[number] ?? '');
      });
    },
    analyze(page: Omit<Page, 'markdown'>): PageTerms {
      const terms = createGrowing();
      const counts = createGrowing();
      const starts = new Uint32Array(page.passages.length + 1);
      const lengths = new Uint32Array(page.passages.length * fields.length);
      const headings: Uint32Array[] = [];
      for (const [index, passage] of page.passages.entries()) {
        const isSection = passage.heading !== page.passages[index - 1]?.heading;
        headings.push(
          isSection && passage.heading !== page.title ? numbersOf(passage.heading) : none,
        );
        const touched: number[] = [];
        const texts = fieldTexts(page, passage, index === 0);
        for (const [position, field] of fields.entries()) {
          let length = 0;
          eachChunk(texts[field], (chunk) => {
            for (const number of termsOf(chunk)) {
              const before = here[number] ?? 0;
              if (before === 0) touched.push(number);
              here[number] = countOne(before, position);
              length += 1;
            }
          });
          lengths[index * fields.length + position] = length;
        }
        for (const number of touched) {
          terms.push(number);
          counts.push(here[number] ?? 0);
          here[number] = 0;
        }
        starts[index + 1] = terms.length();
      }
      return {
        terms: terms.view().slice(),
        counts: counts.view().slice(),
        starts,
        lengths,
        title: numbersOf(page.title),
        headings,
      };
    },
  };
}

/** The count of a term in a field. */
export function countIn(packed: number, position: number): number {
  return (packed >>> (shifts[position] ?? 0)) & (limits[position] ?? 0);
}

/** The approximate size of a page's terms in bytes. */
export function sizeOfTerms({ terms, starts, lengths, headings }: PageTerms): number {
  return 8 * terms.length + 4 * (starts.length + lengths.length) + 100 * (headings.length + 6);
}

const none = new Uint32Array();

/** Copies a piece of text, because a substring keeps the whole text in memory. */
function copyOf(piece: string): string {
  return piece.length < minCopiedLength ? piece : Buffer.from(piece).toString();
}

/** V8 always copies shorter substrings. */
const minCopiedLength = 13;

function enlarge(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}

function fieldTexts(
  page: Omit<Page, 'markdown'>,
  passage: Passage,
  isFirst: boolean,
): Record<Field, string> {
  return {
    title: page.title,
    heading: passage.heading === page.title ? '' : passage.heading,
    headingPath: passage.headingPath.join('\n'),
    path: page.path,
    text: isFirst && page.description ? `${page.description}\n${passage.text}` : passage.text,
    code: passage.code,
  };
}

/** Adds one to a field's count, up to what its bits hold. */
function countOne(packed: number, position: number): number {
  const shift = shifts[position] ?? 0;
  const limit = limits[position] ?? 0;
  return ((packed >>> shift) & limit) < limit ? (packed + 2 ** shift) >>> 0 : packed;
}
