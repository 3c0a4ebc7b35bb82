/**
 * Analytics for the owner of a site, with an admin key. Conversations and feedback have the paths,
 * names, and pagination of the public analytics API of this kind, plus our own fields.
 */
import { z } from 'zod';
import { AddPage } from './agent-commands.ts';
import { words } from './assistant.ts';
import { feedbackStates } from './feedback.ts';

/** A day, or a time with its time zone. */
const time = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

export const PeriodQuery = z.strictObject({
  /** The start. The default is 30 days before the end. */
  dateFrom: time.optional(),
  /** The end. A day is included. The default is now. */
  dateTo: time.optional(),
});
export type PeriodQuery = z.infer<typeof PeriodQuery>;

const ids = z.string().regex(/^[0-9A-HJKMNP-TV-Z]{26}$/);

export const PagedQuery = PeriodQuery.extend({
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  /** `nextCursor` of the previous page. */
  cursor: ids.optional(),
});
export type PagedQuery = z.infer<typeof PagedQuery>;

/** Part of a text, in any case of ASCII letters. */
const part = words(200).optional();

export const ConversationsQuery = PagedQuery.extend({
  cursor: z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z_[0-9A-HJKMNP-TV-Z]{26}$/)
    .optional(),
  /** `jsonl` and `csv` return the whole period in one file and ignore `limit`. */
  format: z.enum(['json', 'jsonl', 'csv']).default('json'),
  /** Returns only questions with this status. */
  resolutionStatus: z.enum(['answered', 'unanswered', 'refused']).optional(),
  /** Returns only answers that ended like this. */
  status: z.enum(['complete', 'stopped', 'failed', 'interrupted']).optional(),
  rating: z.enum(['up', 'down']).optional(),
  /** Part of the page that the reader was on, or of the address or title of a source. */
  page: part,
  /** Part of the question or of the answer. */
  text: part,
  model: z.string().max(200).optional(),
  /** The pseudonym of a reader. */
  reader: z.string().max(200).optional(),
});
export type ConversationsQuery = z.infer<typeof ConversationsQuery>;

const count = z.number().int();

const rating = z.object({
  helpful: z.boolean(),
  reasons: z.array(z.string()),
  comment: z.string().nullable(),
});

/** A question with its answer. */
export const Conversation = z.object({
  id: z.string(),
  threadId: z.string(),
  timestamp: z.iso.datetime(),
  query: z.string(),
  response: z.string(),
  sources: z.array(z.object({ title: z.string(), url: z.string() })),
  /** Null if the answer isn't complete, or asks back. */
  resolutionStatus: z.enum(['answered', 'unanswered', 'refused']).nullable(),
  /** What a question back offers. Null for an answer. */
  choices: z.array(z.string()).nullable(),
  confidence: z.number().nullable(),
  /** Whether the answer was completed, stopped by its reader, failed, or interrupted. */
  status: z.string(),
  /** In the public API, but not in Docent. */
  queryCategory: z.null(),
  /** The page that the reader was on. */
  currentPath: z.string().nullable(),
  model: z.string(),
  /** The cost of the model and the embedder in US dollars, by the prices in the configuration. */
  costUsd: z.number(),
  /** A pseudonym of the reader, different from `fp`. */
  reader: z.string(),
  feedback: rating.nullable(),
  inputTokens: count.nullable(),
  outputTokens: count.nullable(),
  /** From the question to the first word of the answer. Null: there was none. */
  firstTextMs: count.nullable(),
  /** When the pages were read, at which commits, and their versions. Null: not known. */
  stamp: z
    .object({
      indexedAt: z.string(),
      commits: z.array(z.string()),
      versions: z.array(z.string()),
    })
    .nullable(),
});
export type Conversation = z.infer<typeof Conversation>;

const paged = { nextCursor: z.string().nullable(), hasMore: z.boolean() };

/** Filters without an index look at a limited number of questions at once, so a page with `hasMore` may be short or empty. */
export const ConversationsResponse = z.object({ conversations: z.array(Conversation), ...paged });

/** A question and its answer, with everything that is stored about them. */
export const Turn = Conversation.omit({ sources: true, feedback: true }).extend({
  /** The `id` is the number of its citations. */
  sources: z.array(z.object({ id: z.string(), title: z.string(), url: z.string() })),
  feedback: rating.extend({ id: z.string() }).nullable(),
  /** What the reader selected or attached. */
  context: z.array(z.object({ value: z.string(), path: z.string().optional() })),
  /** What the model was given, best first. Scores are comparable within one search only. */
  passages: z.array(z.object({ url: z.string(), title: z.string(), score: z.number() })),
  searchMs: count.nullable(),
  finishedAt: z.iso.datetime().nullable(),
  finishReason: z.string().nullable(),
  /** The question that the reader asked in its place. */
  replacedBy: z.string().nullable(),
  /** The agent job that the question or its feedback led to. */
  jobId: z.string().nullable(),
});
export type Turn = z.infer<typeof Turn>;

export const ThreadResponse = z.object({
  threadId: z.string(),
  reader: z.string(),
  /** Oldest first. */
  turns: z.array(Turn),
  /** There are earlier turns; only the last 200 are here. */
  hasEarlier: z.boolean(),
});
export type ThreadResponse = z.infer<typeof ThreadResponse>;

export const FeedbackQuery = PagedQuery.extend({
  state: z.enum(feedbackStates).optional(),
  rating: z.enum(['up', 'down']).optional(),
  /** The ID of a person. */
  assignee: z.string().max(100).optional(),
});
export type FeedbackQuery = z.infer<typeof FeedbackQuery>;

/** A person, or a key by its name. */
const someone = z.object({ id: z.string(), name: z.string() });

export const FeedbackEntry = rating.extend({
  id: z.string(),
  source: z.enum(['assistant', 'page']),
  /** The page, or the page that caused a wrong answer if the reader named one. */
  path: z.string().nullable(),
  messageId: z.string().nullable(),
  createdAt: z.iso.datetime(),
  /** A person can turn it into a job. */
  isSuggestion: z.boolean(),
  /** The agent job for this feedback or for the same page. */
  jobId: z.string().nullable(),
  updatedAt: z.iso.datetime(),
  /** The reader's question, and its conversation. */
  question: z.string().nullable(),
  threadId: z.string().nullable(),
  reader: z.string(),
  /** A rating up without a comment starts as `done`. */
  state: z.enum(feedbackStates),
  assignee: someone.nullable(),
  /** Counts changes, for `PATCH`. */
  version: count,
});
export type FeedbackEntry = z.infer<typeof FeedbackEntry>;

export const FeedbackListResponse = z.object({
  feedback: z.array(FeedbackEntry),
  /** All feedback of the site, whatever the filters. */
  counts: z.record(z.enum(feedbackStates), count),
  ...paged,
});

export const FeedbackDetail = FeedbackEntry.extend({
  /** Internal notes, oldest first. */
  notes: z.array(
    z.object({ id: z.string(), author: someone, text: z.string(), createdAt: z.iso.datetime() }),
  ),
  /** The people of the organization. */
  people: z.array(someone),
});
export type FeedbackDetail = z.infer<typeof FeedbackDetail>;

/** Body of `PATCH /v1/feedback/{domain}/{id}`. */
export const FeedbackChange = z.strictObject({
  /** The `version` that was read. If there is a newer one, the answer is 409. */
  version: z.int().min(1),
  state: z.enum(feedbackStates).optional(),
  /** The ID of a person; null: nobody. */
  assignee: z.string().max(100).nullable().optional(),
  /** An internal note to add. */
  note: words(5_000).optional(),
});
export type FeedbackChange = z.infer<typeof FeedbackChange>;

export const PageFeedback = z.object({
  path: z.string(),
  thumbsUp: count,
  thumbsDown: count,
  /** Ratings of answers that cite the page. */
  answersUp: count,
  answersDown: count,
  /** The number of answers that cite the page. */
  cited: count,
});
export type PageFeedback = z.infer<typeof PageFeedback>;

export const PageFeedbackResponse = z.object({ pages: z.array(PageFeedback) });

export const SummaryResponse = z.object({
  dateFrom: z.iso.datetime(),
  dateTo: z.iso.datetime(),
  questions: count,
  threads: count,
  /** The number of readers. All anonymous readers count as one. */
  readers: count,
  answered: count,
  unanswered: count,
  refused: count,
  /** Answers that were stopped, failed, or interrupted. */
  incomplete: count,
  thumbsUp: count,
  thumbsDown: count,
  /** Answers that spared a message to people, as their readers said beside a support form. */
  deflected: count,
  inputTokens: count,
  outputTokens: count,
  /** The cost in US dollars, by the prices in the configuration. */
  costUsd: z.number(),
  days: z.array(
    z.object({ date: z.iso.date(), questions: count, answered: count, costUsd: z.number() }),
  ),
  /** The most cited pages. */
  topPages: z.array(PageFeedback),
});
export type SummaryResponse = z.infer<typeof SummaryResponse>;

/** A gap in the documentation: similar questions without an answer. */
export const Gap = z.object({
  /** The most typical question. */
  question: z.string(),
  count,
  readers: count,
  firstAskedAt: z.iso.datetime(),
  lastAskedAt: z.iso.datetime(),
  /** Words that the questions share, most distinctive first. */
  words: z.array(z.string()),
  /** Differently worded questions of the gap, with the IDs of all that are worded like this. */
  examples: z.array(
    z.object({ messageId: z.string(), question: z.string(), messageIds: z.array(z.string()) }),
  ),
  /** The pages that readers were on, most frequent first. */
  askedOn: z.array(z.string()),
  /** Changes when someone merges, splits, dismisses, or reopens it. */
  id: z.string(),
  /**
   * `queued`: its job waits. `drafting`: a job works on it. `in-review`: its pull request is open. `merged`:
   * its questions weren't asked again yet. `answered`: all of them have an answer now.
   */
  state: z.enum(['open', 'queued', 'drafting', 'in-review', 'merged', 'answered', 'dismissed']),
  /** The newest job. */
  job: z
    .object({
      id: z.string(),
      project: z.string(),
      status: z.enum(['active', 'completed', 'failed']),
      /** It waits for a process. */
      isQueued: z.boolean(),
      createdAt: z.iso.datetime(),
      finishedAt: z.iso.datetime().nullable(),
      pullRequest: z
        .object({
          number: count,
          url: z.string(),
          state: z.enum(['open', 'merged', 'closed']),
          endedAt: z.string().nullable(),
        })
        .nullable(),
    })
    .nullable(),
  /** Questions since the pull request was merged. */
  askedSince: count,
  /** Of these questions, those that have an answer now, and those that are about to be asked again. */
  answered: count,
  waiting: count,
  /** Questions that had an answer before an index run, and have none after it. */
  lost: count,
  /** When the last question got its answer; null: some have none. */
  answeredAt: z.iso.datetime().nullable(),
  /** Questions in each week of the period, oldest first. */
  weeks: z.array(count),
  /** The pages that the search found for these questions, most frequent first. */
  nearestPages: z.array(
    z.object({
      url: z.string(),
      title: z.string(),
      /** Of one gap: the file that a built page is made from, if it's known. */
      source: z.string().optional(),
    }),
  ),
});
export type Gap = z.infer<typeof Gap>;

const Answered = z.object({
  outcome: z.enum(['answered', 'unanswered', 'refused']).nullable(),
  answer: z.string(),
  sources: z.array(z.object({ id: z.string(), title: z.string(), url: z.string() })),
});

/** A gap with the answers to its questions, before and after. */
export const GapStory = Gap.extend({
  answers: z.array(
    z.object({
      messageId: z.string(),
      threadId: z.string(),
      question: z.string(),
      /** How often it was asked in these words. */
      count,
      /** What the reader got. */
      before: Answered.extend({ at: z.iso.datetime() }),
      /** What came of asking again; null: it wasn't. */
      after: Answered.extend({
        /** Why: a merged pull request, an owner's request, or a page that changed. */
        cause: z.enum(['merge', 'owner', 'index']),
        state: z.enum(['waiting', 'done', 'failed']),
        at: z.iso.datetime().nullable(),
        /** The end of the index run before it, and the commits that the run read. */
        indexedAt: z.iso.datetime().nullable(),
        commits: z.array(z.string()),
        model: z.string().nullable(),
        /** It had an answer before that run. */
        isLost: z.boolean(),
        /** Why it could not be asked. */
        error: z.string().nullable(),
      }).nullable(),
    }),
  ),
});
export type GapStory = z.infer<typeof GapStory>;

export const AskAgainReply = z.object({
  /** How many questions are asked again once the documentation was read. */
  questions: count,
});

export const GapsResponse = z.object({
  questions: count,
  /** Most frequent first. */
  gaps: z.array(Gap),
});
export type GapsResponse = z.infer<typeof GapsResponse>;

/** Body of `POST /v1/readers/{domain}/forget`. `fp` isn't in the path, because paths appear in logs. */
export const ForgetRequest = z.union(
  [
    z.object({ fp: z.string().min(1).max(200) }),
    /** The reader's pseudonym, as conversations have it. */
    z.object({ reader: z.string().min(1).max(200) }),
  ],
  { error: 'needs the `fp` of the reader, or their pseudonym as `reader`' },
);
export type ForgetRequest = z.infer<typeof ForgetRequest>;

export const ForgetResponse = z.object({ threads: count, questions: count, feedback: count });
export type ForgetResponse = z.infer<typeof ForgetResponse>;

/** Body of `POST /v1/analytics/{domain}/unanswered/job`. */
export const GapJobRequest = z.object({
  /** Unanswered questions, from a gap's `examples`. */
  messageIds: z.array(ids).min(1).max(50),
  /** More instructions, such as which page to change. */
  instruction: words(10_000).optional(),
  /** A page to add as it is, without a language model. */
  command: AddPage.optional(),
  /** Whether the pull request is a draft, if the project lets the caller decide. */
  asDraft: z.boolean().optional(),
});
export type GapJobRequest = z.infer<typeof GapJobRequest>;

/** Body of `POST /v1/gaps/{domain}`: groups of questions, as a person decides. To merge gaps, send one; to split, several. */
export const GapDecision = z.strictObject({
  gaps: z
    .array(
      z.strictObject({
        messageIds: z.array(ids).min(1).max(5_000),
        state: z.enum(['open', 'dismissed']).default('open'),
      }),
    )
    .min(1)
    .max(20),
  /** The `id`s of the gaps that held these questions. If one is no longer there, the answer is 409. */
  replaces: z.array(ids).max(20).default([]),
});
export type GapDecision = z.infer<typeof GapDecision>;

export const GapDecisionResponse = z.object({
  gaps: z.array(z.object({ id: z.string(), state: z.enum(['open', 'dismissed']) })),
});
export type GapDecisionResponse = z.infer<typeof GapDecisionResponse>;
