/**
 * The parts of an answer stream, version 2 (UI message stream, server-sent events). Only those that
 * chat SDKs 5, 6 and 7 accept from their first releases on; their clients refuse a turn over a part
 * type, and the older ones over a key, that they do not know.
 */

/** Rides on `start` and `finish`; the SDKs put it on the message as `metadata`. */
export interface AnswerMetadata {
  threadId: string;
  /** The answer was ended before it was whole, by a reader's wish or because nobody read it. */
  ended?: 'stopped';
}

/** What the language model counted, or our estimate where it did not; for protocols that report it. */
export interface AnswerUsage {
  inputTokens: number;
  outputTokens: number;
}

/** Sent as a `data-answer` part: what kind of answer this was, for programs. */
export interface AnswerStatus {
  /** `answered` from the docs, `unanswered` where nothing was found, `refused` where we do not answer such questions. */
  status: 'answered' | 'unanswered' | 'refused';
  /** 0 to 1, how much of the question the best passage covers. */
  confidence: number;
  /** `extractive` where no language model is configured and sentences of the docs are quoted. */
  mode: 'model' | 'extractive';
  /** The search engine was down, and an index beside it has found the sources. */
  search?: 'fallback';
}

/** Sent as a `data-suggestions` part, where there are any: what the reader may want to ask next. */
export interface AnswerSuggestions {
  /** One to three, the best first, in the language of the documentation. */
  questions: string[];
}

/** What the answer rests on in this source. Under a name of ours, as the SDKs want it of a provider. */
export interface SourceMetadata {
  docent: {
    /** Words as they stand on the page, at most 600 characters. */
    quote: string;
  };
}

export type AnswerPart =
  | { type: 'start'; messageId: string; messageMetadata: AnswerMetadata }
  | { type: 'start-step' }
  | {
      type: 'source-url';
      sourceId: string;
      url: string;
      title?: string;
      /** The one field for more that all of the SDKs take. */
      providerMetadata?: SourceMetadata;
    }
  | { type: 'data-answer'; data: AnswerStatus }
  | { type: 'data-suggestions'; data: AnswerSuggestions }
  | { type: 'text-start'; id: string }
  | { type: 'text-delta'; id: string; delta: string }
  | { type: 'text-end'; id: string }
  | { type: 'finish-step' }
  | { type: 'finish'; messageMetadata: AnswerMetadata; usage?: AnswerUsage }
  | { type: 'message-metadata'; messageMetadata: AnswerMetadata }
  | { type: 'abort' }
  | { type: 'error'; errorText: string };
