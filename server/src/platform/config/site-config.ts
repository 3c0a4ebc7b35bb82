import { z } from 'zod';
import { DocsConfig } from './docs-config.ts';
import { FeedbackConfig } from './feedback-config.ts';
import { count, name, write } from './fields.ts';

const origin = z
  .string(write('an origin, such as "https://docs.example.com"'))
  .regex(
    /^(\*|https?:\/\/(\*\.)?[A-Za-z0-9.-]+(:\d{1,5})?|https?:\/\/\[[0-9a-fA-F:]+\](:\d{1,5})?)$/,
    write(
      'an origin without a path, such as "https://docs.example.com", "https://*.example.com", or "*" for any',
    ),
  )
  .transform((value) => value.toLowerCase());

/** A host of the web, or all below one. */
const host = z
  .string(write('a host, such as "example.com" or "*.example.com"'))
  .regex(
    /^(?:\*\.)?(?!-)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*(?::\d{1,5})?$/,
    write('a host without "https://" and without a path, such as "example.com" or "*.example.com"'),
  )
  .transform((value) => value.toLowerCase());

export const SiteConfig = z.strictObject({
  domain: name('the site’s identifier', 'acme-docs'),
  organization: name('whose site it is', 'acme'),
  name: z
    .string(write('the name that readers see, such as "Acme"'))
    .min(1, write('the name that readers see')),
  docs: DocsConfig,
  allowedOrigins: z.array(
    origin,
    write('the origins whose pages may ask, such as ["https://docs.example.com"]'),
  ),
  /** Hosts besides the site's own that links of answers may lead to. */
  allowedLinkHosts: z
    .array(host, write('a list of hosts, such as ["example.com", "*.example.org"]'))
    .default([]),
  /** Hosts besides the site's own that pictures in answers may come from: each learns who reads them. */
  allowedImageHosts: z
    .array(host, write('a list of hosts, such as ["images.example.com"]'))
    .default([]),
  starterQuestions: z
    .array(z.string().min(1).max(200), write('a list of questions'))
    .max(8)
    .default([]),
  /** What is kept of conversations, and for how long. */
  privacy: z
    .strictObject(
      {
        /** Whether questions and answers are stored at all. */
        store: z.boolean(write('true or false')).default(true),
        /** Days after which they are deleted. */
        retentionDays: z
          .union([count('a number of days'), z.literal('forever')], {
            error: 'must be a whole number of days, such as 90, or "forever"',
          })
          .default(90),
      },
      write('an object such as { "retentionDays": 90 }'),
    )
    .prefault({}),
  /** What becomes of readers' "this page is wrong". */
  feedback: FeedbackConfig,
  /** Proof of work before each question; without it none is asked for. */
  challenge: z
    .strictObject(
      {
        /** Numbers to try at most; half as many on average. */
        difficulty: z
          .number(write('how many numbers are to be tried at most, such as 100000'))
          .int(write('a whole number, such as 100000'))
          .min(1_000, write('at least 1000'))
          .max(100_000_000, write('at most 100000000'))
          .default(100_000),
        /** How long a challenge can be solved. */
        expiresSeconds: z
          .number(write('a number of seconds'))
          .int(write('a whole number of seconds'))
          .min(10, write('at least 10 seconds'))
          .max(3_600, write('at most 3600 seconds'))
          .default(300),
        /** Ids of keys that never leave your servers; they are asked for no proof. */
        exceptKeys: z.array(z.string(), write('a list of key ids')).default([]),
      },
      write('an object such as { difficulty: 100000 }'),
    )
    .optional(),
  /** A name from `models`; without one the built-in model quotes the documentation. */
  model: z.string(write('a name from "models"')).optional(),
  /** The model makes of a follow-up a question that stands by itself, for the search. */
  rewriteFollowUps: z.boolean(write('true or false')).default(false),
  /** After an answer, questions to go on with. */
  suggestFollowUps: z.boolean(write('true or false')).default(true),
});
export type SiteConfig = z.infer<typeof SiteConfig>;
