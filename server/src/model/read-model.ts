import {
  APICallError,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { DocentError } from '../errors.ts';
import type { Model } from './model.ts';

/** How long a model may be silent. Settings of the code that calls, so that tests can shorten them. */
export interface ModelPatience {
  /** Until the first token; models that think first need long. */
  firstTokenMs: number;
  /** Between two tokens. */
  nextTokenMs: number;
}

export const defaultPatience: ModelPatience = { firstTokenMs: 60_000, nextTokenMs: 30_000 };

export type ModelEvent =
  | { type: 'text'; text: string }
  | { type: 'finish'; reason: string; usage: LanguageModelV4Usage };

/**
 * The text of a model's answer as it comes. Reasoning and tool calls are left out: no part of them is
 * for readers. Every fault becomes `upstream_failed` with a sentence for the reader; the provider's own
 * words are its cause, for the log.
 */
export async function* readModel(
  model: Model,
  options: LanguageModelV4CallOptions,
  patience: ModelPatience = defaultPatience,
): AsyncGenerator<ModelEvent, void, undefined> {
  const silence = new AbortController();
  const caller = options.abortSignal;
  const abortSignal = caller ? AbortSignal.any([caller, silence.signal]) : silence.signal;
  let timer = setTimeout(() => silence.abort(), patience.firstTokenMs);

  try {
    const { stream } = await model.doStream({ ...options, abortSignal });
    let finished = false;
    for await (const part of stream) {
      if (part.type === 'text-delta') {
        if (part.delta === '') continue;
        clearTimeout(timer);
        yield { type: 'text', text: part.delta };
        timer = setTimeout(() => silence.abort(), patience.nextTokenMs);
      } else if (part.type === 'finish') {
        finished = true;
        // A connection that was cut looks like an end to some providers; it is none.
        if (part.finishReason.unified === 'interrupted' || part.finishReason.unified === 'error') {
          throw failed('The answer was cut off on the way. Please try again.');
        }
        yield { type: 'finish', reason: part.finishReason.unified, usage: part.usage };
      } else if (part.type === 'error') {
        throw APICallError.isInstance(part.error)
          ? fromProvider(part.error)
          : failed('The language model reported an error. Please try again.', part.error);
      }
    }
    if (!finished) throw failed('The answer was cut off on the way. Please try again.');
  } catch (error) {
    if (caller?.aborted || error instanceof DocentError) throw error;
    if (silence.signal.aborted) {
      throw failed('The language model did not answer in time. Please try again.', error);
    }
    throw fromProvider(error);
  } finally {
    clearTimeout(timer);
  }
}

/** A reader can do nothing about a key or a quota; what they can do is wait, and for how long. */
function fromProvider(error: unknown): DocentError {
  const status = APICallError.isInstance(error) ? error.statusCode : undefined;
  if (status === undefined) {
    return failed('The language model could not be reached. Please try again in a moment.', error);
  }
  // It had begun to answer: the connection broke on the way.
  if (status < 400) return failed('The answer was cut off on the way. Please try again.', error);
  if (status === 429) {
    const seconds = Number((error as APICallError).responseHeaders?.['retry-after']);
    const retryAfter = Number.isFinite(seconds) && seconds > 0 ? { retryAfter: seconds } : {};
    const message = 'The language model has too much to do. Please try again in a moment.';
    return new DocentError('upstream_failed', message, { cause: error, ...retryAfter });
  }
  if (status < 500) {
    return failed(
      'The assistant is not set up properly: its language model refused the request.',
      error,
    );
  }
  return failed('The language model reported an error. Please try again.', error);
}

function failed(message: string, cause?: unknown): DocentError {
  return new DocentError('upstream_failed', message, { cause });
}
