/** The audit log, for admin keys. Not in the service document. */
import { z } from 'zod';

export const AuditEntry = z.object({
  organization: z.string(),
  /** 1, 2, 3, … in each organization, without gaps. */
  seq: z.number().int(),
  time: z.iso.datetime(),
  project: z.string().nullable(),
  job: z.string().nullable(),
  /** `kind` is `key` with its ID, `reader`, `page`, `command-line`, or `system` for the service itself. */
  actor: z.object({ kind: z.string(), id: z.string().nullable() }),
  type: z.string(),
  data: z.unknown(),
});

export const AuditQuery = z.strictObject({
  project: z.string().max(100).optional(),
  job: z.string().max(100).optional(),
  type: z.string().max(100).optional(),
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
