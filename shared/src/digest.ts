/** The weekly email about readers' questions. Not in the service document. */
import { z } from 'zod';

export const DigestRequest = z.strictObject({
  /** Mondays at 8 in the morning there, such as `Europe/Berlin`; null: no emails. */
  timeZone: z.string().min(1).max(100).nullable(),
});

export const DigestReply = z.object({
  timeZone: z.string().nullable(),
  nextAt: z.iso.datetime().nullable(),
  /** Without a mail server in the configuration, there are no emails. */
  hasMailServer: z.boolean(),
});
export type DigestReply = z.output<typeof DigestReply>;
