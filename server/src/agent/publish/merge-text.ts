import { diff3Merge } from 'node-diff3';

/**
 * Both sides' changes to one text, line by line; `undefined` where they cannot stand together, or where
 * it is no text. Line endings and a byte order mark stay as each side has them.
 */
export function mergeText(base: Buffer, ours: Buffer, theirs: Buffer): Buffer | undefined {
  const texts = [ours, base, theirs].map(linesOf);
  const [a, o, b] = texts;
  if (a === undefined || o === undefined || b === undefined) return undefined;
  const merged: string[] = [];
  for (const region of diff3Merge(a, o, b, { excludeFalseConflicts: true })) {
    if (region.ok === undefined) return undefined;
    // Not spread: a region may be longer than an argument list.
    for (const line of region.ok) merged.push(line);
  }
  return Buffer.from(merged.join(''));
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Each with its line ending. */
function linesOf(content: Buffer): string[] | undefined {
  if (content.includes(0)) return undefined;
  try {
    return utf8.decode(content).match(/[^\n]*\n|[^\n]+$/g) ?? [];
  } catch {
    return undefined;
  }
}
