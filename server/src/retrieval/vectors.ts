/** Vectors of passages: their source text, storage, and similarity. */
import { sha256 } from '../platform/hash.ts';
import type { Embedder } from './embedder.ts';
import type { KeptVectors } from './embedding/kept-vectors.ts';
import { redact } from '../platform/redaction/redact.ts';
import type { ApplyOptions, Page, Passage, SearchQuery } from './retriever.ts';

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

/** The cosine of two vectors of length 1. */
export function similarityOf(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}

/** A fixed-length digest, such as of a vector's source text. */
export function digestOf(text: string): string {
  return sha256(text, 'base64url').slice(0, keyLength);
}

export const keyLength = 22;

/** What made the vectors of an index. */
export interface VectorSource {
  model: string;
  dimensions: number;
  /** Indexes of earlier versions have none. */
  queryPrefix?: string;
  passagePrefix?: string;
  /** How far the vectors can be trusted, 0 to 1 (`embedding/trust.ts`). */
  trust?: number;
}

/** A vector for every passage of a site, in the order of its passages. A passage without one has zeros. */
export interface PassageVectors extends VectorSource {
  /** The digests of the source texts, concatenated. */
  keys: string;
  values: Int8Array;
}

export function sourceOf(vectors: PassageVectors): VectorSource {
  const { keys: _, values: __, ...source } = vectors;
  return source;
}

/** Whether this embedder made the vectors. True if there are neither vectors nor an embedder. */
export function isMadeBy(
  vectors: VectorSource | null | undefined,
  embedder: Pick<Embedder, 'source'> | undefined,
): boolean {
  if (!vectors || !embedder) return !vectors && !embedder;
  const { source } = embedder;
  return (
    isComparable(vectors, embedder) &&
    (vectors.queryPrefix ?? '') === source.queryPrefix &&
    (vectors.passagePrefix ?? '') === source.passagePrefix
  );
}

/** Whether this embedder's vectors of questions, with the prefix of then, can be compared with these. */
export function isComparable(
  vectors: VectorSource | null | undefined,
  { source }: Pick<Embedder, 'source'>,
): vectors is VectorSource {
  return vectors?.model === source.model && vectors.dimensions === source.dimensions;
}

/** Vectors without any trust don't count, so the question needs none. */
export function isOfUse({ trust }: VectorSource, { only }: Pick<SearchQuery, 'only'>): boolean {
  return trust !== 0 || only === 'vectors';
}

/** Vectors by the digest of their source text. */
function* knownVectors(
  vectors: PassageVectors | undefined,
  embedder: Embedder,
): Generator<[string, Int8Array]> {
  if (!vectors || !isComparable(vectors, embedder)) return;
  const { keys, values, dimensions } = vectors;
  for (let at = 0; at * keyLength < keys.length; at += 1) {
    const bytes = values.subarray(at * dimensions, (at + 1) * dimensions);
    // A text that was skipped gets another chance.
    if (bytes.some((value) => value !== 0))
      yield [keys.slice(at * keyLength, (at + 1) * keyLength), bytes];
  }
}

/** Embeds only texts without a known vector, each once; `answered` are those of the questions. */
export async function collectVectors(
  embedder: Embedder,
  pages: readonly Page[],
  before: readonly (PassageVectors | undefined)[],
  kept: KeptVectors | undefined,
  { signal, onEmbedded, onWarning }: ApplyOptions = {},
  questions: readonly string[] = [],
): Promise<{ vectors: PassageVectors; answered: (Int8Array | undefined)[] }> {
  const { source } = embedder;
  const { dimensions, passagePrefix } = source;
  const found = new Map(before.flatMap((some) => [...knownVectors(some, embedder)]));
  const wanted = new Map<string, { text: string; name: string }>();
  const keys: string[] = [];
  for (const page of pages) {
    for (const passage of page.passages) {
      const text = passagePrefix + embeddingText(page, passage);
      const key = digestOf(text);
      keys.push(key);
      if (!found.has(key)) wanted.set(key, { text, name: `${page.path}#${passage.anchor}` });
    }
  }
  const asked = questions.map(digestOf);
  for (const [at, key] of asked.entries())
    if (!found.has(key)) wanted.set(key, { text: questions[at] ?? '', name: '' });
  const total = wanted.size;
  for (const [key, bytes] of kept?.known ?? []) if (wanted.delete(key)) found.set(key, bytes);
  const missing = [...wanted].map(([key, one]) => ({ key, ...one }));
  let done = total - missing.length;
  if (total > 0) onEmbedded?.({ done, total, perSecond: undefined });
  await embedder.embedPassages(
    missing.map(({ text }) => text),
    {
      signal,
      // Questions may mean the same.
      areAlike: missing.every(({ name }) => name === ''),
      async onVectors(vectors, perSecond) {
        const some = vectors.map(({ at, vector }) => ({
          key: missing[at]?.key ?? '',
          bytes: toBytes(vector),
        }));
        await kept?.add(some);
        for (const { key, bytes } of some) found.set(key, bytes);
        done += some.length;
        onEmbedded?.({ done, total, perSecond });
      },
      onSkipped(at, why) {
        done += 1;
        const name = missing[at]?.name;
        if (name) onWarning?.(`${name} has no vector, and is found by words: ${redact(why)}`);
      },
    },
  );
  const values = new Int8Array(keys.length * dimensions);
  for (const [at, key] of keys.entries()) values.set(found.get(key) ?? [], at * dimensions);
  const answered = asked.map((key) => found.get(key));
  return { vectors: { ...source, keys: keys.join(''), values }, answered };
}

/** The vectors of the passages `[from, to)`. */
export function sliceVectors(all: PassageVectors, from: number, to: number): PassageVectors {
  return {
    ...all,
    keys: all.keys.slice(from * keyLength, to * keyLength),
    values: all.values.subarray(from * all.dimensions, to * all.dimensions),
  };
}
