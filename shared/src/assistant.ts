/**
 * What a caller sends to the assistant, both versions. Source: the service document, "Assistant
 * request body". Where it is silent we accept what the chat SDKs really send: unknown keys, null for
 * an optional field, messages without an id, and part types of later SDKs.
 */
import { z } from 'zod';
import { promises } from './promises.ts';

/** An optional field that clients also send as null. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** A piece of a message. Only text is read; every other type is kept by the client and ignored here. */
export const MessagePart = z.looseObject({ type: z.string(), text: z.unknown().optional() });
export type MessagePart = z.infer<typeof MessagePart>;

const message = z.looseObject({
  id: optional(z.string()),
  content: optional(z.string()),
  parts: optional(z.array(MessagePart)),
  /** Set by us on an earlier answer of this conversation; carries `threadId`. */
  metadata: z.unknown().optional(),
  annotations: z.unknown().optional(),
});

/** A message as chat SDK 5 and later send it. */
export const MessageV2 = message.extend({ role: z.enum(['user', 'assistant', 'system']) });
export type MessageV2 = z.infer<typeof MessageV2>;

/** A message as chat SDK 4 sends it. */
export const MessageV1 = message.extend({ role: z.enum(['user', 'assistant', 'system', 'data']) });
export type MessageV1 = z.infer<typeof MessageV1>;

/** Something the reader pointed at: a code block or selected text. */
export const ContextItem = z.object({
  type: z.enum(['code', 'textSelection']),
  value: z.string().max(20_000),
  path: optional(z.string().max(2_000)),
  elementId: optional(z.string().max(500)),
});
export type ContextItem = z.infer<typeof ContextItem>;

/**
 * Narrows what the answer may use. Strict: a typo in a key must not widen what a reader sees.
 * Spec: "structure of filter: not shown".
 */
export const SearchFilter = z.strictObject({
  version: optional(z.string().max(200)),
  language: optional(z.string().max(200)),
  groups: optional(z.array(z.string().max(200)).max(100)),
  tag: optional(z.string().max(200)),
});
export type SearchFilter = z.infer<typeof SearchFilter>;

const request = {
  fp: z.string().min(1).max(200),
  threadId: optional(z.string().max(200)),
  retrievalPageSize: optional(z.number().int().min(1).max(promises.retrievalPageSizeMax)),
  filter: optional(SearchFilter),
  context: optional(z.array(ContextItem).max(20)),
  currentPath: optional(z.string().max(promises.currentPathMaxLength)),
  /** `false`: nothing of this question and its answer is kept. Follow-ups then need the client's history. */
  store: optional(z.boolean()),
  /** Sent by SDK clients: what they call this conversation, and why this request is made. */
  id: z.unknown().optional(),
  trigger: optional(z.string()),
  messageId: optional(z.string()),
};

/** Body of `POST /discovery/v2/assistant/{domain}/message`. */
export const AssistantRequestV2 = z.looseObject({
  ...request,
  messages: z.array(MessageV2).min(1).max(500),
});
export type AssistantRequestV2 = z.infer<typeof AssistantRequestV2>;

/** Body of `POST /discovery/v1/assistant/{domain}/message`. */
export const AssistantRequestV1 = z.looseObject({
  ...request,
  messages: z.array(MessageV1).min(1).max(500),
});
export type AssistantRequestV1 = z.infer<typeof AssistantRequestV1>;
