/** What the host of a project's repository told the service. Not in the service document. */
import { z } from 'zod';

/**
 * `waiting`: not looked at yet; `working`: its job works on it; `done`: answered; `ignored`: nothing to do;
 * `failed`: the host couldn't be asked.
 */
export const HostEvent = z.object({
  id: z.string(),
  /** The delivery's ID at the host. */
  delivery: z.string(),
  /** As the host calls it: `issue_comment created`. */
  name: z.string(),
  /** The number of the pull request. */
  pull: z.number().int().nullable(),
  status: z.enum(['waiting', 'working', 'done', 'ignored', 'failed']),
  /** Why it was ignored or failed. */
  reason: z.string().nullable(),
  job: z.string().nullable(),
  createdAt: z.iso.datetime(),
});
export type HostEvent = z.infer<typeof HostEvent>;

export const HostEventsReply = z.object({
  /** Where the host's webhook sends to; null: the project takes none. */
  address: z.string().nullable(),
  events: z.array(HostEvent),
});
export type HostEventsReply = z.infer<typeof HostEventsReply>;
