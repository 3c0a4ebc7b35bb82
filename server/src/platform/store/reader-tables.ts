/** Rows of what readers ask and think: conversations, the answers that are being made, feedback. */
import type { FinishReason } from '@docent/shared/stream';
import type { ColumnType } from 'kysely';

/** `reader/conversations/threads.ts` */
export interface ThreadTable {
  id: string;
  domain: string;
  /** The reader's pseudonym, or `anonymous`; never what the caller sent. */
  fp: string;
  created_at: string;
}

/**
 * How a turn stands. `running` is the only state that changes; a turn that still runs when its
 * process is gone becomes `interrupted`.
 */
export type TurnStatus = 'running' | 'complete' | 'stopped' | 'failed' | 'interrupted';

export type TurnOutcome = 'answered' | 'unanswered' | 'refused';

/** `reader/analytics/feedback.ts`: of an answer (`turn_id`), of a page (`path`), or of the page that made an answer wrong. */
export interface FeedbackTable {
  id: string;
  domain: string;
  /** Who and what it is about in one: the last word on it counts. */
  subject: string;
  fp: string;
  turn_id: string | null;
  path: string | null;
  rating: 'up' | 'down';
  /** JSON list of words from a fixed list. */
  reasons: string;
  note: string | null;
  created_at: string;
  updated_at: string;
}

/** `reader/conversations/threads.ts` */
export interface TurnTable {
  id: string;
  thread_id: string;
  status: TurnStatus;
  question: string;
  /** JSON of the context items that came with the question. */
  context: ColumnType<string, string, never>;
  /** The answer's text; what had arrived by then where the turn is not complete. */
  answer: string;
  /** JSON list of `{ id, url, title }`. */
  sources: string;
  model: string;
  input_tokens: number | null;
  output_tokens: number | null;
  created_at: string;
  finished_at: string | null;
  /** The turn that took this one's place: the reader asked for another answer, or in other words. */
  replaced_by: string | null;
  /** What the client calls the question; null where it has no name for it. */
  question_id: string | null;
  /** Digest of the client's id of the chat, while the answer is being made. */
  chat: string | null;
  /** The process that writes the answer. */
  owner: string | null;
  /** What kind of answer it became; null until it is complete. */
  outcome: TurnOutcome | null;
  confidence: number | null;
  /** Why the model stopped writing; null until the answer is complete. */
  finish_reason: FinishReason | null;
  /** The page that the reader was on. */
  asked_on: string | null;
  /** JSON of the filter that the question came with; null where that is not known. */
  filter: ColumnType<string | null, string | null, never>;
}

export interface ReaderTables {
  threads: ThreadTable;
  turns: TurnTable;
  feedback: FeedbackTable;
}
