/**
 * Embeds all texts of an indexing run. A batch that's refused is halved, so that it's known which text is
 * at fault. That one is cut, and if that doesn't help either, skipped.
 */
import { DocentError } from '../../platform/errors.ts';
import { countTokens } from '../../platform/models/model-server.ts';
import { retry, type RetryPolicy } from '../../platform/network/retry.ts';
import { similarityOf } from '../vectors.ts';
import { describeFault, EmbedderFault, type FaultKind } from './embedder-fault.ts';
import type { EmbeddingsServer } from './embeddings-server.ts';
import { createPace } from './pace.ts';

/** A text with its vector; `at` is its number. */
export interface Vector {
  at: number;
  vector: Float32Array;
}

export interface EmbedAllOptions {
  signal?: AbortSignal | undefined;
  /** Called for each batch as it arrives, with the speed in texts per second. */
  onVectors: (vectors: Vector[], perSecond: number) => void | Promise<void>;
  /** A text has no vector, for this reason. */
  onSkipped: (at: number, why: string) => void;
  /** The texts may mean the same, so their vectors may be the same. */
  areAlike?: boolean;
}

export type Pauses = Pick<RetryPolicy, 'baseMs' | 'capMs'>;

interface Item {
  at: number;
  text: string;
}

/** If this can't be embedded either, the server is at fault, not the text. */
const harmless = 'A page of documentation.';
/** How often a text is cut, if the server names its length as the reason, and if not. */
const cuts = { length: 8, other: 2 };
/** How often the same is asked. What broke the server is asked less often: one of the texts may be at fault. */
const attempts: Partial<Record<FaultKind, number>> = { busy: 10, unreachable: 5, broken: 3 };
/**
 * How much of a refused text is tried, and the least that is worth a vector. In estimated tokens, because code
 * has twice as many tokens as prose of the same length.
 */
const shorter = { share: 0.75, leastTokens: 16 };
/** Different texts can't have the same vector. */
const same = 0.999_99;

export async function embedAll(
  texts: readonly string[],
  { server, pauses }: { server: EmbeddingsServer; pauses: Pauses },
  options: EmbedAllOptions,
): Promise<void> {
  const { signal, onVectors, onSkipped } = options;
  const pace = createPace();
  /** What the server took after it had refused more. */
  let mostTokens = Infinity;
  let isWorking = false;
  let hasWorked = false;
  let areVaried = options.areAlike ?? false;

  for (let at = 0; at < texts.length;) {
    const items = texts
      .slice(at, at + pace.size())
      .map((text, offset) => ({ at: at + offset, text: cutTo(text, mostTokens) }));
    await sendOrSplit(items);
    at += items.length;
  }

  /** Returns whether one of the texts is at fault. */
  async function sendOrSplit(items: Item[]): Promise<boolean> {
    const [only] = items;
    if (only && items.length === 1) return sendOrCut(only);
    try {
      return await send(items);
    } catch (error) {
      if (!(error instanceof EmbedderFault) || !mayShrink(error)) throw toEnd(error);
      const half = items.length >> 1;
      const isFirst = await sendOrSplit(items.slice(0, half));
      const isSecond = await sendOrSplit(items.slice(half));
      // Both halves were taken, so the number was the reason.
      if (!isFirst && !isSecond) pace.limit(items.length - half);
      return isFirst || isSecond;
    }
  }

  async function sendOrCut(item: Item): Promise<boolean> {
    let { text } = item;
    let isTooLong = false;
    for (let cut = 0; ; cut += 1) {
      try {
        const isAtFault = await send([{ ...item, text }]);
        if (isTooLong) mostTokens = Math.min(mostTokens, countTokens(text));
        return isAtFault || cut > 0;
      } catch (error) {
        if (!(error instanceof EmbedderFault) || !mayShrink(error)) throw toEnd(error);
        const { isLength } = error.facts;
        const tokens = countTokens(text) * shorter.share;
        if (cut >= cuts[isLength ? 'length' : 'other'] || tokens < shorter.leastTokens) {
          await skip(item, error);
          return true;
        }
        isTooLong = isLength === true;
        text = cutTo(text, tokens);
      }
    }
  }

  async function skip({ at }: Item, fault: EmbedderFault): Promise<void> {
    if (!isWorking) {
      const probe = await askPatiently([harmless]).catch(() => undefined);
      if (!(probe?.vectors[0] instanceof Float32Array)) throw toEnd(fault);
    }
    isWorking = false;
    onSkipped(at, fault.facts.said ?? fault.message);
  }

  /** Returns whether one of the vectors is unusable. */
  async function send(items: Item[]): Promise<boolean> {
    const started = performance.now();
    const { vectors } = await askPatiently(items.map(({ text }) => text));
    pace.took(items.length, performance.now() - started);
    const usable = items.flatMap(({ at }, number): Vector[] => {
      const vector = vectors[number];
      return vector instanceof Float32Array ? [{ at, vector }] : [];
    });
    assertVaried(usable);
    if (usable.length > 0) {
      isWorking = true;
      hasWorked = true;
      await onVectors(usable, pace.perSecond());
    }
    for (const [number, item] of items.entries()) {
      const why = vectors[number];
      if (typeof why === 'string') await skip(item, new EmbedderFault('too-much', { said: why }));
    }
    return usable.length < items.length;
  }

  /** Checks the first texts, before anything is kept. */
  function assertVaried([first, ...others]: Vector[]): void {
    if (areVaried || !first || others.length < 2) return;
    areVaried = others.some(({ vector }) => similarityOf(first.vector, vector) <= same);
    if (areVaried) return;
    throw new DocentError(
      'upstream_failed',
      `The embedder returns the same vector for different texts; check search.embedder.model.`,
    );
  }

  function askPatiently(input: string[]) {
    let asked = 0;
    return retry(
      async () => {
        const late = AbortSignal.timeout(pace.timeLimitMs(input.length));
        try {
          return await server.ask(input, signal ? AbortSignal.any([signal, late]) : late);
        } catch (error) {
          throw late.aborted ? new EmbedderFault('silent') : error;
        }
      },
      {
        policy: { ...pauses, attempts: Infinity },
        isRetryable: (error) =>
          error instanceof EmbedderFault && ++asked < (attempts[error.kind] ?? 0),
        retryAfterMs: (error) =>
          error instanceof EmbedderFault ? error.facts.retryAfterMs : undefined,
        signal,
      },
    );
  }

  function mayShrink({ kind }: EmbedderFault): boolean {
    return kind === 'too-much' || kind === 'broken' || (kind === 'silent' && hasWorked);
  }

  function toEnd(error: unknown): unknown {
    signal?.throwIfAborted();
    return error instanceof EmbedderFault ? describeFault(error, server) : error;
  }
}

/** The beginning of a text that has so many tokens. */
function cutTo(text: string, tokens: number): string {
  const share = tokens === Infinity ? 1 : tokens / (countTokens(text) || 1);
  return share >= 1 ? text : text.slice(0, Math.floor(text.length * share)).toWellFormed();
}
