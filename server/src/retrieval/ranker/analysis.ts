/**
 * Splits text into terms, in the same way for pages and questions. Identifiers (`iterBatches`,
 * `iter_batches`, `a.b`) are split and also kept joined. Scripts without spaces become pairs of letters.
 */

const ascii = /^[\t\n\r -~]*$/;
/** A run of word characters, including the punctuation inside identifiers, paths, and versions. */
const chunkPattern =
  /[\p{L}\p{N}\p{M}]+(?:['’._\-/:@#+]*[\p{L}\p{N}\p{M}_])*(?:\+\+|#(?!\p{L}))?/gu;
const asciiChunkPattern = /[A-Za-z0-9]+(?:['._\-/:@#+]*[A-Za-z0-9_])*(?:\+\+|#(?![A-Za-z]))?/g;
const camel = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})/u;
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u;
const unspacedRun =
  /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{M}ー]+)/u;

/** Longer terms are hashes, keys, and encoded data, which no reader asks for. */
const maxTermLength = 40;

/** Emits each term in order. `raw` is the word in lower case, before stemming. */
export function analyze(text: string, emit: (term: string, raw: string) => void): void {
  eachChunk(text, (chunk) => analyzeChunk(chunk, emit));
}

/** Visits the pieces that are analyzed one by one. Callers with many texts cache the terms of each piece. */
export function eachChunk(text: string, visit: (chunk: string) => void): void {
  const isAscii = ascii.test(text);
  const source = isAscii ? text : fold(text);
  for (const chunk of source.match(isAscii ? asciiChunkPattern : chunkPattern) ?? []) visit(chunk);
}

export function terms(text: string): string[] {
  const found: string[] = [];
  analyze(text, (term) => found.push(term));
  return found;
}

/** Removes width variants, and accents in Latin, Greek, and Cyrillic. */
export function fold(text: string): string {
  return (
    text
      .normalize('NFKD')
      // No letter of a language has more than three parts, but one ligature (ﷺ) has 18.
      .slice(0, 3 * text.length)
      .replaceAll(
        /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])[\u0300-\u036F]+/gu,
        '',
      )
      .normalize('NFC')
      .replaceAll('ß', 'ss')
      .replaceAll(/[\u200B-\u200D\u00AD\uFEFF]/g, '')
  );
}

export function analyzeChunk(chunk: string, emit: (term: string, raw: string) => void): void {
  if (/^[A-Za-z]?[a-z]+$/.test(chunk)) return emitWord(chunk.toLowerCase(), emit);
  const isVersion = /^v?\d+(\.\d+)+$/i.test(chunk);
  if (isVersion) return emitWord(chunk.toLowerCase(), emit);
  if (/^c(\+\+|#)$|^f#$/i.test(chunk)) return emitWord(chunk.toLowerCase(), emit);
  // "it's", "user's" and "don’t" are one word each.
  const plain = chunk.replaceAll(/['’](s\b)?/gi, (_, s) => (s ? ' ' : ''));
  for (const segment of plain.split(/[./:@#+\s]+/)) {
    if (segment === '') continue;
    if (unspaced.test(segment)) {
      emitUnspaced(segment, emit);
      continue;
    }
    const parts = segment
      .split(/[_-]+/)
      .flatMap((part) => part.split(camel))
      .filter(Boolean);
    for (const part of parts) emitWord(part.toLowerCase(), emit);
    if (parts.length > 1 && parts.length <= 5) emitWord(parts.join('').toLowerCase(), emit);
  }
}

function emitWord(word: string, emit: (term: string, raw: string) => void): void {
  if (word.length <= maxTermLength) emit(stem(word), word);
}

function emitUnspaced(segment: string, emit: (term: string, raw: string) => void): void {
  for (const part of segment.split(unspacedRun)) {
    if (part === '') continue;
    if (!unspaced.test(part)) {
      emitWord(part.toLowerCase(), emit);
      continue;
    }
    const letters = part.match(/\P{M}\p{M}*/gu) ?? [];
    if (letters.length === 1) emit(part, part);
    for (let index = 0; index + 1 < letters.length; index += 1) {
      const pair = `${letters[index]}${letters[index + 1]}`;
      emit(pair, pair);
    }
  }
}

/**
 * A light stemmer for English: it removes plurals, -ing, -ed, -ly, and a final e or y. Stems needn't be
 * words, they only need to be equal for the forms of a word. Porter's stemmer removes more and finds less.
 */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  let root = word;
  if (root.endsWith('ies') && root.length > 4) root = `${root.slice(0, -3)}y`;
  else if (/(ss|sh|ch|x|z)es$/.test(root)) root = root.slice(0, -2);
  else if (root.endsWith('s') && !/(ss|us|is)$/.test(root)) root = root.slice(0, -1);
  if (root.endsWith('ing') && hasVowel(root, 3)) root = single(root.slice(0, -3));
  else if (root.endsWith('ed') && hasVowel(root, 2)) root = single(root.slice(0, -2));
  else if (root.endsWith('ly') && root.length > 5) root = root.slice(0, -2);
  if (root.length > 3 && /[ey]$/.test(root)) root = root.slice(0, -1);
  return root;
}

/** Protects words such as "string" and "need", whose remainder isn't a word. */
function hasVowel(word: string, suffix: number): boolean {
  const rest = word.slice(0, -suffix);
  return rest.length >= 3 && /[aeiouy]/.test(rest);
}

/** "running" -> "run", but "calling" -> "call". */
function single(root: string): string {
  return /([bdfgmnprt])\1$/.test(root) ? root.slice(0, -1) : root;
}
