/**
 * The request of OpenAI's chat completions, as far as a documentation assistant can follow it. What
 * sets up a model (temperature, tools, response_format) is the site's, so it is accepted and ignored.
 */
import { z } from 'zod';
import { optional, SearchFilter } from './assistant.ts';
import { promises } from './promises.ts';

const ContentPart = z.looseObject({ type: z.string(), text: z.unknown().optional() });

export const ChatMessage = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: optional(z.union([z.string(), z.array(ContentPart)])),
});
export type ChatMessage = z.infer<typeof ChatMessage>;

/** What is ours, where OpenAI's clients can send it: `metadata` holds strings only. */
const Metadata = z.looseObject({
  threadId: optional(z.string().max(200)),
  currentPath: optional(z.string().max(promises.currentPathMaxLength)),
});

/** Body of `POST /v1/chat/completions`. */
export const ChatCompletionsRequest = z.looseObject({
  /** The domain of a site, or `docent` where the key is for one site. */
  model: z.string().min(1).max(200),
  messages: z.array(ChatMessage).min(1).max(500),
  stream: optional(z.boolean()),
  stream_options: optional(z.looseObject({ include_usage: optional(z.boolean()) })),
  /** One answer is what there is. */
  n: optional(z.literal(1)),
  /** Who asks: our `fp`. */
  user: optional(z.string().min(1).max(200)),
  metadata: optional(Metadata),
  retrievalPageSize: optional(z.number().int().min(1).max(promises.retrievalPageSizeMax)),
  filter: optional(SearchFilter),
});
export type ChatCompletionsRequest = z.infer<typeof ChatCompletionsRequest>;
