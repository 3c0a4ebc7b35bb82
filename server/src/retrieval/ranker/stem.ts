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
