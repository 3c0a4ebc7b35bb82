/**
 * A text file between its bytes and what the model sees. The model reads and writes plain lines; byte
 * order mark, line endings (also mixed ones) and the final newline stay what they are in the file.
 */
import { isUtf8 } from 'node:buffer';
import { diffArrays } from 'diff';
import { FileError, shownPath } from './paths.ts';
import { trimEndOf } from '../../platform/text.ts';

/** A file that is larger is no page that somebody wrote. */
export const maxFileBytes = 2 * 1024 * 1024;

export interface TextFile {
  hasMark: boolean;
  /** Without the byte order mark, with its own line endings. */
  text: string;
}

const mark = '\uFEFF';

export function isText(bytes: Buffer): boolean {
  return !bytes.includes(0) && isUtf8(bytes);
}

export function toTextFile(path: string, bytes: Buffer): TextFile {
  if (bytes.length > maxFileBytes) throw tooLarge(path);
  if (!isText(bytes)) {
    throw new FileError(
      `${shownPath(path)} is not text in UTF-8 (a picture or an archive, perhaps); it can be moved or deleted, not read or edited.`,
    );
  }
  const text = bytes.toString('utf8');
  const hasMark = text.startsWith(mark);
  return { hasMark, text: hasMark ? text.slice(1) : text };
}

export function toBytes(path: string, { hasMark, text }: TextFile): Buffer {
  if (!text.isWellFormed() || text.includes('\0')) {
    throw new FileError('The new text holds half of a character or a NUL; write plain text.');
  }
  const bytes = Buffer.from(hasMark ? mark + text : text);
  if (bytes.length > maxFileBytes) throw tooLarge(path);
  return bytes;
}

function tooLarge(path: string): FileError {
  return new FileError(
    `${shownPath(path)} is larger than ${maxFileBytes / 1024 / 1024} MB; such files are neither read nor written.`,
  );
}

/** As the model sees it: one newline ends a line. */
export function toPlain(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

export type LineEnding = '\n' | '\r\n';

/** The ending that most lines have; `undefined` where there is none. */
export function lineEndingOf(text: string): LineEnding | undefined {
  const { all, windows } = countEndings(text);
  if (all === 0) return undefined;
  return windows * 2 > all ? '\r\n' : '\n';
}

function countEndings(text: string): { all: number; windows: number } {
  let all = 0;
  let windows = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    all += 1;
    if (text[at - 1] === '\r') windows += 1;
  }
  return { all, windows };
}

export function withEnding(plain: string, ending: LineEnding): string {
  return ending === '\n' ? plain : plain.replaceAll('\n', ending);
}

/** A new text in the place of the whole old one: lines that stay keep their own ending. */
export function overwrite(old: string, newText: string): string {
  const plain = toPlain(newText.startsWith(mark) ? newText.slice(1) : newText);
  const ending = lineEndingOf(old) ?? '\n';
  const { all, windows } = countEndings(old);
  const isMixed = windows > 0 && windows < all;
  const text = isMixed ? mixLines(old, plain, ending) : withEnding(plain, ending);
  return keepLastNewline(old, text, ending);
}

function mixLines(old: string, plain: string, ending: LineEnding): string {
  const before = old.split(/(?<=\n)/);
  const after = plain.split(/(?<=\n)/);
  const diff = diffArrays(before.map(toPlain), after, { maxEditLength: 5000 });
  // So different that no line can be said to have stayed.
  if (!diff) return withEnding(plain, ending);
  let at = 0;
  return diff
    .map(({ added, removed, value }) => {
      if (added) return withEnding(value.join(''), ending);
      at += value.length;
      return removed ? '' : before.slice(at - value.length, at).join('');
    })
    .join('');
}

/** A file that ended with a newline does so still, and one that did not does not get one. */
export function keepLastNewline(old: string, text: string, ending: LineEnding): string {
  if (old === '' || text === '') return text;
  const had = old.endsWith('\n');
  if (had && !text.endsWith('\n')) return text + ending;
  if (!had && text.endsWith('\n')) return text.replace(/\r?\n$/, '');
  return text;
}

/** Its characters, or where it is no text, its bytes as such. */
export function textOf(bytes: Buffer | undefined): string {
  if (!bytes) return '';
  return isText(bytes) ? bytes.toString('utf8') : bytes.toString('latin1');
}

interface Replacement {
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
