/** One call of the model, tried again while its provider is busy, and what its errors mean for the job. */
import { AISDKError, APICallError, LoadAPIKeyError, NoSuchModelError } from '@ai-sdk/provider';
import type { AssistantModelMessage, ModelMessage, ToolSet } from 'ai';
import type { AgentModel } from '../../platform/models/agent-models.ts';
import { isOutOfCredit } from '../../platform/models/provider-error.ts';
import { importSdk } from '../../platform/models/sdk.ts';
import { createSecretHider } from '../../platform/redaction/own-secrets.ts';
import { retry, retryAfterMs, type RetryPolicy } from '../../platform/network/retry.ts';
import type { Usage } from '../../budgets/cost.ts';
import type { ToolCall } from './tools/tools.ts';
import { untilAborted } from '../../platform/abort.ts';
import { DocentError, JobError } from '../../platform/errors.ts';

export const defaultRetryPolicy: RetryPolicy = { attempts: 5, baseMs: 2_000, capMs: 60_000 };

export interface Question {
  model: AgentModel;
  systemPrompt: string;
  messages: readonly ModelMessage[];
  tools?: ToolSet;
  signal: AbortSignal;
  retry: RetryPolicy;
  onText?(text: string): void;
}

export interface ModelAnswer {
  /** As the provider wants it back; `undefined`: an empty answer. */
  message: AssistantModelMessage | undefined;
  text: string;
  calls: ToolCall[];
  /** A finish reason of the AI SDK. */
  reason: string;
  usage: Usage;
}

/** The conversation is too long for the model. The caller shortens it. */
export class ConversationTooLong extends Error {
  override readonly name = 'ConversationTooLong';
}

export async function askModel(question: Question): Promise<ModelAnswer> {
  const { signal, model } = question;
  try {
    return await retry(() => untilAborted(() => ask(question), signal), {
      policy: question.retry,
      isRetryable: (error) => !isTooLong(error) && isTransient(error),
      retryAfterMs: (error) =>
        APICallError.isInstance(error) ? retryAfterMs(error.responseHeaders) : undefined,
      signal,
    });
  } catch (error) {
    signal.throwIfAborted();
    if (isTooLong(error)) throw new ConversationTooLong(model.name, { cause: error });
    throw toJobError(error, model.name);
  }
}

async function ask(question: Question): Promise<ModelAnswer> {
  const { model, systemPrompt, messages, tools, signal } = question;
  const { streamText } = await importSdk();
  const result = streamText({
    model: model.model,
    instructions: systemPrompt,
    messages: [...messages],
    ...(tools && { tools }),
    ...(model.maxOutputTokens !== undefined && { maxOutputTokens: model.maxOutputTokens }),
    providerOptions: model.providerOptions,
    abortSignal: signal,
    // `askModel` retries, so that the budget counts each attempt, and answers that broke off are retried too.
    maxRetries: 0,
    // Otherwise the SDK writes to the console.
    onError: () => {},
  });
  const calls: ToolCall[] = [];
  let text = '';
  const hider = createSecretHider();
  const show = (words: string) => words !== '' && question.onText?.(words);
  for await (const part of result.stream) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'abort') throw signal.reason;
    if (part.type === 'text-delta') {
      text += part.text;
      show(hider.push(part.text));
    } else if (part.type === 'tool-call') {
      const { toolCallId: id, toolName: name, input } = part;
      // If the arguments aren't JSON, `input` is the text that the model wrote.
      calls.push({ id, name, input, isBroken: part.invalid === true && typeof input === 'string' });
    }
  }
  show(hider.end());
  const [reason, raw, response, usage] = await Promise.all([
    result.finishReason,
    result.rawFinishReason,
    result.response,
    result.usage,
  ]);
  if (reason === 'error' || (reason === 'other' && raw === undefined)) {
    throw new AnswerCut('The answer has no end');
  }
  return {
    message: response.messages.find((message) => message.role === 'assistant'),
    text,
    calls,
    reason,
    usage: { inputTokens: usage.inputTokens ?? 0, outputTokens: usage.outputTokens ?? 0 },
  };
}

export class AnswerCut extends Error {
  override readonly name = 'AnswerCut';
}

export function isTooLong(error: unknown): boolean {
  const status = statusOf(error);
  if (status !== 400 && status !== 413 && status !== 422 && status !== undefined) return false;
  const words = `${error instanceof Error ? error.message : ''} ${bodyOf(error) ?? ''}`;
  return (
    status === 413 ||
    /context[ _-]?(?:length|window|size|limit)|maximum context|(?:prompt|input|request)[^.]{0,40}too (?:long|large)|too many (?:input |prompt )?tokens|exceeds?[^.]{0,60}(?:tokens|context)/i.test(
      words,
    )
  );
}

/** Whether to try again: the provider is busy or down, or the connection broke. */
export function isTransient(error: unknown): boolean {
  if (error instanceof JobError || error instanceof DocentError) return false;
  if (LoadAPIKeyError.isInstance(error) || NoSuchModelError.isInstance(error)) return false;
  const status = statusOf(error);
  if (status !== undefined && status >= 400) {
    if (status === 429) return !isOutOfCredit(bodyOf(error));
    return status === 408 || status === 409 || status >= 500;
  }
  if (APICallError.isInstance(error)) return true;
  const { isRetryable } = error as { isRetryable?: unknown };
  if (typeof isRetryable === 'boolean') return isRetryable;
  // Errors of the SDK: unreadable answers. Other errors: broken sockets.
  return (
    !AISDKError.isInstance(error) ||
    /JSONParse|TypeValidation|InvalidResponse|NoOutput|EmptyResponse/.test(error.name)
  );
}

/** The failure of the job. The provider's message may contain the key or the documentation, so it's only the cause, for the log. */
export function toJobError(error: unknown, model: string): JobError | DocentError {
  if (error instanceof JobError || error instanceof DocentError) return error;
  const status = statusOf(error);
  const failed = (code: ConstructorParameters<typeof JobError>[0], words: string) =>
    new JobError(code, words, { cause: error });
  if (LoadAPIKeyError.isInstance(error) || status === 401 || status === 403) {
    return failed('model_not_configured', `The provider of the model "${model}" refuses the key.`);
  }
  if (NoSuchModelError.isInstance(error) || status === 404) {
    return failed('model_not_configured', `The provider does not know the model "${model}".`);
  }
  if (status === 402 || isOutOfCredit(bodyOf(error))) {
    return failed(
      'model_unavailable',
      `The credit at the provider of the model "${model}" is used up.`,
    );
  }
  if (status === 429) {
    return failed('model_unavailable', `The provider of the model "${model}" is busy.`);
  }
  if (isTooLong(error)) {
    return failed(
      'model_failed',
      `The conversation is longer than the model "${model}" takes in; set "contextTokens" of the model to what it really is.`,
    );
  }
  if (status !== undefined && status >= 400 && status < 500) {
    return failed(
      'model_failed',
      `The provider of the model "${model}" refuses the request (${status}).`,
    );
  }
  if (status !== undefined && status >= 500) {
    return failed('model_unavailable', `The provider of the model "${model}" has a fault.`);
  }
  if (error instanceof AnswerCut) {
    return failed('model_failed', `The model "${model}" broke off its answer, time and again.`);
  }
  if (APICallError.isInstance(error) || !AISDKError.isInstance(error)) {
    return failed('model_unavailable', `The model "${model}" could not be reached.`);
  }
  return failed('model_failed', `The model "${model}" gave an answer that cannot be read.`);
}

const bodyOf = (error: unknown) =>
  APICallError.isInstance(error) ? error.responseBody : undefined;

function statusOf(error: unknown): number | undefined {
  const { statusCode } = (error ?? {}) as { statusCode?: unknown };
  // 200: the answer had begun.
  return typeof statusCode === 'number' && statusCode >= 400 ? statusCode : undefined;
}
