/** The text of a page or a section, and the way back from its words to its nodes. */
import { lastAtOrBefore } from './last-at-or-before.ts';
import type { Work } from './slices.ts';

const blocks =
  /^(address|article|aside|blockquote|br|dd|div|dl|dt|figcaption|figure|h[1-6]|hr|li|main|ol|p|pre|section|summary|table|tbody|td|th|thead|tr|ul)$/;
const skipped =
  'script, style, noscript, template, button, select, textarea, docent-widget, [hidden]';
/** How much to read before the page may interrupt the work. */
const nodesPerStep = 200;

export interface PageText {
  text: string;
  /** `end` is exclusive. */
  range: (start: number, end: number) => Range;
}

export interface Section {
  /** Missing: the whole of `root`. */
  from?: Element | undefined;
  /** The first element after the section. */
  until?: Element | undefined;
  /** The maximum number of characters. */
  maxCharacters: number;
}

export function* readText(root: Element, { from, until, maxCharacters }: Section): Work<PageText> {
  const starts: number[] = [];
  const nodes: Text[] = [];
  // Joined at the end: `endsWith` on a growing string would join it each time.
  const pieces: string[] = [];
  let length = 0;
  let count = 0;
  const add = (piece: string) => {
    pieces.push(piece);
    length += piece.length;
  };
  const isBlock = (node: Node) => node instanceof Element && blocks.test(node.localName);
  const isSkipped = (node: Node) => node instanceof Element && node.matches(skipped);
  const endLine = () => {
    if (length && !pieces.at(-1)?.endsWith('\n')) add('\n');
  };
  let node: Node | null = from ?? root;
  while (node && node !== until && length < maxCharacters) {
    if (++count % nodesPerStep === 0) yield;
    if (node instanceof Text && node.data) {
      starts.push(length);
      nodes.push(node);
      add(node.data);
    }
    if (isBlock(node)) endLine();
    let next: Node | null = isSkipped(node) ? null : node.firstChild;
    while (node && !next) {
      if (isBlock(node)) endLine();
      next = node === root ? null : node.nextSibling;
      node = node === root ? null : node.parentNode;
    }
    node = next;
  }
  endLine();
  const text = pieces.join('');

  const positionOf = (at: number): [Text, number] | undefined => {
    const index = lastAtOrBefore(starts, at);
    const found = nodes[index];
    return found && [found, Math.min(Math.max(at - (starts[index] ?? 0), 0), found.length)];
  };
  return {
    text,
    range(start, end) {
      const range = new Range();
      const first = positionOf(start);
      const last = positionOf(end - 1);
      if (first) range.setStart(...first);
      if (last) range.setEnd(last[0], Math.min(last[1] + 1, last[0].length));
      return range;
    },
  };
}
