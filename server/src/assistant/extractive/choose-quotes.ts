/**
 * Chooses what to quote: from each passage the stretch of sentences, list items or table that holds
 * most of what the question asks for, with the code that belongs to it.
 */
import type { RootContent } from 'mdast';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { terms } from '../../retrieval/analysis.ts';
import { stem } from '../../retrieval/stem.ts';
import { stopWords, weakWords } from '../../retrieval/words.ts';
import type { NumberedPassage } from '../prompt.ts';

export interface Quote {
  number: string;
  title: string;
  /** Markdown, word for word from the passage. */
  markdown: string;
}

const mostQuotes = 3;
/** A further quote must hold at least this share of what the best one does. */
const worthQuoting = 0.6;
const longestQuote = 700;
const shortSection = 1_000;
const longestBelow = 1_600;
/** What these hold counts less than what prose holds: words of an example are not about it. */
const shareOfKind: Partial<Record<RootContent['type'], number>> = { code: 0.7, table: 0.8 };
const shareOfBelow = 0.25;
const shareOfHeading = 0.8;
const fallByRank = 0.25;
const fallByPlace = 0.1;

const markdown = unified().use(remarkParse).use(remarkGfm);
const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' });

interface Candidate extends Quote {
  score: number;
}

export function chooseQuotes(question: string, passages: NumberedPassage[]): Quote[] {
  const wanted = weigh(question, passages);
  const candidates = passages
    .map((passage, rank) => best(passage, rank, wanted))
    .filter((candidate) => candidate !== undefined)
    .toSorted((a, b) => b.score - a.score);
  const least = (candidates[0]?.score ?? 0) * worthQuoting;
  const chosen: Quote[] = [];
  for (const { score, ...quote } of candidates) {
    if (chosen.length === mostQuotes || score < least) break;
    // Two passages of one section overlap now and then.
    if (!chosen.some((each) => each.markdown.includes(quote.markdown))) {
      chosen.push(chosen.length === 0 ? inFull(quote, passages) : quote);
    }
  }
  return chosen;
}

/** The best quotation of a short section is all of it: a piece of an instruction is none. */
function inFull(quote: Quote, passages: NumberedPassage[]): Quote {
  const passage = passages.find(
    ({ number, markdown: all }) => number === quote.number && all.includes(quote.markdown),
  );
  const nodes = passage ? markdown.parse(passage.markdown).children : [];
  const first = nodes.find((node) => node.type !== 'heading')?.position?.start.offset ?? 0;
  const whole = passage?.markdown.slice(first).trim() ?? '';
  return whole !== '' && whole.length <= shortSection ? { ...quote, markdown: whole } : quote;
}

/** The question's words with their weights: rare ones among the passages count more. */
function weigh(question: string, passages: NumberedPassage[]): Map<string, number> {
  const stops = new Set([...stopWords].map(stem));
  const weak = new Set([...weakWords].map(stem));
  const texts = passages.map((passage) => new Set(terms(passage.markdown)));
  const all = terms(question);
  const content = all.filter((term) => !stops.has(term));
  return new Map(
    (content.length > 0 ? content : all).map((term) => {
      const holding = texts.filter((text) => text.has(term)).length;
      const rarity = Math.log(1 + passages.length / (holding + 0.5));
      return [term, weak.has(term) ? rarity / 2 : rarity];
    }),
  );
}

/** The best stretch of one passage; its heading speaks for all of it. */
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
    for (const text of stretches(node, source)) {
      const more = belongingBelow(nodes, index, source);
      const held =
        hold(new Set(terms(text)), heading, wanted) +
        hold(new Set(terms(more)), new Set(), wanted) * shareOfBelow;
      // The engine's order is evidence too, and a section says first what it is about.
      const score =
        (held * (shareOfKind[node.type] ?? 1)) / (1 + fallByRank * rank + fallByPlace * index);
      if (score > (found?.score ?? 0)) {
        const quote = [text, more].filter(Boolean).join('\n\n');
        found = { number: passage.number, title: passage.title, markdown: quote, score };
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

/** What may be quoted of a block: short ones whole, long ones in runs of up to three sentences or items. */
function stretches(node: RootContent, source: string): string[] {
  const whole = slice(node, source);
  if (node.type === 'code') return whole.length <= longestBelow ? [whole] : [];
  if (node.type === 'html' || node.type === 'thematicBreak' || node.type === 'definition')
    return [];
  if (whole.length <= longestQuote) return [whole];
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
      .filter((text) => text.length <= longestQuote),
  );
}

/** A code block right below a paragraph belongs to it, and whatever follows a colon. */
function belongingBelow(nodes: RootContent[], index: number, source: string): string {
  const [node, next] = nodes.slice(index, index + 2);
  if (node?.type !== 'paragraph' || !next) return '';
  const announces = slice(node, source).trimEnd().endsWith(':');
  if (next.type !== 'code' && !announces) return '';
  const below = slice(next, source);
  return below.length <= longestBelow ? below : '';
}

function slice(node: RootContent, source: string): string {
  const { start, end } = node.position ?? {};
  return source.slice(start?.offset ?? 0, end?.offset ?? 0);
}
