/** What a reader sends to people. Not in the service document. */
import { z } from 'zod';
import { optional, words } from './assistant.ts';

export const HandOverRequest = z.object({
  /** The `fp` of the questions. */
  fp: z.string().min(1).max(200),
  /** The conversation that goes along. */
  threadId: optional(z.string().max(200)),
  name: words(100).regex(/^[^\p{Cc}]*$/u, 'must be one line'),
  email: z.email().max(254),
  message: words(4_000),
  /** The reader agrees that people get all of this, and the conversation. */
  consent: z.literal(true, 'must be true: the reader has to agree'),
});
export type HandOverRequest = z.output<typeof HandOverRequest>;

export const HandOverReply = z.object({ id: z.string(), createdAt: z.iso.datetime() });

/** How a reader reaches people: a form of these fields, or a link of the owner's ticket tool. */
export const HandOver = z.union([
  z.object({ kind: z.literal('form') }),
  z.object({
    kind: z.literal('link'),
    /** Replace `{threadId}`; empty if there is no conversation. */
    url: z.string(),
  }),
]);
