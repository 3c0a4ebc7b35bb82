/** Small response bodies. */
import { z } from 'zod';
import { HandOver } from './hand-over.ts';
import { type ErrorBody, type ErrorCode, errorTable } from './errors.ts';

/** The body of every unsuccessful response. */
export const ErrorReply = z.object({
  error: z.string(),
  code: z.enum(Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]]),
  requestId: z.string(),
  retryAfter: z.number().exactOptional(),
  details: z.array(z.object({ path: z.string(), message: z.string() })).exactOptional(),
}) satisfies z.ZodType<ErrorBody>;

/** The same in OpenAI's format. */
export const OpenAiErrorReply = z.object({
  error: z.looseObject({ message: z.string(), code: z.string().nullable() }),
});

/** The data that the widget shows before the first question. */
export const SiteReply = z.object({
  domain: z.string(),
  name: z.string(),
  starterQuestions: z.array(z.string()),
  mode: z.enum(['model', 'extractive']),
  /** What happens with readers' reports about pages. Null if nothing happens. */
  pageReports: z
    .object({
      /** `after-review`: people decide. `at-once`: Docent prepares a change, and people review it. */
      createJobs: z.enum(['after-review', 'at-once']),
      /** The minimum length of a reader's note. */
      minNoteCharacters: z.number().int(),
    })
    .nullable(),
  /** How a reader reaches people. Null: not through Docent. */
  handOver: HandOver.nullable(),
});

/** The client must find a number from 0 to `maxNumber` for which SHA-256(salt + number) is `challenge`. */
export const ChallengeReply = z.object({
  algorithm: z.literal('SHA-256'),
  challenge: z.string(),
  salt: z.string(),
  maxNumber: z.number().int(),
  signature: z.string(),
  expiresAt: z.iso.datetime(),
});

export const HealthReply = z.object({ status: z.literal('ok') });

export const ReadyReply = z.object({
  status: z.literal('ready'),
  search: z.literal('fallback').exactOptional(),
});
