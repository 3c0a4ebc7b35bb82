/**
 * A text file between its bytes and what the model sees. The model reads and writes plain lines; byte
 * order mark, line endings (also mixed ones) and the final newline stay what they are in the file.
 */
import { isUtf8 } from 'node:buffer';
import { diffArrays } from 'diff';
import { FileError } from './file-error.ts';
import { shownPath } from './paths.ts';

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
