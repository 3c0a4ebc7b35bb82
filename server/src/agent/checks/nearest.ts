/** Finds the name or file that an author probably meant. */
import { slipsBetween } from '../../retrieval/ranker/question.ts';
import { trimEndOf } from '../../platform/text.ts';

/** Longer names aren't compared letter by letter, which takes as many steps as both lengths multiplied. */
const maxName = 500;

/** Returns a number from 0 (different) to 1 (equal), based on the edit distance with transpositions. */
export function similarity(one: string, other: string): number {
  const longest = Math.max(one.length, other.length);
  if (one === other) return 1;
  if (longest > maxName || Math.abs(one.length - other.length) / longest > 0.5) return 0;
  return 1 - slipsBetween(one, other, longest) / longest;
}

export const loose = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

export interface Nearest {
  name: string;
  /** No other name is similar, so the suggestion needs no confirmation. */
  isSure: boolean;
}

/** Returns the most similar name, or `undefined` if none is similar. */
export function nearestName(wanted: string, names: Iterable<string>): Nearest | undefined {
  const plain = loose(wanted);
  let best: { name: string; score: number } | undefined;
  let second = 0;
  for (const name of names) {
    const other = loose(name);
    const score = other === plain ? 1 : similarity(plain, other);
    if (best === undefined || score > best.score) {
      second = best?.score ?? 0;
      best = { name, score };
    } else if (score > second) second = score;
  }
  if (best === undefined || best.score < 0.6) return undefined;
  return { name: best.name, isSure: best.score >= 0.8 && best.score - second >= 0.1 };
}

/** Returns a file with the same name in another folder, or with a similar name. */
export function nearestFile(wanted: string, files: readonly string[]): Nearest | undefined {
  const nameOf = (path: string) => stem(path.split('/').at(-1) ?? path);
  const isIndex = /^(index|readme)$/i;
  const plain = trimEndOf(wanted, '/');
  const name = isIndex.test(nameOf(plain))
    ? nameOf(plain.split('/').slice(0, -1).join('/'))
    : nameOf(plain);
  const own = (path: string) =>
    isIndex.test(nameOf(path)) ? nameOf(path.split('/').slice(0, -1).join('/')) : nameOf(path);
  if (name === '') return undefined;
  const same = files.filter((path) => loose(own(path)) === loose(name));
  if (same.length === 1) return { name: same[0] ?? '', isSure: true };
  if (same.length > 1) {
    const best = nearestName(stem(plain), same.map(stem));
    const file = same.find((path) => stem(path) === best?.name);
    return file === undefined ? undefined : { name: file, isSure: best?.isSure ?? false };
  }
  const near = nearestName(name, new Set(files.map(own)));
  const candidates = near ? files.filter((path) => own(path) === near.name) : [];
  if (near === undefined || candidates.length !== 1) return undefined;
  return { name: candidates[0] ?? '', isSure: near.isSure };
}

const stem = (path: string) =>
  path.replace(/^\.?\/+/, '').replace(/\.(mdx?|markdown|html?|png|jpe?g|gif|svg|webp|avif)$/i, '');
