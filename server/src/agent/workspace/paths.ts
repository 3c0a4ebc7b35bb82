/**
 * Which paths the agent may name at all. Nothing is written to a disk of ours, but what it names is
 * checked out by people on Linux, macOS and Windows: a path must mean the same file on all of them, and
 * none may lead into `.git` on any (git's own rules: `core.protectHFS`, `core.protectNTFS`).
 */
import { trimEndOf } from '../../platform/text.ts';

/** A refusal of a file tool. The message tells the model what to do instead. */
export class FileError extends Error {
  override readonly name: string = 'FileError';
}

export class NotAllowed extends FileError {}

const maxPathBytes = 1000;
const maxNameBytes = 255;

/** Code points that HFS+ leaves out when it compares names (git: `next_hfs_char`), and others that nobody sees. */
const invisible = /\p{Cf}|\p{Default_Ignorable_Code_Point}|\p{Zl}|\p{Zp}|\p{Co}|\p{Cn}/gu;
/** What must not stand in a sentence as it is. */
// oxlint-disable-next-line no-control-regex -- exactly those are looked for
const hidden = new RegExp(`${invisible.source}|[\\u0000-\\u001f\\u007f-\\u009f]`, 'gu');
/** Neither NFC nor NFKC makes these a slash, but they look like one: ⁄ ∕ ⧸ ⟋ ∖ ⧵ ⟍ ╱ ╲. */
const slashLike = /[\u2044\u2215\u29f8\u27cb\u2216\u29f5\u27cd\u2571\u2572]/u;
const devices = /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:\.|$)/i;

/** How file systems that take no notice of case, of composition or of invisible characters see a path. */
export function fold(path: string): string {
  // oxlint-disable-next-line no-control-regex -- the printable range of ASCII
  if (/^[\x20-\x7e]*$/.test(path)) return path.toLowerCase();
  const plain = path.normalize('NFKC').replace(invisible, '');
  // Upper case first: ß and ſ have a capital that falls together with other letters.
  return plain.toUpperCase().toLowerCase().normalize('NFKC');
}

/** A path as it may be asked for; the sentence says how to write it. */
export function checkPath(path: string): string {
  const clean = path.replace(/^(?:\.\/)+/, '');
  const reason = pathMistake(clean);
  if (reason !== undefined) throw invalid(path, reason);
  return clean;
}

/** A path that does not exist yet and shall: it must be a good name on every system. */
export function checkNewPath(path: string): string {
  const clean = checkPath(path);
  const reason = clean
    .split('/')
    .map(nameMistake)
    .find((one) => one !== undefined);
  if (reason !== undefined) throw invalid(path, reason);
  return clean;
}

function invalid(path: string, reason: string): FileError {
  return new FileError(
    `${shownPath(path)} is not a usable path: ${reason}. Write it relative to the top of the repository, with "/" between the names, such as "docs/guide.md".`,
  );
}

/** As it may stand in a sentence or a log: nothing invisible, nothing endless. */
export function shownPath(path: string): string {
  const short = path.length > 200 ? `${path.slice(0, 200)}…` : path;
  return JSON.stringify(short).replace(
    hidden,
    (found) => `\\u{${found.codePointAt(0)?.toString(16) ?? ''}}`,
  );
}

function pathMistake(path: string): string | undefined {
  if (path.trim() === '') return 'it is empty';
  if (!path.isWellFormed()) return 'it holds half of a character';
  // oxlint-disable-next-line no-control-regex -- exactly those are looked for
  if (/[\u0000-\u001f\u007f-\u009f]/.test(path)) {
    return 'it holds a control character or a line break';
  }
  if (path.startsWith('~')) return 'there is no home folder here';
  if (/^[a-z]:/i.test(path)) return 'there are no drives here';
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(path)) return 'it is an address';
  if (path.includes('\\')) return 'it holds a backslash';
  if (path.startsWith('/')) return 'it starts with "/"';
  if (Buffer.byteLength(path) > maxPathBytes) return `it is longer than ${maxPathBytes} bytes`;
  for (const name of path.split('/')) {
    if (name === '') return 'it has an empty name between two "/", or ends with "/"';
    if (name === '.' || name === '..') return `"${name}" leads out of the folder`;
    if (isGitFolder(name)) return 'git keeps its own files there';
    if (Buffer.byteLength(name) > maxNameBytes) {
      return `one of its names is longer than ${maxNameBytes} bytes`;
    }
  }
  return undefined;
}

/** `.git` in all the ways in which HFS+ and NTFS would find it, and the short names that NTFS gives it. */
function isGitFolder(name: string): boolean {
  const seen = trimEndOf(fold(name).split(':', 1)[0] ?? '', '. ');
  return seen === '.git' || /^git~\d+$/.test(seen) || /^\.git(?=[. ]*$)/.test(seen);
}

function nameMistake(name: string): string | undefined {
  const folded = name.normalize('NFKC');
  if (name !== name.normalize('NFC')) {
    return 'its letters are not composed (Unicode NFC), so that it could stand beside another of the same look';
  }
  if (name.search(invisible) >= 0) return 'it contains an invisible character';
  if (slashLike.test(name) || /[/\\]/.test(folded)) return 'it holds what only looks like a slash';
  if (count(folded, '.') !== count(name, '.')) return 'it holds what only looks like a dot';
  if (/^\.+$/.test(folded)) return 'it consists of dots';
  if (/[<>:"|?*]/.test(folded)) return 'Windows allows none of < > : " | ? * in a name';
  if (/[. ]$/.test(folded) || /\s$/u.test(name)) return 'a name ends with a dot or a space';
  if (/^\s/u.test(name)) return 'a name begins with a space';
  if (name.startsWith('-')) return 'a name begins with "-", which programs take for an option';
  if (devices.test(folded)) return `"${name}" is a device on Windows`;
  if (/~\d/.test(folded)) return 'Windows could take it for the short name of another file';
  return undefined;
}

function count(text: string, letter: string): number {
  return text.split(letter).length - 1;
}
