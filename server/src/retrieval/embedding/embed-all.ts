/**
 * Embeds all texts of an indexing run. The texts of a batch that's refused are sent one by one, so that it's
 * known which one is at fault. That one is cut, and if that doesn't help either, skipped.
 */
import { DocentError } from '../../platform/errors.ts';
import { countTokens } from '../../platform/models/model-server.ts';
import { retry, type RetryPolicy } from '../../platform/network/retry.ts';
import { similarityOf } from '../vectors.ts';
import { describeFault, EmbedderFault, type FaultKind } from './embedder-fault.ts';
import type { EmbeddingsServer } from './embeddings-server.ts';

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

/** Of texts. It grows while a batch takes less than `briefMs`: a hosted server is asked less often, and with a slow one, a killed run loses little. */
const batchSize = { first: 4, most: 128 };
const briefMs = 1_000;
/** The first answer may wait for the model to load. */
export const loadMs = 600_000;
/** A slow server isn't a broken one: it has ten times what it usually takes. A whole number, as timers want it. */
export const timeLimitMs = (perTextMs: number, texts: number): number =>
  Math.max(60_000, Math.ceil(10 * perTextMs * texts));
/** How much the newest batch counts for the speed. */
const newest = 0.25;
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
  let size = batchSize.first;
  let { most } = batchSize;
  let batches = 0;
  let perTextMs = 0;
  /** What the server took after it had refused more. */
  let mostTokens = Infinity;
  let isWorking = false;
  let hasWorked = false;
  let areVaried = options.areAlike ?? false;

  for (let at = 0; at < texts.length;) {
    const items = texts
      .slice(at, at + size)
      .map((text, offset) => ({ at: at + offset, text: cutTo(text, mostTokens) }));
    const isTaken = items.length > 1 && (await sendTogether(items));
    let isAtFault = false;
    for (const item of isTaken ? [] : items) isAtFault = (await sendOrCut(item)) || isAtFault;
    // Each was taken alone, so the number was the reason.
    if (!isTaken && !isAtFault) most = size = Math.ceil(size / 2);
    else if (isTaken && perTextMs * size < briefMs) size = Math.min(size * 2, most);
    at += items.length;
  }

  /** Returns whether the server took them. */
  async function sendTogether(items: Item[]): Promise<boolean> {
    try {
      await send(items);
      return true;
    } catch (error) {
      if (error instanceof EmbedderFault && mayShrink(error)) return false;
      throw toEnd(error);
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
    batches += 1;
    const tookMs = (performance.now() - started) / items.length;
    // The first one may have waited for the model to load, which says nothing about its speed.
    perTextMs += (tookMs - perTextMs) * (batches > 2 ? newest : 1);
    const usable = items.flatMap(({ at }, number): Vector[] => {
      const vector = vectors[number];
      return vector instanceof Float32Array ? [{ at, vector }] : [];
    });
    assertVaried(usable);
    if (usable.length > 0) {
      isWorking = true;
      hasWorked = true;
      await onVectors(usable, 1000 / Math.max(perTextMs, 0.01));
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
        const late = AbortSignal.timeout(hasWorked ? timeLimitMs(perTextMs, input.length) : loadMs);
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
