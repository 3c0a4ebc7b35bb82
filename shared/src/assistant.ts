/**
 * The request bodies of the assistant, versions 1 and 2. Source: the service document, "Assistant
 * request body". We also accept what chat SDKs send in practice: unknown keys, null for optional
 * fields, messages without an ID, and part types of later SDKs.
 */
import { z } from 'zod';
import { promises } from './promises.ts';

/** An optional field that clients also send as null. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** Text that isn't blank, without the space around it. The pattern is for the OpenAPI document. */
export function words(maxLength: number) {
  return z
    .string()
    .trim()
    .min(1)
    .max(maxLength)
    .meta({ pattern: String.raw`\S` });
}

/** Text that isn't blank, as it is. */
export function notBlank(maxLength: number) {
  const message = 'must not be empty';
  return z.string().min(1, message).max(maxLength).regex(/\S/, message);
}

/** A part of a message. The server reads only text parts. */
export const MessagePart = z.looseObject({ type: z.string(), text: z.unknown().optional() });
export type MessagePart = z.infer<typeof MessagePart>;

const message = z.looseObject({
  id: optional(z.string()),
  content: optional(z.string()),
  parts: optional(z.array(MessagePart)),
  /** Docent sets it on answers. It contains `threadId`. */
  metadata: z.unknown().optional(),
  annotations: z.unknown().optional(),
});

/** A message of chat SDK 5 and later. */
export const MessageV2 = message.extend({ role: z.enum(['user', 'assistant', 'system']) });
export type MessageV2 = z.infer<typeof MessageV2>;

/** A message of chat SDK 4. */
export const MessageV1 = message.extend({ role: z.enum(['user', 'assistant', 'system', 'data']) });
export type MessageV1 = z.infer<typeof MessageV1>;

/** Code or text that the reader selected. The specification requires only the value. */
export const ContextItem = z.object({
  type: z
    .enum(['code', 'textSelection'])
    .nullish()
    .transform((type) => type ?? 'textSelection'),
  value: z.string().max(20_000),
  path: optional(z.string().max(2_000)),
  elementId: optional(z.string().max(500)),
});
export type ContextItem = z.infer<typeof ContextItem>;

/** How many sections of pages an answer may rest on; each is one numbered source. */
export const RetrievalPageSize = optional(
  z
    .number()
    .int()
    .min(1)
    .max(promises.retrievalPageSizeMax)
    .meta({
      description: `The number of search results that the answer can use. A result is a section of a page, and one source of the answer. A question about the reader's page or selection gets that page in addition. The default is ${promises.retrievalPageSizeDefault}. Results that don't fit into the model's context are left out, the worst first.`,
    }),
);

/**
 * Limits what the answer can use. Strict, because a typo in a key must not show a reader more.
 * Specification: "structure of filter: not shown".
 */
export const SearchFilter = z.strictObject({
  version: optional(z.string().max(200)),
  language: optional(z.string().max(200)),
  groups: optional(z.array(z.string().max(200)).max(100)),
  tag: optional(z.string().max(200)),
});
export type SearchFilter = z.infer<typeof SearchFilter>;

function charactersOf(items: ContextItem[]): number {
  return items.reduce(
    (sum, { value, path = '', elementId = '' }) =>
      sum + value.length + path.length + elementId.length,
    0,
  );
}

const request = {
  fp: z.string().min(1).max(200),
  threadId: optional(z.string().max(200)),
  retrievalPageSize: RetrievalPageSize,
  filter: optional(SearchFilter),
  context: optional(
    z
      .array(ContextItem)
      .max(promises.contextMaxItems)
      .refine(
        (items) => charactersOf(items) <= promises.contextMaxCharacters,
        `has too many characters in all; the most is ${promises.contextMaxCharacters}`,
      ),
  ),
  currentPath: optional(z.string().max(promises.currentPathMaxLength)),
  /** If `false`, nothing is stored, and follow-ups need the client's history. */
  store: optional(z.boolean()),
  /** SDK clients send these: the ID of the chat, and the reason for the request. */
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
