/** Pieces of text that know where each of their lines comes from. */
import type { Found } from './include.ts';

export interface Line {
  /** Of the page. For an included line, the line that includes it. */
  line: number;
  /** The included file. `undefined`: the line is the page's own. */
  from?: string;
  /** Relative links start at the included file. */
  hasOwnLinks?: boolean;
}

export interface Piece {
  text: string;
  lines: Line[];
}

export function toPiece(text: string, origin: Line): Piece {
  return { text, lines: text.split('\n').map(() => ({ ...origin })) };
}

/** `two` starts at the end of the last line of `one`. */
export function joinPieces(one: Piece, two: Piece): Piece {
  return { text: one.text + two.text, lines: [...one.lines, ...two.lines.slice(1)] };
}

/** A document or a code block on lines of its own doesn't continue the paragraph above or below. */
export function spaced(piece: Piece, { isBlock }: Found): Piece {
  if (!isBlock && !piece.text.includes('\n')) return piece;
  const first = piece.lines[0] as Line;
  const last = piece.lines.at(-1) as Line;
  return { text: `\n${piece.text}\n`, lines: [{ ...first }, ...piece.lines, { ...last }] };
}

export function trimmed({ text, lines }: Piece): Piece {
  const all = text.split('\n');
  let [from, to] = [0, all.length];
  while (from < to && all[from]?.trim() === '') from += 1;
  while (to > from && all[to - 1]?.trim() === '') to -= 1;
  if (from === to) return { text: '', lines: lines.slice(0, 1) };
  return { text: all.slice(from, to).join('\n'), lines: lines.slice(from, to) };
}

/** Blank lines of a quote keep its mark, so that it doesn't end there. */
export function indented({ text, lines }: Piece, prefix: string): Piece {
  if (prefix === '') return { text, lines };
  const blank = prefix.includes('>') ? prefix.trimEnd() : '';
  const all = text.split('\n').map((line) => (line.trim() === '' ? blank : prefix + line));
  return { text: all.join('\n'), lines };
}

/** Collects the new text with the origin of each of its lines. */
export function createOutput() {
  const chunks: string[] = [];
  const lines: Line[] = [{ line: 1 }];
  let own = 1;
  /** Whether the last line has something in it. */
  let isStarted = false;
  const take = (text: string, origin: (index: number) => Line): void => {
    if (text === '') return;
    chunks.push(text);
    const count = countLines(text);
    if (!isStarted) lines[lines.length - 1] = origin(0);
    for (let index = 1; index <= count; index += 1) lines.push(origin(index));
    isStarted = !text.endsWith('\n');
  };
  return {
    get text() {
      return chunks.join('');
    },
    lines,
    line: () => own,
    own(text: string): void {
      take(text, (index) => ({ line: own + index }));
      own += countLines(text);
    },
    put(piece: Piece): void {
      take(piece.text, (index) => piece.lines[index] as Line);
    },
    skip(text: string): void {
      own += countLines(text);
    },
  };
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
