/**
 * The events for the owner of a page: `Docent('on', 'answer', (event) => …)`. No event contains the
 * words of a question or an answer, because they would end up in analytics. This file is published,
 * so it imports nothing.
 */

/** The reason why there is no answer. */
export type ProblemKind =
  /** The key is wrong, or the model refuses the service. */
  | 'setup'
  /** The key is right, but not for this page. */
  | 'forbidden'
  | 'notFound'
  | 'limit'
  | 'budget'
  | 'tooLarge'
  | 'bad'
  | 'server'
  | 'upstream'
  | 'offline'
  | 'timeout'
  | 'blocked'
  | 'cut'
  | 'gone';

export type OpenedBy = 'launcher' | 'shortcut' | 'api' | 'selection' | 'code' | 'link' | 'page';

export interface DocentEvents {
  /** The launcher is on the page. */
  ready: { site: string };
  open: { by: OpenedBy };
  close: Record<string, never>;
  /** The reader sent a question. `context`: the number of attached pieces of the page. */
  question: { threadId: string | undefined; context: number };
  /** An answer is complete. */
  answer: {
    threadId: string | undefined;
    messageId: string;
    sources: number;
    /**
     * `answered` from the documentation, `unanswered` if the documentation says nothing about it,
     * `refused` if the assistant doesn't answer such questions.
     */
    status?: 'answered' | 'unanswered' | 'refused';
    /** From the question to the end of the answer. */
    durationMs: number;
  };
  error: {
    kind: ProblemKind;
    /** Whether asking again can help. */
    retryable: boolean;
    /** The service's error code, such as `rate_limited`. */
    code?: string;
    /** The HTTP status, if the service answered with one. */
    status?: number;
  };
  feedback: { messageId: string; rating: 'up' | 'down' };
  /** The reader followed a citation, a source, or a search hit. */
  source: { url: string };
  stop: { messageId: string | undefined };
  copy: { what: 'answer' | 'code' | 'conversation' };
  /** The reader hid the assistant on this device. */
  hide: Record<string, never>;
}

export type DocentEventName = keyof DocentEvents;

export type Emit = <Name extends DocentEventName>(name: Name, event: DocentEvents[Name]) => void;
