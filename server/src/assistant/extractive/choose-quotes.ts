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
const longestCode = 1_600;

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
    if (!chosen.some((each) => each.markdown.includes(quote.markdown))) chosen.push(quote);
  }
  return chosen;
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

/** The best stretch of one passage; its heading speaks for all of it, at half weight. */
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
      const code = codeBelow(nodes, index, source);
      const held =
        hold(new Set(terms(text)), heading, wanted) +
        hold(new Set(terms(code)), new Set(), wanted) / 4;
      // The engine's order is evidence too; prose is a better answer than bare code.
      const score = (held / (1 + 0.25 * rank)) * (node.type === 'code' ? 0.7 : 1);
      if (score > (found?.score ?? 0)) {
        found = {
          number: passage.number,
          title: passage.title,
          markdown: [text, code].filter(Boolean).join('\n\n'),
          score,
        };
      }
    }
  });
  return found;
}

function hold(text: Set<string>, heading: Set<string>, wanted: Map<string, number>): number {
  let sum = 0;
  for (const [term, weight] of wanted)
    sum += text.has(term) ? weight : heading.has(term) ? weight / 2 : 0;
  return sum;
}

/** What may be quoted of a block: short ones whole, long ones in runs of up to three sentences or items. */
function stretches(node: RootContent, source: string): string[] {
  const whole = slice(node, source);
  if (node.type === 'code') return whole.length <= longestCode ? [whole] : [];
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

/** A code block right below a paragraph belongs to it. */
function codeBelow(nodes: RootContent[], index: number, source: string): string {
  const next = nodes[index + 1];
  if (nodes[index]?.type !== 'paragraph' || next?.type !== 'code') return '';
  const code = slice(next, source);
  return code.length <= longestCode ? code : '';
}

function slice(node: RootContent, source: string): string {
  const { start, end } = node.position ?? {};
  return source.slice(start?.offset ?? 0, end?.offset ?? 0);
}
