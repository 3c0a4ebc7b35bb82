/** One call of the model, tried again where its provider is busy; nothing is done of what it asks for. */
import { APICallError } from '@ai-sdk/provider';
import type { AssistantModelMessage, ModelMessage, ToolSet } from 'ai';
import type { AgentModel } from '../../platform/models/agent-models.ts';
import { importSdk } from '../../platform/models/sdk.ts';
import { AnswerCut, isTooLong, isTransient, toJobError } from './model-errors.ts';
import { type RetryPolicy, retry } from '../../platform/network/retry.ts';
import { retryAfterMs } from '../../platform/network/retry-after.ts';
import type { StepUsage } from './loop.ts';
import type { ToolCall } from './tools/tools.ts';
import { untilAborted } from '../../platform/abort.ts';

export const defaultRetryPolicy: RetryPolicy = { attempts: 5, baseMs: 2_000, capMs: 60_000 };

export interface Question {
  model: AgentModel;
  instructions: string;
  messages: readonly ModelMessage[];
  tools?: ToolSet;
  signal: AbortSignal;
  retry: RetryPolicy;
  onText?(text: string): void;
}

export interface ModelAnswer {
  /** As the provider wants it back; `undefined`: it said nothing. */
  message: AssistantModelMessage | undefined;
  text: string;
  calls: ToolCall[];
  /** In the AI SDK's words. */
  reason: string;
  usage: StepUsage;
}

/** The conversation is too long for the model: what is to be done about it is the caller's to know. */
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
  const { model, instructions, messages, tools, signal } = question;
  const { streamText } = await importSdk();
  const result = streamText({
    model: model.model,
    instructions,
    messages: [...messages],
    ...(tools && { tools }),
    ...(model.maxOutputTokens !== undefined && { maxOutputTokens: model.maxOutputTokens }),
    providerOptions: model.providerOptions,
    abortSignal: signal,
    // Tried again here, where the budget counts each try and an answer that broke off is one more.
    maxRetries: 0,
    // Otherwise written to the console.
    onError: () => {},
  });
  const calls: ToolCall[] = [];
  let text = '';
  for await (const part of result.stream) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'abort') throw signal.reason;
    if (part.type === 'text-delta') {
      text += part.text;
      question.onText?.(part.text);
    } else if (part.type === 'tool-call') {
      const { toolCallId: id, toolName: name, input } = part;
      // What could not be parsed is still the text that the model wrote.
      calls.push({ id, name, input, isBroken: part.invalid === true && typeof input === 'string' });
    }
  }
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
