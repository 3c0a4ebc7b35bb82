import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
} from '@ai-sdk/provider';
import { DocentError } from '../errors.ts';
import { retryAfterMs } from '../network/retry-after.ts';
import { BadChunk } from './chat-completions.ts';
import type { Model, ModelEvent } from './model.ts';

/** How long a model may be silent. Tests shorten this. */
export interface ModelTimeouts {
  /** Until the first token. Reasoning models take long. */
  firstTokenMs: number;
  /** Between tokens. */
  nextTokenMs: number;
}

export const defaultTimeouts: ModelTimeouts = { firstTokenMs: 60_000, nextTokenMs: 30_000 };

/**
 * Reads the text of a model's answer. Skips reasoning and tool calls, which aren't for readers. Every error
 * becomes `upstream_failed` with a message for the reader; its cause is the provider's error, for the log.
 */
export async function* readModel(
  model: Model,
  options: LanguageModelV4CallOptions,
  timeouts: ModelTimeouts = defaultTimeouts,
): AsyncGenerator<ModelEvent, void, undefined> {
  const caller = options.abortSignal;
  const ended = new AbortController();
  const end = () => ended.abort();
  if (caller?.aborted) end();
  caller?.addEventListener('abort', end);
  // The time that the reader takes doesn't count as the model's silence.
  let isReaderBusy = false;
  let isSilent = false;
  const giveUp = () => {
    if (isReaderBusy) return;
    isSilent = true;
    end();
  };
  let timer = setTimeout(giveUp, timeouts.firstTokenMs);
  let isFirst = true;
  let hasFinished = false;

  try {
    const call = { ...options, abortSignal: ended.signal };
    const events = 'read' in model ? model.read(call, ended.signal) : readParts(model, call);
    for await (const event of events) {
      if (event.type === 'text') {
        if (isFirst) {
          isFirst = false;
          clearTimeout(timer);
          timer = setTimeout(giveUp, timeouts.nextTokenMs);
        }
        isReaderBusy = true;
        yield event;
        isReaderBusy = false;
        timer.refresh();
      } else {
        hasFinished = true;
        // To some providers, a broken connection looks like an end.
        if (event.reason === 'interrupted' || event.reason === 'error') throw cutOff();
        yield event;
      }
    }
    if (!hasFinished) throw cutOff();
  } catch (error) {
    if (caller?.aborted || error instanceof DocentError) throw error;
    if (isSilent) {
      throw failed('The language model did not answer in time. Please try again.', error);
    }
    throw fromProvider(error, !isFirst);
  } finally {
    clearTimeout(timer);
    caller?.removeEventListener('abort', end);
  }
}

/** Reads text and end from a model of an AI SDK provider. */
async function* readParts(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
): AsyncGenerator<ModelEvent, void, undefined> {
  const { stream } = await model.doStream(options);
  for await (const part of stream) {
    if (part.type === 'text-delta' && part.delta !== '') yield { type: 'text', text: part.delta };
    else if (part.type === 'finish') {
      yield { type: 'finish', reason: part.finishReason.unified, usage: part.usage };
    } else if (part.type === 'error') {
      if (APICallError.isInstance(part.error)) throw part.error;
      throw reportedError(part.error);
    }
  }
}

/** Readers can't do anything about keys or quotas, so messages only say whether and how long to wait. */
function fromProvider(error: unknown, hasBegun: boolean): DocentError {
  if (error instanceof BadChunk) return reportedError(error);
  const status = APICallError.isInstance(error) ? error.statusCode : undefined;
  // The answer had begun, so the connection broke.
  if (hasBegun || (status !== undefined && status < 300)) return cutOff(error);
  if (status === undefined) {
    return failed('The language model could not be reached. Please try again in a moment.', error);
  }
  if (status === 429) {
    const ms = retryAfterMs((error as APICallError).responseHeaders) ?? 0;
    const retryAfter = ms > 0 ? { retryAfter: Math.ceil(ms / 1000) } : {};
    const message = 'The language model is busy. Please try again in a moment.';
    return new DocentError('upstream_failed', message, { cause: error, ...retryAfter });
  }
  if (status < 500) {
    return failed(
      'The assistant is not set up properly: its language model refused the request.',
      error,
    );
  }
  return reportedError(error);
}

function cutOff(cause?: unknown): DocentError {
  return failed('The answer was cut off on the way. Please try again.', cause);
}

function reportedError(cause: unknown): DocentError {
  return failed('The language model reported an error. Please try again.', cause);
}

function failed(message: string, cause?: unknown): DocentError {
  return new DocentError('upstream_failed', message, { cause });
}
