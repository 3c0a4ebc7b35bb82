/**
 * Builds a search index from the terms of pages, with BM25F: the fields of a passage count by weight and
 * length, and one saturation over all of them gives the impact of a term, in 8 bits.
 */
import { createTermReader, type PageAnalyzer, type PageTerms, storedFields } from './page-terms.ts';
import { createPostingsWriter, type SearchIndex, type Vocabulary } from './search-index.ts';

const fields = ['title', 'heading', 'headingPath', 'path', 'text', 'code'] as const;
type Field = (typeof fields)[number];

const weights: Record<Field, number> = {
  title: 4,
  heading: 3,
  headingPath: 1.5,
  path: 1,
  text: 1,
  code: 0.75,
};
/** How much the length of a field counts. Lengths of short fields say little. */
const lengthShares: Record<Field, number> = {
  title: 0.3,
  heading: 0.3,
  headingPath: 0.3,
  path: 0.3,
  text: 0.6,
  code: 0.6,
};
/** The higher, the longer repetitions keep counting. */
const saturation = { passage: 2.5, page: 4 };

/** The counts of a term in the six fields share one number: 4 bits each, 8 for text and code. */
const ones = Int32Array.of(1, 1 << 4, 1 << 8, 1 << 12, 1 << 16, 1 << 24);
const masks = Int32Array.of(15, 15 << 4, 15 << 8, 15 << 12, 255 << 16, 255 << 24);

/** The position of each stored field in `fields`. A description counts as text. */
const positions = storedFields.map((field) =>
  fields.indexOf(field === 'description' ? 'text' : field),
);

export interface IndexSource {
  analyzer: PageAnalyzer;
  /** In the order in which the pages are stored, all from this analyzer. */
  pages: readonly PageTerms[];
  /** How many passages have each term at most. Terms with 0 aren't indexed. */
  limits: Uint32Array;
  /** The vocabulary of the version before, whose terms are sorted already. */
  base?: Vocabulary | undefined;
}

/** In pages; a few milliseconds of work. */
const yieldEvery = 200;

/** The number of passages with each term, added to those of other pages. */
export function countPassages(
  pages: readonly PageTerms[],
  termCount: number,
  counts = new Uint32Array(termCount),
): Uint32Array {
  /** The last passage with each term, counted from 1. */
  const seen = new Uint32Array(termCount);
  const reader = createTermReader();
  let passages = 0;
  for (const page of pages) {
    for (let passage = 0; passage + 1 < page.starts.length; passage += 1) {
      passages += 1;
      reader.open(page, passage);
      for (let field = 0; field < storedFields.length; field += 1) {
        const length = reader.readField();
        const { values } = reader;
        for (let at = 0; at < length; at += 1) {
          const term = (values[at] ?? 0) - 1;
          if (term < 0 || seen[term] === passages) continue;
          seen[term] = passages;
          counts[term] = (counts[term] ?? 0) + 1;
        }
      }
    }
  }
  return counts;
}

/** Yields regularly, so that the caller can let other work run. */
export function* buildIndex(source: IndexSource): Generator<void, SearchIndex> {
  const { analyzer, pages, limits } = source;
  const { termBytes, termStarts } = analyzer.terms();
  const termCount = limits.length;
  const firstPassage = new Uint32Array(pages.length + 1);
  for (const [page, { starts }] of pages.entries())
    firstPassage[page + 1] = (firstPassage[page] ?? 0) + starts.length - 1;
  const passageCount = firstPassage[pages.length] ?? 0;
  const reader = createTermReader();

  const lengths = fields.map(() => new Uint32Array(passageCount));
  for (const [page, terms] of pages.entries()) {
    const first = firstPassage[page] ?? 0;
    const end = firstPassage[page + 1] ?? 0;
    for (let passage = first; passage < end; passage += 1) {
      reader.open(terms, passage - first);
      for (const [field, position] of positions.entries()) {
        const list = lengths[position];
        if (list) list[passage] = (list[passage] ?? 0) + (reader.lengths[field] ?? 0);
      }
    }
    if (page % yieldEvery === 0) yield;
  }
  const averages = lengths.map(average);
  const pageLengths = lengths.map((list, position) => lengthsOfPages(list, firstPassage, position));
  const pageAverages = pageLengths.map(average);

  const lists = {
    passages: createPostingsWriter(limits, passageCount),
    pages: createPostingsWriter(limits, pages.length),
  };
  const norms = new Float64Array(fields.length);
  const pageNorms = new Float64Array(fields.length);
  /** The counts of the current passage, and the weights of the current page; zero for other terms. */
  const here = new Int32Array(termCount);
  const weightOnPage = new Float64Array(termCount);
  /** The distinct terms of the passage and of the page. */
  const inPassage = new Uint32Array(termCount);
  const onPage = new Uint32Array(termCount);

  function addPage(terms: PageTerms, page: number): void {
    setNorms(pageNorms, pageLengths, pageAverages, page);
    let onPageCount = 0;
    for (let own = 0; own + 1 < terms.starts.length; own += 1) {
      const passage = (firstPassage[page] ?? 0) + own;
      setNorms(norms, lengths, averages, passage);
      let inPassageCount = 0;
      reader.open(terms, own);
      const { bytes } = terms;
      let from = reader.position;
      // This reads fields as the reader does. Without its buffer, indexing takes an eighth less time.
      for (let field = 0; field < storedFields.length; field += 1) {
        const one = ones[positions[field] ?? 0] ?? 0;
        const mask = masks[positions[field] ?? 0] ?? 0;
        for (let left = reader.lengths[field] ?? 0; left > 0 && from < bytes.length;) {
          let byte = bytes[from++] ?? 0;
          let value = byte & 127;
          for (let shift = 7; byte > 127; shift += 7) {
            byte = bytes[from++] ?? 0;
            value |= (byte & 127) << shift;
          }
          if (value === 0) continue;
          left -= 1;
          const before = here[value - 1] ?? 0;
          if (before === 0) inPassage[inPassageCount++] = value - 1;
          if ((before & mask) !== mask) here[value - 1] = (before + one) | 0;
        }
      }
      for (let at = 0; at < inPassageCount; at += 1) {
        const term = inPassage[at] ?? 0;
        const packed = here[term] ?? 0;
        here[term] = 0;
        lists.passages.add(term, passage, impact(weigh(packed, norms), saturation.passage));
        const before = weightOnPage[term] ?? 0;
        if (before === 0) onPage[onPageCount++] = term;
        weightOnPage[term] = before + weigh(packed, pageNorms);
      }
      for (const position of pagePositions) pageNorms[position] = 0;
    }
    for (let at = 0; at < onPageCount; at += 1) {
      const term = onPage[at] ?? 0;
      lists.pages.add(term, page, impact(weightOnPage[term] ?? 0, saturation.page));
      weightOnPage[term] = 0;
    }
  }

  for (const [page, terms] of pages.entries()) {
    addPage(terms, page);
    if (page % yieldEvery === 0) yield;
  }
  const { postings, counts } = lists.passages.finish();
  return {
    pageCount: pages.length,
    passageCount,
    firstPassage,
    termBytes,
    termStarts,
    sortedTerms: sortTerms({ termBytes, termStarts }, counts, source.base),
    counts,
    passages: postings,
    pages: lists.pages.finish().postings,
  };
}

/** The terms in byte order. Those of the version before are sorted already, and the new ones are few. */
function sortTerms(
  { termBytes, termStarts }: Omit<Vocabulary, 'sortedTerms'>,
  counts: Uint32Array,
  base: Vocabulary | undefined,
): Uint32Array {
  const old = base?.sortedTerms.filter((term) => counts[term]) ?? new Uint32Array();
  const added: number[] = [];
  for (let term = base ? base.termStarts.length - 1 : 0; term < counts.length; term += 1)
    if (counts[term]) added.push(term);
  const order = (a: number, b: number): number =>
    termBytes.compare(
      termBytes,
      termStarts[b],
      termStarts[b + 1],
      termStarts[a],
      termStarts[a + 1],
    );
  added.sort(order);
  const sorted = new Uint32Array(old.length + added.length);
  for (let at = 0, oldAt = 0, addedAt = 0; at < sorted.length; at += 1) {
    const isOld =
      addedAt === added.length ||
      (oldAt < old.length && order(old[oldAt] ?? 0, added[addedAt] ?? 0) < 0);
    sorted[at] = (isOld ? old[oldAt++] : added[addedAt++]) ?? 0;
  }
  return sorted;
}

/** Title and path count once per page, although every passage repeats them. */
const pagePositions = [fields.indexOf('title'), fields.indexOf('path')];

function lengthsOfPages(
  lengths: Uint32Array,
  firstPassage: Uint32Array,
  position: number,
): Uint32Array {
  return Uint32Array.from({ length: firstPassage.length - 1 }, (_, page) => {
    const first = firstPassage[page] ?? 0;
    const last = firstPassage[page + 1] ?? 0;
    const end = pagePositions.includes(position) ? Math.min(first + 1, last) : last;
    let sum = 0;
    for (let passage = first; passage < end; passage += 1) sum += lengths[passage] ?? 0;
    return sum;
  });
}

function average(lengths: Uint32Array): number {
  return lengths.reduce((sum, length) => sum + length, 0) / (lengths.length || 1) || 1;
}

/** Sets the weight of one occurrence in each field of a document. */
function setNorms(
  norms: Float64Array,
  lengths: readonly Uint32Array[],
  averages: readonly number[],
  document: number,
): void {
  for (let position = 0; position < fields.length; position += 1) {
    const field = fields[position] ?? 'text';
    const share = lengthShares[field];
    const length = (lengths[position]?.[document] ?? 0) / (averages[position] ?? 1);
    norms[position] = weights[field] / (1 - share + share * length);
  }
}

function weigh(packed: number, norms: Float64Array): number {
  return (
    (packed & 15) * (norms[0] ?? 0) +
    ((packed >>> 4) & 15) * (norms[1] ?? 0) +
    ((packed >>> 8) & 15) * (norms[2] ?? 0) +
    ((packed >>> 12) & 15) * (norms[3] ?? 0) +
    ((packed >>> 16) & 255) * (norms[4] ?? 0) +
    (packed >>> 24) * (norms[5] ?? 0)
  );
}

function impact(weight: number, slowness: number): number {
  // `Math.round` would take a tenth of the time of indexing.
  return Math.max(1, ((255 * weight) / (weight + slowness) + 0.5) | 0);
}
