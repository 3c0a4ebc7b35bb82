/** The audit log. Not in the service document. */
import { z } from 'zod';
import { Actor } from './managed-keys.ts';

export const AuditEntry = z.object({
  organization: z.string(),
  /** 1, 2, 3, … in each organization, without gaps. */
  seq: z.number().int(),
  time: z.iso.datetime(),
  project: z.string().nullable(),
  job: z.string().nullable(),
  /** `kind` is `person` or `key` with its ID and name, `reader`, `page`, `command-line`, or `system` for the service itself. */
  actor: Actor,
  type: z.string(),
  /** The name of the person in `data.person`. */
  subject: z.string().nullable(),
  data: z.unknown(),
});

export const AuditQuery = z.strictObject({
  project: z.string().max(100).optional(),
  job: z.string().max(100).optional(),
  /** One type, such as `key.revoked`, or all types of a thing, such as `key`. */
  type: z.string().max(100).optional(),
  /** The ID of a person or a key, or a kind of actor such as `system`. */
  actor: z.string().max(100).optional(),
  /** Entries at this time or later, and before this time. */
  from: z.iso.datetime({ offset: true }).optional(),
  to: z.iso.datetime({ offset: true }).optional(),
  /** `jsonl` and `csv` return all entries in one file, and ignore `limit` and `cursor`. */
  format: z.enum(['json', 'jsonl', 'csv']).default('json'),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  /** `nextCursor` of the previous page. */
  cursor: z.coerce.number().int().min(1).optional(),
});
export type AuditQuery = z.infer<typeof AuditQuery>;

export const AuditResponse = z.object({
  /** Newest first. */
  entries: z.array(AuditEntry),
  nextCursor: z.number().int().nullable(),
  hasMore: z.boolean(),
});
export type AuditEntry = z.output<typeof AuditEntry>;
