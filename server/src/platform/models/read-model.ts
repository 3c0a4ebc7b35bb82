import { setTimeout as sleep } from 'node:timers/promises';
import { APICallError, type LanguageModelV4 } from '@ai-sdk/provider';
import { DocentError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { pauseAfter, pauseBeforeRetry, retryAfterMs, type RetryPolicy } from '../network/retry.ts';
import { BadChunk } from './chat-completions.ts';
import type { ModelCall, ModelEvent, NamedModel } from './model.ts';
import { excessIn, isOutOfCredit, providerMessage } from './provider-error.ts';

/** How long a model of one's own may load, or read the prompt, while its server answers other requests. */
const patienceMs = 600_000;
/** How long until a server that loads its model is asked again. */
const loadingPauseMs = 2_000;

/** A model's server that is busy or broken is asked again twice, unless it asks for a longer pause. */
const policy: RetryPolicy = { attempts: 3, baseMs: 300, capMs: 5_000 };

export interface ReadOptions {
  log: Pick<Logger, 'warn'>;
  /** Called with each model before it's asked for the first time. */
  onAsk?: (named: NamedModel) => void;
  /** How often a model is asked at most. */
  attempts?: number;
}

/**
 * Reads the text of an answer from the first of these models that gives one. Before its first word, a
 * model whose failure may pass is asked again, and then the next model is asked. After it, none is, because
 * the reader has seen a part. Skips tool calls, which aren't for readers. Reasoning counts as life, and a
 * server of one's own may load a model for minutes, unless there is a next model. Every error becomes
 * `upstream_failed` or `model_refused` with a message for the reader; its cause is the provider's error, for
 * the log.
 */
export async function* readModel(
  models: readonly [NamedModel, ...NamedModel[]],
  options: ModelCall,
  { log, onAsk, attempts = policy.attempts }: ReadOptions,
): AsyncGenerator<ModelEvent, void, undefined> {
  const caller = options.abortSignal;
  const left = [...models];
  let attempt = 1;
  const startedAt = performance.now();
  const isPatient = () => left.length === 0 && performance.now() - startedAt < patienceMs;
  for (let named = left.shift(); named;) {
    const { model, name, maxTokens, timeouts, server } = named;
    if (attempt === 1) onAsk?.(named);
    const isLoading = async () => isPatient() && (await server?.isAlive()) === true;
    const silence = watchSilence(timeouts, isLoading, caller);
    let hasBegun = false;
    let pauseMs: number | undefined;
    try {
      let hasFinished = false;
      const call = { maxOutputTokens: maxTokens, ...options, abortSignal: silence.signal };
      const events = 'read' in model ? model.read(call, silence.signal) : readParts(model, call);
      for await (const event of events) {
        if (event.type === 'text') {
          hasBegun = true;
          silence.pause();
          yield event;
          silence.resume();
        } else if (event.type === 'reasoning') {
          silence.resume();
          yield event;
        } else {
          // To some providers, a broken connection looks like an end.
          if (event.reason === 'interrupted' || event.reason === 'error') throw new CutOff();
          hasFinished = true;
          server?.learn(options.prompt, event.inputTokens);
          yield event;
        }
      }
      if (!hasFinished) throw new CutOff();
      return;
    } catch (error) {
      if (caller?.aborted) throw error;
      const err = silence.isOver ? new TooSilent('', { cause: error }) : error;
      // So that the next prompt fits.
      server?.learn(options.prompt, excessOf(err));
      pauseMs = attempt < attempts ? pauseAfterFailure(attempt, err) : undefined;
      if (isStarting(err) && isPatient()) pauseMs = loadingPauseMs;
      if (hasBegun || (pauseMs === undefined && left.length === 0))
        throw toDocentError(err, hasBegun);
      log.warn({ model: name, attempt, err }, 'the model failed before its first word');
    } finally {
      silence.close();
    }
    if (pauseMs === undefined) {
      named = left.shift();
      attempt = 1;
    } else {
      attempt += pauseMs === loadingPauseMs ? 0 : 1;
      await sleep(pauseMs, undefined, caller && { signal: caller });
    }
  }
}

/** The connection ended before the answer did. */
class CutOff extends Error {}

/** The model was silent for too long. */
class TooSilent extends Error {}

/** How long to wait after this attempt before the next one at the same model; `undefined` if it won't help. */
function pauseAfterFailure(attempt: number, error: unknown): number | undefined {
  if (error instanceof TooSilent || error instanceof BadChunk) return undefined;
  if (!APICallError.isInstance(error)) {
    if (!(error instanceof CutOff) && !isConnectionError(error)) return undefined;
    // Most often, the server has just closed a connection that was idle.
    return attempt === 1 ? 0 : pauseAfter(attempt - 1, policy);
  }
  const { statusCode: status = 503, responseHeaders } = error;
  if (isRefused(error) || (status !== 429 && status < 500)) return undefined;
  return pauseBeforeRetry(attempt, policy, retryAfterMs(responseHeaders));
}

/** llama.cpp refuses requests until its model is loaded. */
function isStarting(error: unknown): boolean {
  if (!APICallError.isInstance(error) || error.statusCode !== 503) return false;
  return providerMessage(error.responseBody) === 'Loading model';
}

/** Whether a connection was refused or broke, which Node reports by a code. */
function isConnectionError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^E[A-Z]+$/.test(String(error.code));
}

/**
 * A signal that fires when the caller's does, or when the model is silent for too long. Before its first sign
 * of life, a server that is loading gets the time again.
 */
function watchSilence(
  { firstWordMs, nextWordMs }: NamedModel['timeouts'],
  isLoading: () => Promise<boolean>,
  caller: AbortSignal | undefined,
) {
  const ended = new AbortController();
  const end = () => ended.abort();
  if (caller?.aborted) end();
  caller?.addEventListener('abort', end);
  let isOver = false;
  const giveUp = () => {
    isOver = true;
    end();
  };
  let timer: NodeJS.Timeout | undefined = setTimeout(async function ask() {
    const asked = timer;
    const isPatient = await isLoading();
    // Meanwhile, the model may have said something, or its answer have ended.
    if (timer !== asked) return;
    if (isPatient) timer = setTimeout(ask, firstWordMs);
    else giveUp();
  }, firstWordMs);
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
  };

  return {
    signal: ended.signal,
    get isOver() {
      return isOver;
    },
    /** The time that the reader takes doesn't count as the model's silence. */
    pause: stop,
    resume(): void {
      stop();
      timer = setTimeout(giveUp, nextWordMs);
    },
    close(): void {
      stop();
      caller?.removeEventListener('abort', end);
    },
  };
}

/** Reads text and end from a model of an AI SDK provider. */
async function* readParts(
  model: LanguageModelV4,
  options: ModelCall,
): AsyncGenerator<ModelEvent, void, undefined> {
  const { stream } = await model.doStream(options);
  for await (const part of stream) {
    if (part.type === 'text-delta' && part.delta !== '') yield { type: 'text', text: part.delta };
    else if (part.type === 'reasoning-delta') yield { type: 'reasoning', text: part.delta };
    else if (part.type === 'finish') {
      const { inputTokens, outputTokens } = part.usage;
      const counted = { inputTokens: inputTokens.total, outputTokens: outputTokens.total };
      yield { type: 'finish', reason: part.finishReason.unified, ...counted };
    } else if (part.type === 'error') {
      if (APICallError.isInstance(part.error)) throw part.error;
      throw reportedError(part.error);
    }
  }
}

/** Readers can't do anything about keys or quotas, so messages only say whether and how long to wait. */
function toDocentError(error: unknown, hasBegun: boolean): DocentError {
  if (error instanceof DocentError) return error;
  if (error instanceof TooSilent) {
    return failed('The language model did not answer in time. Please try again.', error);
  }
  if (error instanceof BadChunk) return reportedError(error);
  const status = APICallError.isInstance(error) ? error.statusCode : undefined;
  // The answer had begun, so the connection broke.
  if (hasBegun || error instanceof CutOff || (status !== undefined && status < 300)) {
    return failed('The answer was cut off on the way. Please try again.', error);
  }
  if (status === undefined) {
    return failed('The language model could not be reached. Please try again in a moment.', error);
  }
  if (isRefused(error)) {
    const message = "The assistant isn't available now. Only the owner of this site can fix it.";
    return new DocentError('model_refused', message, { cause: error });
  }
  if (excessOf(error) !== undefined) {
    const message =
      'That was too long for the language model. Please try again, or ask a shorter question.';
    return failed(message, error);
  }
  if (status === 429) {
    const ms = retryAfterMs((error as APICallError).responseHeaders) ?? 0;
    const retryAfter = ms > 0 ? { retryAfter: Math.ceil(ms / 1000) } : {};
    const message = 'The language model is busy. Please try again in a moment.';
    return new DocentError('upstream_failed', message, { cause: error, ...retryAfter });
  }
  return reportedError(error);
}

/** The tokens that the model's context couldn't hold. */
const excessOf = (error: unknown): number | undefined =>
  APICallError.isInstance(error) ? excessIn(error.responseBody) : undefined;

/** Whether every request will fail until the owner does something: the key, the model's name, or the credit is wrong. */
function isRefused(error: unknown): boolean {
  if (!APICallError.isInstance(error)) return false;
  const { statusCode: status = 0, responseBody } = error;
  if (excessOf(error) !== undefined) return false;
  return status === 429 ? isOutOfCredit(responseBody) : status >= 400 && status < 500;
}

function reportedError(cause: unknown): DocentError {
  return failed('The language model reported an error. Please try again.', cause);
}

function failed(message: string, cause: unknown): DocentError {
  return new DocentError('upstream_failed', message, { cause });
}
