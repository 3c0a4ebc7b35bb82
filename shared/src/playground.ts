/** One answer with everything that led to it, for who maintains the documentation. Not in the service document. */
import { z } from 'zod';
import { optional, RetrievalPageSize, SearchFilter, words } from './assistant.ts';
import { promises } from './promises.ts';

export const PlaygroundRequest = z.strictObject({
  question: words(promises.questionMaxCharacters),
  /** The conversation before it, oldest first. */
  history: optional(
    z
      .array(z.strictObject({ question: z.string(), answer: z.string() }))
      .max(promises.historyMaxTurns),
  ),
  /** The page that it's asked from. */
  currentPath: optional(z.string().max(promises.currentPathMaxLength)),
  /** What the reader may see: without groups, public pages alone. */
  groups: SearchFilter.shape.groups,
  retrievalPageSize: RetrievalPageSize,
  /** A name from `models`; null: the built-in model; absent: the site's, with its fallback. */
  model: z.string().nullable().optional(),
});
export type PlaygroundRequest = z.output<typeof PlaygroundRequest>;

const source = { title: z.string(), url: z.string() };

export const PlaygroundReply = z.object({
  /** What was searched, made of the question, the conversation, and the page. */
  query: z.looseObject({
    text: z.string(),
    before: z.array(z.string()).optional(),
    currentPath: z.string().optional(),
    pageSize: z.number(),
  }),
  /** What the search found, best first. */
  candidates: z.array(
    z.object({
      path: z.string(),
      title: z.string(),
      score: z.number(),
      passages: z.array(z.object({ heading: z.string(), score: z.number() })),
    }),
  ),
  /** What the answer could use. */
  passages: z.array(
    z.object({ ...source, number: z.string(), score: z.number(), markdown: z.string() }),
  ),
  /** As the model got it; empty for the built-in model. */
  prompt: z.array(z.object({ role: z.string(), text: z.string() })),
  /** The model that answered: the provider's name and the model's ID. */
  model: z.string(),
  /** What the model wrote. */
  rawText: z.string(),
  /** What a reader sees of it. */
  answer: z.string(),
  sources: z.array(z.object({ ...source, id: z.string() })),
  outcome: z.enum(['answered', 'unanswered', 'refused']),
  confidence: z.number(),
  /** What a reader doesn't see, and what to change: text that was left out, an answer that was cut short, a prompt that didn't fit. */
  notices: z.array(z.string()),
  timings: z.object({
    searchMs: z.number(),
    /** Null: no text. */
    firstTextMs: z.number().nullable(),
    totalMs: z.number(),
  }),
  /** Null: the built-in model uses none. */
  usage: z.object({ inputTokens: z.number(), outputTokens: z.number() }).nullable(),
  costUsd: z.number(),
});
export type PlaygroundReply = z.output<typeof PlaygroundReply>;
