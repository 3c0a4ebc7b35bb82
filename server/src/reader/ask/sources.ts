import { analyze } from '../../retrieval/ranker/analysis.ts';
import { contentWords } from '../../retrieval/ranker/question.ts';
import {
  type FoundPage,
  type FoundPassage,
  type Passage,
  toReaderText,
} from '../../retrieval/retriever.ts';
import { pageUrl, type Site } from '../../platform/tenants/sites.ts';
import type { NumberedPassage } from './prompt.ts';
import type { Source } from '../conversations/threads.ts';

/** Nine passages of an ordinary answer have at most 14,400 characters, unless they're long blocks of code. */
const maxPassagesLength = 50_000;

/** Numbers the sources. Passages of the same section share one number. What exceeds a prompt is left out. */
export function toSources(
  pages: FoundPage[],
  docs: Pick<Site['docs'], 'baseUrl' | 'pathStyle'>,
  question: string,
): { sources: Source[]; passages: NumberedPassage[]; quotes: Map<Source, string> } {
  const sources: Source[] = [];
  const found = new Map<Source, FoundPassage[]>();
  const passages: NumberedPassage[] = [];
  let room = maxPassagesLength;
  for (const page of pages) {
    for (const passage of page.passages) {
      if (passage.markdown.length > room && passages.length > 0) continue;
      room -= passage.markdown.length;
      const url = pageUrl(docs, page, passage.anchor);
      let source = sources.find((each) => each.url === url);
      if (!source) {
        const isWholePage = passage.anchor === '' || passage.heading === page.title;
        const title = isWholePage ? page.title : `${page.title} › ${passage.heading}`;
        const { version } = page;
        const id = String(sources.length + 1);
        source = { id, url, title, ...(version !== undefined && { version }) };
        sources.push(source);
      }
      passages.push({
        number: source.id,
        title: source.title,
        url,
        ...(page.modified !== undefined && { modified: page.modified }),
        score: passage.score,
        markdown: passage.markdown,
      });
      found.set(source, [...(found.get(source) ?? []), passage]);
    }
  }
  const wanted = contentWords(question);
  const quoted = (source: Source) => toReaderText(quoteOf(wanted, found.get(source) ?? []));
  const quotes = new Map(sources.map((one) => [one, quoted(one)]));
  return { sources, passages, quotes };
}

/**
 * Maximum characters of a source's quotation, by which the reader's page finds the cited words. Nine
 * sources add about 5 kB to a stream. The specification doesn't have it.
 */
export const maxQuoteLength = 600;

const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' });

/**
 * The plain text of a source, as it's on the page: all of a short passage, or the sentences of a long one
 * that contain most of the wanted words. Empty if there is nothing to quote.
 */
export function quoteOf(
  wanted: ReadonlyMap<string, number>,
  passages: Pick<Passage, 'text' | 'code'>[],
): string {
  const texts = passages.map(({ text, code }) => (text.trim() || code).trim()).filter(Boolean);
  if (texts.every((text) => text.length <= maxQuoteLength)) return joined(texts);
  let best = { text: '', held: -1 };
  for (const text of texts) {
    // Sums of the same weights may differ in their last digits.
    for (const run of runsOf(text, wanted)) if (run.held > best.held + 1e-9) best = run;
  }
  return best.text.toWellFormed().trim();
}

/** Joins as many as fit, best first. */
function joined(texts: string[]): string {
  let quote = '';
  for (const text of new Set(texts)) {
    const longer = quote ? `${quote}\n${text}` : text;
    if (longer.length <= maxQuoteLength) quote = longer;
  }
  return quote;
}

/**
 * For each sentence, the longest run of whole sentences that starts with it, and the weight of the wanted
 * words in it. Each sentence is analyzed once, and joins and leaves the run once.
 */
function* runsOf(
  text: string,
  wanted: ReadonlyMap<string, number>,
): Generator<{ text: string; held: number }> {
  const pieces = Array.from(sentences.segment(text), ({ segment, index }) => {
    // A table or a list without full stops may be one long sentence.
    const shown = segment.slice(0, maxQuoteLength);
    const words = new Set<string>();
    analyze(shown, (term) => {
      if (wanted.has(term)) words.add(term);
    });
    return { start: index, end: index + segment.length, shown, words };
  });
  /** How many sentences of the run hold a word. */
  const holding = new Map<string, number>();
  let held = 0;
  let next = 0;
  for (const [at, first] of pieces.entries()) {
    for (let piece; (piece = pieces[next]); next++) {
      if (next > at && piece.end - first.start > maxQuoteLength) break;
      for (const word of piece.words) {
        const times = holding.get(word) ?? 0;
        if (times === 0) held += wanted.get(word) ?? 0;
        holding.set(word, times + 1);
      }
    }
    const run = next === at + 1 ? first.shown : text.slice(first.start, pieces[next - 1]?.end);
    yield { text: run, held };
    for (const word of first.words) {
      const times = (holding.get(word) ?? 1) - 1;
      if (times === 0) held -= wanted.get(word) ?? 0;
      holding.set(word, times);
    }
  }
}
