import type { LanguageModelV4CallOptions, LanguageModelV4Usage } from '@ai-sdk/provider';

export type ModelEvent =
  | { type: 'text'; text: string }
  | { type: 'finish'; reason: string; usage: LanguageModelV4Usage };

/**
 * A language model that only writes text. It takes less CPU time per token than the AI SDK's interface,
 * whose web streams cost more than the rest of an answer.
 */
export interface TextModel {
  /** For the log, as in the AI SDK's models. */
  provider: string;
  modelId: string;
  /** Ends with one `finish`, or rejects. The model stops when the reader leaves or `signal` fires. */
  read(
    options: LanguageModelV4CallOptions,
    signal: AbortSignal | undefined,
  ): AsyncIterable<ModelEvent>;
}
