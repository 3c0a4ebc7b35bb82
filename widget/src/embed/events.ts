/**
 * What the owner of a page can listen to: `Docent('on', 'answer', (event) => …)`. No event carries
 * the words of a question or an answer: they would end up in somebody's analytics. Published: it
 * imports nothing.
 */

/** The reason why there is no answer. */
export type ProblemKind =
  /** The key is wrong. */
  | 'setup'
  /** The key is right, and not for this page. */
  | 'forbidden'
  | 'notFound'
  | 'limit'
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
  /** The launcher is on the page and calls are heard. */
  ready: { site: string };
  open: { by: OpenedBy };
  close: Record<string, never>;
  /** A question was sent. `context`: how many pieces of the page went along. */
  question: { threadId: string | undefined; context: number };
  /** An answer is whole. */
  answer: {
    threadId: string | undefined;
    messageId: string;
    sources: number;
    /**
     * `answered` from the documentation, `unanswered` where nothing was found in it, `refused` where
     * such questions are not answered. Missing where the service is older than that.
     */
    status?: 'answered' | 'unanswered' | 'refused';
    /** From the question to the end of the answer. */
    durationMs: number;
  };
  error: {
    kind: ProblemKind;
    /** Whether asking the same again can help. */
    retryable: boolean;
    /** The service's own name for it, such as `rate_limited`, where the service said one. */
    code?: string;
    /** The HTTP status, if the service answered with one. */
    status?: number;
  };
  feedback: { messageId: string; rating: 'up' | 'down' };
  /** A citation, a source or a search hit was followed. */
  source: { url: string };
  stop: { messageId: string | undefined };
  copy: { what: 'answer' | 'code' | 'conversation' };
  /** The reader hid the assistant on this device. */
  hide: Record<string, never>;
}

export type DocentEventName = keyof DocentEvents;

/** Tells all who listen; what a handler throws is only warned about. */
export type Emit = <Name extends DocentEventName>(name: Name, event: DocentEvents[Name]) => void;
