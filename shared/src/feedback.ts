/** Readers' feedback on answers and pages. Not in the service document. */
import { z } from 'zod';
import { optional, SearchFilter, words } from './assistant.ts';

/** Reasons, for both ratings: a good answer can also be incomplete. */
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
  /** The reader doesn't need to write to people any more. */
  'no_ticket',
] as const;
export type FeedbackReason = (typeof feedbackReasons)[number];

/** What the team has done about feedback. */
export const feedbackStates = ['open', 'in-progress', 'done', 'dismissed'] as const;
export type FeedbackState = (typeof feedbackStates)[number];

const opinion = {
  rating: z.enum(['up', 'down']),
  reasons: optional(z.array(z.enum(feedbackReasons)).max(feedbackReasons.length)),
  /** The reader's own words. Email addresses and secrets are removed before it is stored. */
  note: optional(z.string().trim().max(1_000)),
};

/** For the OpenAPI document. It's checked where the feedback is stored. */
const aboutSomething = {
  anyOf: ['messageId', 'threadId', 'path'].map((field) => ({
    required: [field],
    properties: { [field]: { type: 'string' } },
  })),
};

/** Body of `POST /discovery/v1/feedback/{domain}`: about an answer, a page, or a page that caused a wrong answer. */
export const FeedbackRequest = z
  .object({
    /** The `fp` of the question. */
    fp: z.string().min(1).max(200),
    /** The answer, from the `start` part of its stream. */
    messageId: optional(z.string().min(1).max(200)),
    /** The conversation. The feedback applies to its last answer. */
    threadId: optional(z.string().min(1).max(200)),
    /** The page. Together with an answer: the page that caused it to be wrong. */
    path: optional(words(2_000)),
    /** The reader's filter, for pages that not everyone can see. */
    filter: optional(SearchFilter),
    ...opinion,
  })
  .meta(aboutSomething);
export type FeedbackRequest = z.infer<typeof FeedbackRequest>;

export const FeedbackResponse = z.object({
  /** The same for all feedback of this reader on this answer or page. The last rating counts. */
  id: z.string(),
  messageId: z.string().optional(),
  path: z.string().optional(),
  rating: z.enum(['up', 'down']),
  /**
   * Only for reports on sites that turn reports into agent jobs. `review`: people will look at it.
   * `started`: a job prepares a change, and people review it.
   */
  report: z.enum(['review', 'started']).optional(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type FeedbackResponse = z.infer<typeof FeedbackResponse>;
