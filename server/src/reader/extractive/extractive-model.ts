/**
 * The built-in model, which needs no network and no key. It quotes the retrieved passages that answer the
 * question, and says so if nothing was found. Its answers take the same path as those of any other model.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { TextModel } from '../../platform/models/model.ts';
import { notFoundSentence, type NumberedPassage } from '../ask/prompt.ts';
import type { ArrangedResult } from '../ask/reader-pages.ts';
import type { RootContent } from 'mdast';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { terms } from '../../retrieval/ranker/analysis.ts';
import { contentWords } from '../../retrieval/ranker/question.ts';

/** Readers can follow an answer better if it arrives line by line. */
const defaultPaceMs = 12;

export function createExtractiveModel({ paceMs = defaultPaceMs } = {}): TextModel {
  return {
    provider: 'docent',
    modelId: 'extractive',
    async *read({ quotable }, signal) {
      const quoted = quotable && quote(quotable.question, quotable.passages, quotable.ahead);
      const text =
        quoted === undefined
          ? `${notFoundSentence} Try other words, or the name of what you're looking for.`
          : `*Quoted from the documentation:*\n\n${quoted}`;
      const words = text.split(/(?<=\s)(?=\S)/);
      for (let at = 0; at < words.length; at += 4) {
        yield { type: 'text', text: words.slice(at, at + 4).join('') };
        if (paceMs > 0) await pause(paceMs, undefined, signal && { signal });
      }
      yield { type: 'finish', reason: 'stop', inputTokens: 0, outputTokens: 0 };
    },
  };
}

/**
 * Quotes the passages that answer the question, each under its title. Returns `undefined` if none does. A
 * question about the first passages is answered from these. Otherwise, what the search found is better.
 */
export function quote(
  question: string,
  passages: NumberedPassage[],
  ahead?: ArrangedResult['ahead'],
): string | undefined {
  const own = passages.slice(0, ahead?.passages);
  const read = !ahead || ahead.isMeant ? own : [...passages.slice(ahead.passages), ...own];
  const matching = ahead?.isWhole ? [] : chooseQuotes(question, read);
  const quotes = ahead?.isMeant && matching.length === 0 ? quoteStart(own) : matching;
  if (quotes.length === 0) return undefined;
  const quoted = quotes.map(({ number, title, markdown }, index) => {
    // Consecutive quotations of one section share a heading.
    const isSameSection = quotes[index - 1]?.number === number;
    return isSameSection ? markdown : `**${escape(title)}** [${number}]\n\n${markdown}`;
  });
  return quoted.join('\n\n');
}

/** A title is plain text, so Markdown characters in it are escaped. */
function escape(title: string): string {
  return title.replace(/[\\`*_[\]<>]/g, '\\$&');
}

/**
 * Chooses what to quote: from each passage the sentences, list items, or table that contain most of the
 * question's words, with the code that belongs to them.
 */

export interface Quote {
  number: string;
  title: string;
  /** Markdown, verbatim from the passage. */
  markdown: string;
}

const maxQuotes = 3;
/** Further quotes need at least this share of the best score. */
const worthQuoting = 0.6;
const maxQuoteLength = 700;
const shortSectionLength = 1_000;
const maxBelowLength = 1_600;
/** A shorter beginning is followed by the next passage. */
const minStartLength = 400;
/** Words in these blocks count less than in prose: the words of examples and settings aren't their subject. */
const shareOfKind: Partial<Record<RootContent['type'], number>> = { code: 0.5, table: 0.5 };
const shareOfBelow = 0.25;
/** A heading says what a section is about, and answers nothing. */
const shareOfHeading = 0.3;
const fallByRank = 0.25;
/** The first quote follows the order of the search more than the others do. */
const firstFallByRank = 1.5;
const fallByPlace = 0.1;

const markdown = unified().use(remarkParse).use(remarkGfm);
const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' });

interface Candidate {
  passage: NumberedPassage;
  /** Its blocks, without headings. */
  nodes: RootContent[];
  markdown: string;
  score: number;
  /** The score as the first quote. */
  firstScore: number;
}

export function chooseQuotes(question: string, passages: NumberedPassage[]): Quote[] {
  const wanted = weigh(question, passages);
  const candidates = passages
    .map((passage, rank) => best(passage, rank, wanted))
    .filter((candidate) => candidate !== undefined)
    .toSorted((a, b) => b.score - a.score);
  const least = (candidates[0]?.score ?? 0) * worthQuoting;
  const [first] = candidates.toSorted((a, b) => b.firstScore - a.firstScore);
  const chosen: Quote[] = [];
  for (const candidate of new Set([...(first ? [first] : []), ...candidates])) {
    if (chosen.length === maxQuotes || (candidate !== first && candidate.score < least)) break;
    // Passages of one section may overlap.
    if (chosen.some((each) => each.markdown.includes(candidate.markdown))) continue;
    const { number, title } = candidate.passage;
    const text = chosen.length === 0 ? inFull(candidate) : candidate.markdown;
    chosen.push({ number, title, markdown: text });
  }
  return chosen;
}

/** The beginning of what the reader means: blocks of its first passages, until they are enough to read. */
export function quoteStart(passages: NumberedPassage[]): Quote[] {
  const quotes: Quote[] = [];
  let length = 0;
  for (const { number, title, markdown: source } of passages.slice(0, maxQuotes)) {
    const blocks: string[] = [];
    for (const node of markdown.parse(source).children) {
      const block = slice(node, source);
      if (length > 0 && length + block.length > shortSectionLength) break;
      if (node.type === 'heading' || node.type === 'html') continue;
      length += block.length;
      blocks.push(block);
    }
    if (blocks.length > 0) quotes.push({ number, title, markdown: blocks.join('\n\n') });
    if (length >= minStartLength) break;
  }
  return quotes;
}

/** Quotes a short section as a whole: part of an instruction is useless. Most rows of a table are about something else. */
function inFull({ passage, nodes, markdown: text }: Candidate): string {
  if (nodes.some(({ type }) => type === 'table')) return text;
  const whole = passage.markdown.slice(nodes[0]?.position?.start.offset ?? 0).trim();
  return whole.length <= shortSectionLength ? whole : text;
}

/** The question's content words. Words that are rare among the passages count more. */
function weigh(question: string, passages: NumberedPassage[]): Map<string, number> {
  const texts = passages.map((passage) => new Set(terms(passage.markdown)));
  return new Map(
    [...contentWords(question)].map(([term, weight]) => {
      const holding = texts.filter((text) => text.has(term)).length;
      return [term, weight * Math.log(1 + passages.length / (holding + 0.5))];
    }),
  );
}

/** The best part of one passage. Its heading counts for all parts. */
function best(
  passage: NumberedPassage,
  rank: number,
  wanted: Map<string, number>,
): Candidate | undefined {
  const source = passage.markdown;
  const nodes = markdown.parse(source).children.filter((node) => node.type !== 'heading');
  const heading = new Set(terms(passage.title));
  let found: Candidate | undefined;
  nodes.forEach((node, index) => {
    const more = belongingBelow(nodes, index, source, wanted);
    const heldBelow = hold(new Set(terms(more)), new Set(), wanted) * shareOfBelow;
    for (const text of stretches(node, source)) {
      const held = hold(new Set(terms(text)), heading, wanted) + heldBelow;
      const own = held * (shareOfKind[node.type] ?? 1);
      // The engine's order counts too, and sections name their subject first.
      const fall = 1 + fallByPlace * index;
      const score = own / (fall + fallByRank * rank);
      const firstScore = own / (fall + firstFallByRank * rank);
      if (score > (found?.score ?? 0)) {
        const quote = [text, more].filter(Boolean).join('\n\n');
        found = { passage, nodes, markdown: quote, score, firstScore };
      }
    }
  });
  return found;
}

function hold(text: Set<string>, heading: Set<string>, wanted: Map<string, number>): number {
  let sum = 0;
  for (const [term, weight] of wanted)
    sum += text.has(term) ? weight : heading.has(term) ? weight * shareOfHeading : 0;
  return sum;
}

/** What may be quoted of a block: all of a short one, up to three sentences or items of a long one, or rows of a table. */
function stretches(node: RootContent, source: string): string[] {
  const whole = slice(node, source);
  if (node.type === 'code') return whole.length <= maxBelowLength ? [whole] : [];
  if (node.type === 'html' || node.type === 'thematicBreak' || node.type === 'definition')
    return [];
  if (node.type === 'table') {
    const [names, line, ...rows] = whole.split('\n');
    const parts = runs(rows, '\n').map((some) => [names, line, some].join('\n'));
    // The shortest that has the words is chosen.
    return parts.toSorted((a, b) => a.length - b.length);
  }
  if (whole.length <= maxQuoteLength) return [whole];
  if (node.type === 'list') {
    return runs(
      node.children.map((item) => slice(item, source)),
      '\n',
    );
  }
  if (node.type === 'paragraph') {
    return runs(
      [...sentences.segment(whole)].map(({ segment }) => segment),
      '',
    );
  }
  return [];
}

function runs(pieces: string[], glue: string): string[] {
  return pieces.flatMap((_, start) =>
    [1, 2, 3]
      .filter((length) => start + length <= pieces.length)
      .map((length) =>
        pieces
          .slice(start, start + length)
          .join(glue)
          .trim(),
      )
      .filter((text) => text.length <= maxQuoteLength),
  );
}

/**
 * A code block right below a paragraph belongs to it, and so does anything after a colon. A table only
 * does if the paragraph has a word of the question.
 */
function belongingBelow(
  nodes: RootContent[],
  index: number,
  source: string,
  wanted: Map<string, number>,
): string {
  const [node, next] = nodes.slice(index, index + 2);
  if (node?.type !== 'paragraph' || !next) return '';
  const announces = slice(node, source).trimEnd().endsWith(':');
  if (next.type !== 'code' && !announces) return '';
  if (next.type === 'table' && !terms(slice(node, source)).some((term) => wanted.has(term)))
    return '';
  const below = slice(next, source);
  return below.length <= maxBelowLength ? below : '';
}

function slice(node: RootContent, source: string): string {
  const { start, end } = node.position ?? {};
  return source.slice(start?.offset ?? 0, end?.offset ?? 0);
}
