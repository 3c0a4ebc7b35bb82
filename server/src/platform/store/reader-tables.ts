/** The rows of conversations, answers, and feedback. */
import type { FeedbackState } from '@docent/shared/feedback';
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
 * The state of a turn. Only `running` changes. A running turn becomes `interrupted` when its process
 * dies.
 */
export type TurnStatus = 'running' | 'complete' | 'stopped' | 'failed' | 'interrupted';

export type TurnOutcome = 'answered' | 'unanswered' | 'refused';

/** `reader/analytics/feedback.ts`: about an answer (`turn_id`), a page (`path`), or the page that made an answer wrong. */
export interface FeedbackTable {
  id: string;
  domain: string;
  /** The reader and what it's about. The last rating counts. */
  subject: string;
  fp: string;
  turn_id: string | null;
  path: string | null;
  rating: 'up' | 'down';
  /** JSON list of words from a fixed list. */
  reasons: string;
  note: string | null;
  state: FeedbackState;
  /** The person who looks into it. */
  assignee: string | null;
  /** Counts changes, of the reader and of the team. */
  version: number;
  created_at: string;
  updated_at: string;
}

/** `reader/analytics/inbox.ts`: what the team writes about a reader's feedback. */
export interface FeedbackNoteTable {
  id: string;
  feedback_id: string;
  /** The ID of a person or a key. */
  author: string;
  text: string;
  created_at: string;
}

/** `reader/gaps`: similar questions without an answer. */
export interface GapTable {
  id: string;
  domain: string;
  state: 'open' | 'dismissed';
  /** The person or key that merged, split, or dismissed questions; null: similar words brought them together. */
  decided_by: string | null;
  created_at: string;
}

/** `reader/gaps`: the gap of a turn, and within it the topic: questions with similar words. */
export interface GapQuestionTable {
  turn_id: string;
  gap_id: string;
  topic: string;
}

/** `reader/gaps`: the words of the newest questions of each topic. They go with the turn. */
export interface GapTermTable {
  turn_id: string;
  domain: string;
  term: string;
  weight: number;
}

/** `reader/conversations/threads.ts` */
export interface TurnTable {
  id: string;
  thread_id: string;
  /** As in its thread, so that an index finds the newest turns of a site. */
  domain: string;
  status: TurnStatus;
  question: string;
  /** JSON of the context items that came with the question. */
  context: ColumnType<string, string, never>;
  /** The answer's text; the text so far if the turn isn't complete. */
  answer: string;
  /** JSON list of `{ id, url, title }`. */
  sources: string;
  model: string;
  input_tokens: number | null;
  output_tokens: number | null;
  /** What the model and the embedder cost, in millionths of a US dollar; null until the answer ends. */
  micro_dollars: number | null;
  created_at: string;
  finished_at: string | null;
  /** The turn that replaced this one, because the reader retried or edited the question. */
  replaced_by: string | null;
  /** The client's ID of the question; null if it sent none. */
  question_id: string | null;
  /** Digest of the client's chat ID, while the answer is in progress. */
  chat: string | null;
  /** The process that writes the answer. */
  owner: string;
  /** The kind of answer; null until it's complete. */
  outcome: TurnOutcome | null;
  confidence: number | null;
  /** Why the model stopped writing; null until the answer is complete. */
  finish_reason: FinishReason | null;
  /** The page that the reader was on. */
  asked_on: string | null;
  /** From the question to the first word that its reader saw, and of that the search. */
  first_text_ms: number | null;
  search_ms: number | null;
  /** JSON list of `{ url, title, score }`: what the model was given, best first. */
  passages: string | null;
  /** JSON of the question's filter; null if it's not known. */
  filter: ColumnType<string | null, string | null, never>;
}

export interface ReaderTables {
  threads: ThreadTable;
  turns: TurnTable;
  feedback: FeedbackTable;
  feedback_notes: FeedbackNoteTable;
  gaps: GapTable;
  gap_questions: GapQuestionTable;
  gap_terms: GapTermTable;
}
