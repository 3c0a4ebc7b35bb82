/** What a project's webhooks say. Not in the service document; the envelope is that of the Standard Webhooks specification. */
import { z } from 'zod';

export const webhookEvents = [
  'job.created',
  'job.pull_request',
  'job.completed',
  'job.failed',
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** The version of `data`: fields are added to one, and none is taken away or changes its meaning. */
export const webhookVersion = 2;

/** Body of a webhook, about a job as version 2 of the API shows it at that moment. */
export const WebhookBody = z.object({
  type: z.enum(webhookEvents),
  /** When it happened; the same at each attempt. */
  timestamp: z.iso.datetime(),
  data: z.object({
    version: z.literal(webhookVersion),
    project: z.string(),
    job: z.looseObject({ id: z.string(), status: z.string(), prLink: z.string().nullable() }),
    /** Of `job.pull_request`. */
    pullRequest: z
      .object({ number: z.number().int(), url: z.string(), isDraft: z.boolean() })
      .optional(),
  }),
});
export type WebhookBody = z.infer<typeof WebhookBody>;

/** One message to one endpoint, as `GET /v2/agent/{projectId}/webhooks` shows it. */
export const WebhookDelivery = z.object({
  /** Also its `webhook-id`. */
  id: z.string(),
  endpoint: z.string(),
  type: z.enum(webhookEvents),
  jobId: z.string().nullable(),
  status: z.enum(['pending', 'delivered', 'failed', 'held']),
  attempts: z.number().int(),
  /** When it is tried next. */
  dueAt: z.iso.datetime().nullable(),
  lastAttemptAt: z.iso.datetime().nullable(),
  /** What the receiver answered, and what went wrong. */
  lastStatus: z.number().int().nullable(),
  lastFault: z.string().nullable(),
  lastResponse: z.string().nullable(),
  createdAt: z.iso.datetime(),
  deliveredAt: z.iso.datetime().nullable(),
});
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const WebhookEndpoint = z.object({
  id: z.string(),
  /** Where it is, without path and query, which may hold a secret. */
  origin: z.string(),
  events: z.array(z.enum(webhookEvents)),
  /** Failed attempts since the last success. */
  failures: z.number().int(),
  lastSuccessAt: z.iso.datetime().nullable(),
  /** Switched off since; a replay that succeeds switches it on again. */
  disabledAt: z.iso.datetime().nullable(),
  reason: z.string().nullable(),
});
export type WebhookEndpoint = z.infer<typeof WebhookEndpoint>;

export const WebhooksQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  /** `nextCursor` of the page before. */
  cursor: z
    .string()
    .regex(/^[0-9A-HJKMNP-TV-Z]{26}$/)
    .optional(),
  status: z.enum(['pending', 'delivered', 'failed', 'held']).optional(),
});
export type WebhooksQuery = z.infer<typeof WebhooksQuery>;

export const WebhooksResponse = z.object({
  endpoints: z.array(WebhookEndpoint),
  /** Newest first. */
  deliveries: z.array(WebhookDelivery),
  nextCursor: z.string().nullable(),
  hasMore: z.boolean(),
});
export type WebhooksResponse = z.infer<typeof WebhooksResponse>;
