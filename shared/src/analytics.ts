/**
 * What the owner of a site may learn (admin key). Paths, names and paging of conversations and
 * feedback are those of the public analytics API of this shape; fields that it does not have are ours.
 */
import { z } from 'zod';

/** A day, or a moment with its time zone. */
const time = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

export const PeriodQuery = z.strictObject({
  /** From this day or moment on; 30 days before the end if absent. */
  dateFrom: time.optional(),
  /** Up to this moment, or to the end of this day; now if absent. */
  dateTo: time.optional(),
});
export type PeriodQuery = z.infer<typeof PeriodQuery>;

const ids = z.string().regex(/^[0-9A-HJKMNP-TV-Z]{26}$/);

export const PagedQuery = PeriodQuery.extend({
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  /** `nextCursor` of the page before. */
  cursor: ids.optional(),
});
export type PagedQuery = z.infer<typeof PagedQuery>;

export const ConversationsQuery = PagedQuery.extend({
  /** `jsonl` and `csv` give all of the period in one file, whatever `limit` says. */
  format: z.enum(['json', 'jsonl', 'csv']).default('json'),
  /** Only questions that came out so. */
  resolutionStatus: z.enum(['answered', 'unanswered', 'refused']).optional(),
});
export type ConversationsQuery = z.infer<typeof ConversationsQuery>;

const rating = z.object({
  helpful: z.boolean(),
  reasons: z.array(z.string()),
  comment: z.string().nullable(),
});

/** One question with its answer. */
export const Conversation = z.object({
  id: z.string(),
  threadId: z.string(),
  timestamp: z.iso.datetime(),
  query: z.string(),
  response: z.string(),
  sources: z.array(z.object({ title: z.string(), url: z.string() })),
  /** Null where the answer was not completed. */
  resolutionStatus: z.enum(['answered', 'unanswered', 'refused']).nullable(),
  confidence: z.number().nullable(),
  /** Whether the answer was completed, stopped by its reader, failed or cut short. */
  status: z.string(),
  /** Not told apart by us. */
  queryCategory: z.null(),
  /** The page that the reader was on. */
  currentPath: z.string().nullable(),
  model: z.string(),
  /** The same for all questions of a reader; not what the caller sent as `fp`. */
  reader: z.string(),
  feedback: rating.nullable(),
});
export type Conversation = z.infer<typeof Conversation>;

const paged = { nextCursor: z.string().nullable(), hasMore: z.boolean() };

export const ConversationsResponse = z.object({ conversations: z.array(Conversation), ...paged });

export const FeedbackEntry = rating.extend({
  id: z.string(),
  source: z.enum(['assistant', 'page']),
  /** Of a page: its path. Of an answer: the page that made it wrong, where the reader said which, else null. */
  path: z.string().nullable(),
  messageId: z.string().nullable(),
  createdAt: z.iso.datetime(),
  /** It may become a job, once somebody decides so. */
  isSuggestion: z.boolean(),
  /** The agent job that works on it, or that worked on the same page. */
  jobId: z.string().nullable(),
});
export type FeedbackEntry = z.infer<typeof FeedbackEntry>;

export const FeedbackListResponse = z.object({ feedback: z.array(FeedbackEntry), ...paged });

const count = z.number().int();

export const PageFeedback = z.object({
  path: z.string(),
  thumbsUp: count,
  thumbsDown: count,
  /** Ratings of answers that cite the page. */
  answersUp: count,
  answersDown: count,
  /** Answers that cite it. */
  cited: count,
});
export type PageFeedback = z.infer<typeof PageFeedback>;

export const PageFeedbackResponse = z.object({ pages: z.array(PageFeedback) });

export const SummaryResponse = z.object({
  dateFrom: z.iso.datetime(),
  dateTo: z.iso.datetime(),
  questions: count,
  threads: count,
  /** Different readers; all anonymous ones count as one. */
  readers: count,
  answered: count,
  unanswered: count,
  refused: count,
  /** Not completed: stopped, failed or cut short. */
  incomplete: count,
  thumbsUp: count,
  thumbsDown: count,
  inputTokens: count,
  outputTokens: count,
  days: z.array(z.object({ date: z.iso.date(), questions: count, answered: count })),
  /** The pages that answers cite most. */
  topPages: z.array(PageFeedback),
});
export type SummaryResponse = z.infer<typeof SummaryResponse>;

/** Questions that ask for the same and got no answer: a gap in the documentation. */
export const Gap = z.object({
  /** The question that says best what all of them ask. */
  question: z.string(),
  count,
  readers: count,
  firstAskedAt: z.iso.datetime(),
  lastAskedAt: z.iso.datetime(),
  /** Words that they share, the most telling first. */
  words: z.array(z.string()),
  /** Some of them, worded differently. */
  examples: z.array(z.object({ messageId: z.string(), question: z.string() })),
  /** Pages that readers were on, the most frequent first. */
  askedOn: z.array(z.string()),
});
export type Gap = z.infer<typeof Gap>;

export const GapsResponse = z.object({
  questions: count,
  /** The most frequent first. */
  gaps: z.array(Gap),
});

/** Body of `POST /v1/readers/{domain}/forget`. In the body, as paths end up in logs. */
export const ForgetRequest = z.object({ fp: z.string().min(1).max(200) });

export const ForgetResponse = z.object({ threads: count, questions: count, feedback: count });
export type ForgetResponse = z.infer<typeof ForgetResponse>;

/** Body of `POST /v1/analytics/{domain}/unanswered/job`. */
export const GapJobRequest = z.object({
  /** Unanswered questions: `messageId` of a gap's `examples`. */
  messageIds: z.array(ids).min(1).max(50),
  /** What you want besides: which page, what to say. */
  instruction: z.string().trim().min(1).max(10_000).optional(),
  /** Whether the pull request is a draft, where the project leaves that to the caller. */
  asDraft: z.boolean().optional(),
});
export type GapJobRequest = z.infer<typeof GapJobRequest>;
