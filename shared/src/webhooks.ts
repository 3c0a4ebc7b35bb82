/** The messages of webhooks. Not in the service document. The envelope follows Standard Webhooks. */
import { z } from 'zod';

export const webhookEvents = [
  'job.created',
  'job.pull_request',
  'job.completed',
  'job.failed',
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** The version of `data`. A version can get new fields, but existing fields don't change. */
export const webhookVersion = 2;

/** The body of a webhook, with the job in the format of API version 2. */
export const WebhookBody = z.object({
  type: z.enum(webhookEvents),
  /** When it happened. The same for each attempt. */
  timestamp: z.iso.datetime(),
  data: z.object({
    version: z.literal(webhookVersion),
    project: z.string(),
    job: z.looseObject({ id: z.string(), status: z.string(), prLink: z.string().nullable() }),
    /** Only in `job.pull_request`. */
    pullRequest: z
      .object({ number: z.number().int(), url: z.string(), isDraft: z.boolean() })
      .optional(),
  }),
});
export type WebhookBody = z.infer<typeof WebhookBody>;

/** What an endpoint can get. Alerts of budgets and what readers hand over belong to no project. */
const anyEvent = z.enum([...webhookEvents, 'budget.alert', 'handover.created']);

/** A message to an endpoint. */
export const WebhookDelivery = z.object({
  /** The same as its `webhook-id`. */
  id: z.string(),
  /** Null: an alert of a budget. */
  project: z.string().nullable(),
  endpoint: z.string(),
  type: anyEvent,
  jobId: z.string().nullable(),
  /** The JSON that is sent. */
  body: z.string(),
  status: z.enum(['pending', 'delivered', 'failed']),
  attempts: z.number().int(),
  /** The time of the next attempt. */
  dueAt: z.iso.datetime().nullable(),
  lastAttemptAt: z.iso.datetime().nullable(),
  /** The receiver's last response, and the last error. */
  lastStatus: z.number().int().nullable(),
  lastFault: z.string().nullable(),
  lastResponse: z.string().nullable(),
  createdAt: z.iso.datetime(),
  deliveredAt: z.iso.datetime().nullable(),
});
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const WebhookEndpoint = z.object({
  id: z.string(),
  /** Null: the endpoint of budget alerts, which belongs to the whole service. */
  project: z.string().nullable(),
  /** Without path and query, which can contain a secret. `mailto:` with an email address for one. */
  origin: z.string(),
  events: z.array(anyEvent),
  /** Failed attempts since the last success, and when the first of their messages was written. */
  failures: z.number().int(),
  failingSince: z.iso.datetime().nullable(),
  lastSuccessAt: z.iso.datetime().nullable(),
});
export type WebhookEndpoint = z.infer<typeof WebhookEndpoint>;

export const WebhooksQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  /** `nextCursor` of the previous page. */
  cursor: z
    .string()
    .regex(/^[0-9A-HJKMNP-TV-Z]{26}$/)
    .optional(),
  status: z.enum(['pending', 'delivered', 'failed']).optional(),
});

/** For the deliveries of all projects of an organization. */
export const AllWebhooksQuery = WebhooksQuery.extend({
  project: z.string().optional(),
  type: anyEvent.optional(),
});
export type WebhooksQuery = z.infer<typeof AllWebhooksQuery>;

export const WebhooksResponse = z.object({
  endpoints: z.array(WebhookEndpoint),
  /** Newest first. */
  deliveries: z.array(WebhookDelivery),
  nextCursor: z.string().nullable(),
  hasMore: z.boolean(),
});
export type WebhooksResponse = z.infer<typeof WebhooksResponse>;
