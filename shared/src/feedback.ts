/** What readers thought of an answer or a page. Not in the service document; the words are ours. */
import { z } from 'zod';
import { optional, SearchFilter } from './assistant.ts';

/** Why; of either rating, as a good answer may be too long as well. */
export const feedbackReasons = [
  'accurate',
  'clear',
  'found_it_fast',
  'incorrect',
  'incomplete',
  'outdated',
  'irrelevant',
  'unclear',
  'wrong_source',
  'other',
] as const;
export type FeedbackReason = (typeof feedbackReasons)[number];

const opinion = {
  rating: z.enum(['up', 'down']),
  reasons: optional(z.array(z.enum(feedbackReasons)).max(feedbackReasons.length)),
  /** In the reader's words. E-mail addresses and secrets are taken out before it is stored. */
  note: optional(z.string().trim().max(1_000)),
};

/** Body of `POST /discovery/v1/feedback/{domain}`: about one answer, or one page, or a page that made an answer wrong. */
export const FeedbackRequest = z.object({
  /** The same as with the question. */
  fp: z.string().min(1).max(200),
  /** The answer; it is on the `start` part of its stream. */
  messageId: optional(z.string().min(1).max(200)),
  /** The conversation, of which the last answer is meant. */
  threadId: optional(z.string().min(1).max(200)),
  /** The page. With an answer: the page that made it wrong. */
  path: optional(z.string().trim().min(1).max(2_000)),
  /** What the reader may see, where the page is not for all. */
  filter: optional(SearchFilter),
  ...opinion,
});
export type FeedbackRequest = z.infer<typeof FeedbackRequest>;

export const FeedbackResponse = z.object({
  /** The same for everything that this reader says about this thing: the last word counts. */
  id: z.string(),
  messageId: z.string().optional(),
  path: z.string().optional(),
  rating: z.enum(['up', 'down']),
  /**
   * Only where the site makes agent jobs of what readers report, and this is such a report: people will
   * look at it, or a change is being prepared that people look at before it is published.
   */
  report: z.enum(['review', 'started']).optional(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type FeedbackResponse = z.infer<typeof FeedbackResponse>;
