/** Small bodies that the service answers with. */
import { z } from 'zod';
import { type ErrorBody, type ErrorCode, errorTable } from './errors.ts';

/** The body of every answer that is not a success. */
export const ErrorReply = z.object({
  error: z.string(),
  code: z.enum(Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]]),
  requestId: z.string(),
  retryAfter: z.number().exactOptional(),
  details: z.array(z.object({ path: z.string(), message: z.string() })).exactOptional(),
}) satisfies z.ZodType<ErrorBody>;

/** The same for clients that speak OpenAI's wire. */
export const OpenAiErrorReply = z.object({
  error: z.looseObject({ message: z.string(), code: z.string().nullable() }),
});

/** What the widget shows before a question. */
export const SiteReply = z.object({
  domain: z.string(),
  name: z.string(),
  starterQuestions: z.array(z.string()),
  mode: z.enum(['model', 'extractive']),
  /** What becomes of a reader's "this page is wrong"; null where nothing does. */
  pageReports: z
    .object({
      /** `after-review`: people decide. `at-once`: a change is prepared, which people look at. */
      createJobs: z.enum(['after-review', 'at-once']),
      /** What a reader writes must have so many characters. */
      minNoteCharacters: z.number().int(),
    })
    .nullable(),
});

/** The number between 0 and `maxNumber` is to be found for which SHA-256(salt + number) is `challenge`. */
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
