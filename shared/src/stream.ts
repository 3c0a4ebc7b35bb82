/**
 * The parts of an answer stream of version 2 (UI message stream, server-sent events). All releases of
 * chat SDKs 5, 6, and 7 accept them. The clients reject unknown part types, and older clients also
 * reject unknown keys.
 */

/** Sent with `start` and `finish`. SDKs put it on the message as `metadata`. */
export interface AnswerMetadata {
  threadId: string;
  /** The answer ended early: the reader stopped it, or nobody read it. */
  ended?: 'stopped';
  /** With `finish`, for chat SDKs, whose older releases reject a key of its own: why the model stopped early. */
  finishReason?: Exclude<FinishReason, 'stop'>;
}

/** Why the model stopped: at the end, at its maximum length, or because of the provider's own filter. */
export type FinishReason = 'stop' | 'length' | 'content-filter';

/** Token counts of the language model, or our estimate. */
export interface AnswerUsage {
  inputTokens: number;
  outputTokens: number;
}

/** What the documentation was like that an answer is from. */
export interface AnswerStamp {
  /** When the pages were read: the beginning of the last index run that succeeded. */
  indexedAt: string;
  /** Of the site's git repositories, as they were read. */
  commits: string[];
  /** Of the cited pages, if the site has versions. */
  versions: string[];
}

/** The `data-answer` part: the kind of answer, for programs. */
export interface AnswerStatus extends Partial<AnswerStamp> {
  /** `unanswered`: the documentation doesn't say it. `refused`: the request isn't about the documentation. */
  status: 'answered' | 'unanswered' | 'refused';
  /** From 0 to 1: how much of the question the best passage covers. */
  confidence: number;
  /**
   * `extractive`: the answer quotes the documentation, without a language model. `pinned`: it's the owner's,
   * word for word.
   */
  mode: 'model' | 'extractive' | 'pinned';
  /** The language model that answered: the provider's name and the model's id. */
  model?: string;
  /** The search engine was down, and the fallback index found the sources. */
  search?: 'fallback';
  /** The answer was cut short because it began to repeat itself. Its finish reason is `length`. */
  cut?: 'repetition';
}

/** The `data-progress` part, before the first text: the model writes down its thoughts, which no reader gets. */
export interface AnswerProgress {
  state: 'thinking';
}

/** The `data-suggestions` part: questions that the reader can ask next. */
export interface AnswerSuggestions {
  /** One to three questions, best first, in the language of the documentation. */
  questions: string[];
}

/** The most choices of a question back. */
export const maxChoices = 4;

/** The `data-question` part: the assistant asks back. The choice, as the next message, says what the question is about. */
export interface AnswerQuestion {
  about: 'version';
  /** In the language of the service's own sentences, English. */
  question: string;
  /** Two to four, the newest first. */
  choices: string[];
}

/** The cited words of a source. SDKs require a provider name as the key. */
export interface SourceMetadata {
  docent: {
    /** Words from the page, at most 600 characters. */
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
      /** The only extra field that all SDKs accept. */
      providerMetadata?: SourceMetadata;
    }
  | { type: 'data-answer'; data: AnswerStatus }
  | { type: 'data-suggestions'; data: AnswerSuggestions }
  | { type: 'data-question'; data: AnswerQuestion }
  | { type: 'data-progress'; data: AnswerProgress; transient: true }
  | { type: 'text-start'; id: string }
  | { type: 'text-delta'; id: string; delta: string }
  | { type: 'text-end'; id: string }
  | { type: 'finish-step' }
  | {
      type: 'finish';
      /** Absent for chat SDKs, which get it in `messageMetadata`. */
      finishReason?: FinishReason;
      messageMetadata: AnswerMetadata;
      usage?: AnswerUsage;
    }
  | { type: 'message-metadata'; messageMetadata: AnswerMetadata }
  | { type: 'abort' }
  | { type: 'error'; errorText: string };
