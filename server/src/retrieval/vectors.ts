/** Vectors of passages: their source text, storage, and similarity. */
import { sha256 } from '../platform/hash.ts';
import type { Embedder } from './embedder.ts';
import type { Page, Passage } from './retriever.ts';

/** In characters. Longer texts are cut, as most embedding models do themselves. */
const maxTextLength = 4000;

export function embeddingText(page: Pick<Page, 'title'>, passage: Passage): string {
  const names = [page.title, ...passage.headingPath, passage.heading];
  const headings = names.filter((heading, at) => heading && heading !== names[at - 1]).join(' > ');
  return `${headings}\n${passage.text}\n${passage.code}`.slice(0, maxTextLength).toWellFormed();
}

/** One byte per number takes a quarter of the memory and keeps the order of results. */
export function toBytes(vector: Float32Array): Int8Array {
  return Int8Array.from(vector, (value) => Math.max(-127, Math.min(127, Math.round(value * 127))));
}

/** The cosine of a question and a passage stored as bytes. */
export function similarity(question: Float32Array, bytes: Int8Array, start: number): number {
  let sum = 0;
  for (let at = 0; at < question.length; at += 1)
    sum += (question[at] ?? 0) * (bytes[start + at] ?? 0);
  return sum / 127;
}

/** A fixed-length digest of a vector's source text. */
export function keyOf(text: string): string {
  return sha256(text, 'base64url').slice(0, keyLength);
}

const keyLength = 22;

/** A vector for every passage of a site, in the order of its passages. */
export interface PassageVectors {
  model: string;
  dimensions: number;
  /** The digests of the source texts, concatenated. */
  keys: string;
  values: Int8Array;
}

/** Whether this embedder made the vectors. True if there are neither vectors nor an embedder. */
export function isMadeBy(
  vectors: Pick<PassageVectors, 'model' | 'dimensions'> | null | undefined,
  embedder: Pick<Embedder, 'model' | 'dimensions'> | undefined,
): boolean {
  return vectors?.model === embedder?.model && vectors?.dimensions === embedder?.dimensions;
}

/** Vectors by the digest of their source text. */
function knownVectors(
  vectors: PassageVectors | undefined,
  embedder: Embedder,
): Map<string, Int8Array> {
  const known = new Map<string, Int8Array>();
  if (!vectors || !isMadeBy(vectors, embedder)) return known;
  const { keys, values, dimensions } = vectors;
  for (let at = 0; at * keyLength < keys.length; at += 1) {
    known.set(
      keys.slice(at * keyLength, (at + 1) * keyLength),
      values.subarray(at * dimensions, (at + 1) * dimensions),
    );
  }
  return known;
}

/** Embeds only texts without a known vector, each once. */
export async function collectVectors(
  embedder: Embedder,
  pages: readonly Page[],
  before: readonly (PassageVectors | undefined)[],
): Promise<PassageVectors> {
  const { model, dimensions } = embedder;
  const found = new Map(before.flatMap((some) => [...knownVectors(some, embedder)]));
  const texts = pages.flatMap((page) =>
    page.passages.map((passage) => embeddingText(page, passage)),
  );
  const keys = texts.map(keyOf);
  const wanted = new Map<string, string>();
  for (const [at, key] of keys.entries()) if (!found.has(key)) wanted.set(key, texts[at] ?? '');
  const vectors = await embedder.embed([...wanted.values()]);
  for (const [at, key] of [...wanted.keys()].entries()) {
    const vector = vectors[at];
    if (vector) found.set(key, toBytes(vector));
  }
  const values = new Int8Array(keys.length * dimensions);
  for (const [at, key] of keys.entries()) values.set(found.get(key) ?? [], at * dimensions);
  return { model, dimensions, keys: keys.join(''), values };
}

/** The vectors of the passages `[from, to)`. */
export function sliceVectors(all: PassageVectors, from: number, to: number): PassageVectors {
  return {
    ...all,
    keys: all.keys.slice(from * keyLength, to * keyLength),
    values: all.values.subarray(from * all.dimensions, to * all.dimensions),
  };
}
