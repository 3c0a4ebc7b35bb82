/**
 * The request of OpenAI's chat completions. The site's owner chooses the model settings, so values such
 * as `temperature`, `tools`, and `response_format` are accepted and ignored.
 */
import { z } from 'zod';
import { optional, RetrievalPageSize, SearchFilter } from './assistant.ts';
import { promises } from './promises.ts';

const ContentPart = z.looseObject({ type: z.string(), text: z.unknown().optional() });

export const ChatMessage = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: optional(z.union([z.string(), z.array(ContentPart)])),
});
export type ChatMessage = z.infer<typeof ChatMessage>;

/** Docent's own fields. OpenAI's clients can send only strings in `metadata`. */
const Metadata = z.looseObject({
  threadId: optional(z.string().max(200)),
  currentPath: optional(z.string().max(promises.currentPathMaxLength)),
});

/** Body of `POST /v1/chat/completions`. */
export const ChatCompletionsRequest = z.looseObject({
  /** The domain of a site, or `docent` if the key belongs to one site. */
  model: z.string().min(1).max(200),
  messages: z.array(ChatMessage).min(1).max(500),
  stream: optional(z.boolean()),
  stream_options: optional(z.looseObject({ include_usage: optional(z.boolean()) })),
  /** Only one answer is possible. */
  n: optional(z.literal(1)),
  /** The reader's `fp`. */
  user: optional(z.string().min(1).max(200)),
  metadata: optional(Metadata),
  retrievalPageSize: RetrievalPageSize,
  filter: optional(SearchFilter),
});
export type ChatCompletionsRequest = z.infer<typeof ChatCompletionsRequest>;
