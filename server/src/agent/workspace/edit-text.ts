/** Replaces a passage of a text by another one. */
import { trimEndOf } from '../../platform/text.ts';
import { FileError } from './file-error.ts';
import { shownPath } from './paths.ts';
import { keepLastNewline, lineEndingOf, maxFileBytes, toPlain, withEnding } from './text-file.ts';

export interface Replacement {
  oldText: string;
  newText: string;
  /** All places; otherwise there must be exactly one. */
  isEverywhere: boolean;
}

/** Line endings do not count in the search, and those of lines that stay are left alone. */
export function editText(
  path: string,
  text: string,
  { oldText, newText, isEverywhere }: Replacement,
): { text: string; count: number; line: number } {
  const plain = toPlain(text);
  const wanted = toPlain(oldText);
  const put = toPlain(newText);
  if (wanted === '') {
    throw new FileError(
      'The text to be replaced is empty. Copy the passage that shall change from the file, or write the whole file.',
    );
  }
  if (wanted === put) {
    throw new FileError('The new text is the same as the old one: nothing changes.');
  }
  const places = placesOf(plain, wanted);
  const [first] = places;
  if (first === undefined) throw notFound(path, plain, wanted);
  if (places.length > 1 && !isEverywhere) {
    throw new FileError(
      `The text stands ${places.length} times in ${shownPath(path)}, in lines ${linesAt(plain, places)}. Give more of what stands around the one that you mean, or replace all of them with replaceAll.`,
    );
  }
  const grown = plain.length + places.length * (put.length - wanted.length);
  if (grown > maxFileBytes) {
    throw new FileError('The file would become too large; replace less, or by less.');
  }
  const ending = lineEndingOf(text) ?? '\n';
  const [head, tail] = sharedEnds(wanted, put);
  const middle = put.slice(head, put.length - tail);
  const toRaw = rawOffsets(text);
  let edited = '';
  let from = 0;
  for (const place of places) {
    const start = toRaw(place + head);
    edited += text.slice(from, start);
    // What a line begins with ends as that line does.
    edited += withEnding(middle, endingAt(text, start) ?? ending);
    from = toRaw(place + wanted.length - tail);
  }
  edited += text.slice(from);
  const line = lineAt(plain, first);
  return { text: keepLastNewline(text, edited, ending), count: places.length, line };
}

function placesOf(text: string, wanted: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    places.push(at);
  }
  return places;
}

function linesAt(plain: string, places: readonly number[]): string {
  const shown = places.slice(0, 10).map((place) => lineAt(plain, place));
  return shown.join(', ') + (places.length > shown.length ? ', …' : '');
}

const lineAt = (text: string, offset: number) => text.slice(0, offset).split('\n').length;

/** How much two texts share at their beginnings and, apart from that, at their ends. */
function sharedEnds(one: string, other: string): [head: number, tail: number] {
  const most = Math.min(one.length, other.length);
  let head = 0;
  while (head < most && one[head] === other[head]) head += 1;
  let tail = 0;
  while (tail < most - head && one.at(-1 - tail) === other.at(-1 - tail)) tail += 1;
  return [head, tail];
}

/** From an offset in the plain text to one in the text itself; asked in ascending order. */
function rawOffsets(text: string): (offset: number) => number {
  let returns = 0;
  let next = text.indexOf('\r\n');
  return (offset) => {
    while (next >= 0 && next - returns < offset) {
      returns += 1;
      next = text.indexOf('\r\n', next + 2);
    }
    return offset + returns;
  };
}

function endingAt(text: string, offset: number): '\n' | '\r\n' | undefined {
  const next = text.indexOf('\n', offset);
  const newline = next >= 0 ? next : text.lastIndexOf('\n', offset);
  if (newline < 0) return undefined;
  return text[newline - 1] === '\r' ? '\r\n' : '\n';
}

function notFound(path: string, plain: string, wanted: string): FileError {
  const start = `The text was not found in ${shownPath(path)}.`;
  const numbered = wanted.replace(/^ *\d+[:|\t→] ?/gm, '');
  if (numbered !== wanted && plain.includes(numbered)) {
    return new FileError(`${start} Leave out the line numbers: they are not in it.`);
  }
  const lines = plain.split('\n');
  const sought = trimEndOf(wanted, '\n').split('\n');
  const at = looselyAt(lines, sought);
  if (at < 0) return new FileError(`${start} Read the file again, and copy from it.`);
  const last = at + Math.min(sought.length, 30);
  const found = lines.slice(at, last).join('\n');
  return new FileError(
    `${start} It differs from the following only in spaces, quotes or dashes (lines ${at + 1} to ${last}); copy it exactly:\n${found.slice(0, 3000)}`,
  );
}

/** The first line of a passage that differs only in what `loosen` evens out; -1: there is none. */
function looselyAt(lines: readonly string[], sought: readonly string[]): number {
  const loose = lines.map(loosen);
  const wanted = sought.map(loosen);
  return loose.findIndex((_, at) => wanted.every((line, index) => loose[at + index] === line));
}

/** What is easily written otherwise: spaces, typographic quotes and dashes, no-break spaces. */
function loosen(line: string): string {
  return line
    .slice(0, 2000)
    .normalize('NFKC')
    .replace(/[‘’‚‛]/g, "'")
    .replace(/[“”„‟]/g, '"')
    .replace(/[‐‑‒–—]/g, '-')
    .replace(/\s+/g, ' ')
    .trim();
}
