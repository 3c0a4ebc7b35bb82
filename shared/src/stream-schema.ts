/** Schemas of the answer's parts, for the OpenAPI document. A separate file, because the widget has no zod. */
import { z } from 'zod';
import type { AnswerPart } from './stream.ts';

const metadata = z.object({
  threadId: z.string(),
  ended: z.literal('stopped').exactOptional(),
  finishReason: z.enum(['length', 'content-filter']).exactOptional(),
});
const usage = z.object({ inputTokens: z.number(), outputTokens: z.number() });

const AnswerStatus = z.object({
  status: z.enum(['answered', 'unanswered', 'refused']),
  confidence: z.number(),
  mode: z.enum(['model', 'extractive', 'pinned']),
  indexedAt: z.iso.datetime().exactOptional(),
  commits: z.array(z.string()).exactOptional(),
  versions: z.array(z.string()).exactOptional(),
  model: z.string().exactOptional(),
  search: z.literal('fallback').exactOptional(),
  cut: z.literal('repetition').exactOptional(),
});

export const AnswerQuestion = z.object({
  about: z.literal('version'),
  question: z.string(),
  choices: z.array(z.string()),
});

/** The data of one event in the stream of version 2. */
export const AnswerPartSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('start'), messageId: z.string(), messageMetadata: metadata }),
  z.object({ type: z.literal('start-step') }),
  z.object({
    type: z.literal('source-url'),
    sourceId: z.string(),
    url: z.string(),
    title: z.string().exactOptional(),
  }),
  z.object({ type: z.literal('data-answer'), data: AnswerStatus }),
  z.object({
    type: z.literal('data-suggestions'),
    data: z.object({ questions: z.array(z.string()) }),
  }),
  z.object({
    type: z.literal('data-question'),
    data: AnswerQuestion,
  }),
  z.object({
    type: z.literal('data-progress'),
    data: z.object({ state: z.literal('thinking') }),
    transient: z.literal(true),
  }),
  z.object({ type: z.literal('text-start'), id: z.string() }),
  z.object({ type: z.literal('text-delta'), id: z.string(), delta: z.string() }),
  z.object({ type: z.literal('text-end'), id: z.string() }),
  z.object({ type: z.literal('finish-step') }),
  z.object({
    type: z.literal('finish'),
    finishReason: z.enum(['stop', 'length', 'content-filter']).exactOptional(),
    messageMetadata: metadata,
    usage: usage.exactOptional(),
  }),
  z.object({ type: z.literal('message-metadata'), messageMetadata: metadata }),
  z.object({ type: z.literal('abort') }),
  z.object({ type: z.literal('error'), errorText: z.string() }),
]) satisfies z.ZodType<AnswerPart>;
