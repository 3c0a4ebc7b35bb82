/** The rows of this feature, as `platform/store/tables.ts` says. */
import type { FeedbackState } from '@docent/shared/feedback';
import type { FinishReason } from '@docent/shared/stream';
import { bigint, double, integer, real, type RowsOf, text } from '../platform/store/columns.ts';

/**
 * The state of a turn. Only `running` changes. A running turn becomes `interrupted` when its process
 * dies.
 */
export type TurnStatus = 'running' | 'complete' | 'stopped' | 'failed' | 'interrupted';

export type TurnOutcome = 'answered' | 'unanswered' | 'refused';

export const readerTables = {
  /** `reader/conversations/threads.ts` */
  threads: {
    id: text().primary,
    domain: text(),
    /** The reader's pseudonym, or `anonymous`; never what the caller sent. */
    fp: text(),
    created_at: text(),
  },

  /** `reader/conversations/threads.ts` */
  turns: {
    id: text().primary,
    thread_id: text().references('threads'),
    /** As in its thread, so that an index finds the newest turns of a site. */
    domain: text(),
    status: text<TurnStatus>(),
    question: text(),
    /** JSON of the context items that came with the question. */
    context: text().fixed,
    /** The answer's text; the text so far if the turn isn't complete. */
    answer: text(),
    /** JSON list of `{ id, url, title }`. */
    sources: text(),
    model: text(),
    input_tokens: integer().orNull,
    output_tokens: integer().orNull,
    /** What the model and the embedder cost, in millionths of a US dollar; null until the answer ends. */
    micro_dollars: bigint().orNull,
    created_at: text(),
    finished_at: text().orNull,
    /** The turn that replaced this one, because the reader retried or edited the question. */
    replaced_by: text().orNull,
    /** The process that writes the answer. */
    owner: text(),
    /** The kind of answer; null until it's complete. */
    outcome: text<TurnOutcome>().orNull,
    /** Why the model stopped writing; null until the answer is complete. */
    finish_reason: text<FinishReason>().orNull,
    confidence: real().orNull,
    /** The page that the reader was on. */
    asked_on: text().orNull,
    /** JSON of the question's filter; null if it's not known. */
    filter: text().orNull.fixed,
    /** The client's ID of the question; null if it sent none. */
    question_id: text().orNull,
    /** Digest of the client's chat ID, while the answer is in progress. */
    chat: text().orNull,
    /** From the question to the first word that its reader saw, and of that the search. */
    first_text_ms: integer().orNull,
    search_ms: integer().orNull,
    /** JSON list of `{ url, title, score }`: what the model was given, best first. */
    passages: text().orNull,
    /** JSON of `{ indexedAt, commits, versions }`: what the pages were like. */
    stamp: text().orNull,
    /** JSON list of what the reader can choose; null unless the answer asks back. */
    choices: text().orNull,
  },

  /** `reader/analytics/feedback.ts`: about an answer (`turn_id`), a page (`path`), or the page that made an answer wrong. */
  feedback: {
    id: text().primary,
    domain: text(),
    /** The reader and what it's about. The last rating counts. */
    subject: text(),
    fp: text(),
    turn_id: text().references('turns').orNull,
    path: text().orNull,
    rating: text<'up' | 'down'>(),
    /** JSON list of words from a fixed list. */
    reasons: text(),
    note: text().orNull,
    state: text<FeedbackState>().default('open'),
    /** The person who looks into it. */
    assignee: text().orNull,
    /** Counts changes, of the reader and of the team. */
    version: integer().default(1),
    created_at: text(),
    updated_at: text(),
  },

  /** `reader/analytics/inbox.ts`: what the team writes about a reader's feedback. */
  feedback_notes: {
    id: text().primary,
    feedback_id: text().references('feedback'),
    /** The ID of a person or a key. */
    author: text(),
    text: text(),
    created_at: text(),
  },

  /** `reader/words`: what the owner says: instructions, skills, and pinned answers. */
  owner_words: {
    id: text().primary,
    domain: text(),
    origin: text<'dashboard' | 'repository'>(),
    kind: text<'instructions' | 'skill' | 'answer'>(),
    /** Of its file; empty for an answer from the dashboard. */
    name: text(),
    text: text(),
    /** JSON: the questions of an answer with its test list, or what a skill is about. */
    details: text(),
    version: integer(),
    updated_at: text(),
    updated_by: text().orNull,
  },

  /** `reader/words`: the wordings that get a pinned answer. */
  owner_wordings: {
    domain: text().primary,
    wording: text().primary,
    origin: text<'dashboard' | 'repository'>().primary,
    word_id: text().references('owner_words'),
  },

  /** `reader/hand-over`: that a reader wrote to people. What they wrote is in the outbox alone. */
  hand_overs: {
    id: text().primary,
    domain: text(),
    fp: text(),
    thread_id: text().orNull,
    /** Of the conversation and the words. */
    digest: text().unique,
    created_at: text(),
  },

  /** `reader/gaps`: similar questions without an answer. */
  gaps: {
    id: text().primary,
    domain: text(),
    state: text<'open' | 'dismissed'>(),
    /** The person or key that merged, split, or dismissed questions; null: similar words brought them together. */
    decided_by: text().orNull,
    created_at: text(),
    /** When the last of its questions had an answer; null again as soon as one has none. */
    answered_at: text().orNull,
  },

  /** `reader/gaps`: the gap of a turn, and within it the topic: questions with similar words. */
  gap_questions: {
    turn_id: text().primary.references('turns'),
    gap_id: text().references('gaps'),
    topic: text(),
    /** The row of `gap_asks` that answered it, or that lost its answer, and when it was last asked again. */
    answered_by: text().orNull,
    lost_by: text().orNull,
    asked_at: text().orNull,
  },

  /** `reader/gaps/asks.ts`: a question that is asked again, and what came of it. */
  gap_asks: {
    id: text().primary,
    domain: text(),
    turn_id: text().references('turns'),
    /** `again`: it had no answer. `check`: it had one, and its pages changed. */
    kind: text<'again' | 'check'>(),
    /** What happened. The same cause asks a question once. */
    cause: text(),
    /** Waits until an index run that began later has ended: `run`, or one that changed pages: `change`. */
    since: text(),
    needs: text<'run' | 'change'>(),
    state: text<'waiting' | 'done' | 'failed'>(),
    owner: text().orNull,
    lease_until: text().orNull,
    attempts: integer().default(0),
    not_before: text().orNull,
    outcome: text<TurnOutcome>().orNull,
    answer: text().default(''),
    /** JSON list of `{ id, url, title }`. */
    sources: text().default('[]'),
    model: text().orNull,
    micro_dollars: bigint().default(0),
    /** The end of the index run that it was asked after, and its commits as a JSON list. */
    indexed_at: text().orNull,
    commits: text().default('[]'),
    /** 1: it had an answer before. */
    is_lost: integer().default(0),
    error: text().orNull,
    created_at: text(),
    finished_at: text().orNull,
  },

  /** `reader/gaps`: the words of the newest questions of each topic. They go with the turn. */
  gap_terms: {
    turn_id: text().primary.references('gap_questions', 'turn_id'),
    domain: text(),
    term: text().primary,
    weight: double(),
  },

  /** `reader/analytics/jobs`: a reader's feedback or question, and the job that quotes it. */
  reader_jobs: {
    id: text().primary,
    domain: text(),
    feedback_id: text().references('feedback').orNull,
    turn_id: text().references('turns').orNull,
    /** Null: a suggestion, which waits for a person's decision. */
    job_id: text().orNull,
    /** What the job quotes, as JSON. The reader may change their feedback afterwards. */
    quoted: text().orNull,
    created_at: text(),
  },

  /** `reader/analytics/jobs`: pages that readers reported, so that one job serves all reports. */
  reported_pages: {
    domain: text().primary,
    page: text().primary,
    job_id: text().orNull,
    opened_at: text(),
  },

  /** `reader/site-settings.ts`: what the dashboard changes while the service runs. */
  site_settings: {
    domain: text().primary,
    /** Counted from 1 with each change. */
    version: integer(),
    /** JSON list. */
    starter_questions: text(),
    instructions: text(),
    updated_at: text(),
    updated_by: text(),
  },

  /** `reader/challenge/challenges.ts`: a secret that the service signs with. */
  secrets: {
    name: text().primary,
    value: text(),
  },

  /** `reader/challenge/challenges.ts`: solved ones, until they would have expired anyway. */
  spent_challenges: {
    id: text().primary,
    expires_at: text(),
  },
};

export const readerIndexes = `
create index threads_reader on threads (domain, fp);
create index turns_site on turns (domain, created_at, id);
create index turns_outcome on turns (domain, outcome, created_at, id);
create index turns_thread on turns (thread_id, id);
create index turns_status on turns (status);
create index turns_created on turns (created_at);
create index turns_chat on turns (chat);
create unique index feedback_subject on feedback (domain, subject);
create index feedback_turn on feedback (turn_id);
create index feedback_domain on feedback (domain, created_at);
create index feedback_state on feedback (domain, state, id);
create index feedback_notes_feedback on feedback_notes (feedback_id);
create index owner_words_site on owner_words (domain, kind, origin);
create index owner_wordings_word on owner_wordings (word_id);
create index hand_overs_site on hand_overs (domain, created_at);
create index gaps_domain on gaps (domain);
create index gaps_answered on gaps (domain, answered_at);
create index gap_questions_gap on gap_questions (gap_id);
create index gap_questions_lost on gap_questions (lost_by) where lost_by is not null;
create index gap_questions_topic on gap_questions (topic, turn_id);
create unique index gap_asks_cause on gap_asks (turn_id, cause);
create index gap_asks_state on gap_asks (state, domain, id);
create index gap_asks_finished on gap_asks (domain, finished_at);
create index gap_terms_domain on gap_terms (domain, term);
create index reader_jobs_feedback on reader_jobs (feedback_id);
create index reader_jobs_turn on reader_jobs (turn_id);
create index spent_challenges_expires_at on spent_challenges (expires_at);
`;

declare module '../platform/store/tables.ts' {
  interface Tables extends RowsOf<typeof readerTables> {}
}
