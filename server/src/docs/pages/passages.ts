/** Cuts the blocks of a page into passages, each below one heading. */
import type { Passage } from '../../retrieval/retriever.ts';
import { type Block, joinCode, joinText } from './render.ts';

/** The maximum length of a passage in characters of Markdown. A single code block may be longer. */
export const passageLength = 1600;

/** Longer code blocks are cut between lines. */
const codeBlockLength = 6000;

interface Section {
  anchor: string;
  heading: string;
  headingPath: string[];
  blocks: Block[];
}

export function toPassages(blocks: Block[], title: string): Passage[] {
  return toSections(blocks, title).flatMap(cutSection);
}

function toSections(blocks: Block[], title: string): Section[] {
  const open: { depth: number; text: string }[] = [];
  let section: Section = { anchor: '', heading: title, headingPath: [], blocks: [] };
  const sections = [section];
  for (const block of blocks) {
    if (block.kind !== 'heading') {
      section.blocks.push(block);
      continue;
    }
    const depth = block.depth ?? 1;
    const anchor = block.anchor ?? '';
    const isTitle =
      depth === 1 && sections.length === 1 && (section.blocks.length === 0 || block.text === title);
    if (isTitle) continue;
    while (open.length > 0 && (open.at(-1)?.depth ?? 0) >= depth) open.pop();
    const headingPath = open.map((one) => one.text).filter((text) => text !== title);
    open.push({ depth, text: block.text });
    section = { anchor, heading: block.text, headingPath, blocks: [] };
    sections.push(section);
  }
  return sections;
}

function cutSection({ blocks, ...heading }: Section): Passage[] {
  const all = blocks.flatMap(cutBlock);
  return runsOf(all, passageLength, (block) => block.markdown.length + 2).map((run) => ({
    ...heading,
    markdown: run
      .map((block) => block.markdown)
      .filter(Boolean)
      .join('\n\n'),
    text: joinText(run),
    code: joinCode(run),
  }));
}

/** Items that are no longer than the limit together. A longer one is alone. */
function runsOf(blocks: Block[], limit: number, lengthOf: (block: Block) => number): Block[][] {
  const runs: Block[][] = [];
  let length = Infinity;
  for (const block of blocks) {
    const own = lengthOf(block);
    if (length + own > limit) {
      runs.push([]);
      length = 0;
    }
    runs.at(-1)?.push(block);
    length += own;
  }
  return runs;
}

/** Cuts a long block at list items, table rows, lines, or sentences. */
function cutBlock(block: Block): Block[] {
  const limit = block.kind === 'code' ? codeBlockLength : passageLength;
  if (block.markdown.length <= limit) return [block];
  if (block.kind === 'code') return cutCode(block);
  if (block.items && block.items.length > 1) return cutItems(block, block.items);
  return cutText(block);
}

function cutItems(block: Block, items: Block[]): Block[] {
  const head = block.head ? `${block.head}\n` : '';
  const most = passageLength - head.length + 1;
  return runsOf(items, most, (item) => item.markdown.length + 1).flatMap((run): Block[] => {
    const [first] = run;
    if (first && first.markdown.length > passageLength) return cutText(first);
    const markdown = head + run.map((item) => item.markdown).join('\n');
    return [{ kind: 'text', markdown, text: joinText(run), code: joinCode(run) }];
  });
}

function cutCode(block: Block): Block[] {
  const [open = '```', ...lines] = block.markdown.split('\n');
  const close = lines.pop() ?? '```';
  return group(lines, codeBlockLength, '\n').map((piece) => ({
    kind: 'code',
    markdown: `${open}\n${piece}\n${close}`,
    text: '',
    code: piece,
  }));
}

/** Cuts prose between sentences. The code of a list item stays with its first piece. */
function cutText(block: Block): Block[] {
  const markdown = group(
    block.markdown.split(/(?<=[.!?。！？]["')\]]?)\s+|\n/),
    passageLength,
    ' ',
  );
  const text = group(block.text.split(/(?<=[.!?。！？]["')\]]?)\s+|\n/), passageLength, ' ');
  if (block.code) {
    // Cutting at sentences would break the code.
    if (block.markdown.length <= codeBlockLength) return [{ ...block, kind: 'code' }];
    const lines = group(block.markdown.split('\n'), codeBlockLength, '\n');
    return lines.map((piece, index) => ({
      kind: 'code',
      markdown: piece,
      text: index === 0 ? block.text : '',
      code: index === 0 ? block.code : '',
    }));
  }
  const length = Math.max(markdown.length, text.length);
  return Array.from({ length }, (_, index) => ({
    kind: 'text',
    markdown: markdown[index] ?? text[index] ?? '',
    text: text[index] ?? '',
    code: '',
  }));
}

/** Joins pieces up to the limit. A longer piece is cut anywhere. */
function group(pieces: string[], limit: number, by: string): string[] {
  const groups: string[] = [];
  let current = '';
  for (const piece of pieces.flatMap((one) => hardCut(one, limit))) {
    if (current && current.length + by.length + piece.length > limit) {
      groups.push(current);
      current = piece;
    } else {
      current = current ? current + by + piece : piece;
    }
  }
  if (current.trim()) groups.push(current);
  return groups;
}

function hardCut(text: string, limit: number): string[] {
  if (text.length <= limit) return [text];
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    let end = Math.min(at + limit, text.length);
    // Don't cut a surrogate pair.
    if (end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end -= 1;
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}
