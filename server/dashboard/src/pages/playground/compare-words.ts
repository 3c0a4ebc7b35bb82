interface Piece {
  kind: 'same' | 'left-out' | 'added';
  text: string;
}

/** Longer texts are compared as a whole. */
const mostWords = 3_000;

/** What was left out of a text, and what was put in, by the longest common subsequence of words. */
export function compareWords(before: string, after: string): Piece[] {
  const [a, b] = [wordsOf(before), wordsOf(after)];
  const width = b.length + 1;
  /** How many words the rests from here have in common. */
  const common = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i * width + j] =
        a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const pieces: Piece[] = [];
  const add = (kind: Piece['kind'], text = '') => {
    const last = pieces.at(-1);
    if (last?.kind === kind) last.text += text;
    else pieces.push({ kind, text });
  };
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && a[i] === b[j]) {
      add('same', a[i++]);
      j++;
    } else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1)))
      add('left-out', a[i++]);
    else add('added', b[j++]);
  }
  return pieces;
}

function wordsOf(text: string): readonly string[] {
  const words = text.match(/\s+|https?:[^\s)]+|[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? [];
  return words.length > mostWords ? [text] : words;
}
