import { instructionsMaxCharacters, StarterQuestion } from '@docent/shared/sites';
import { z } from 'zod';
import { DocsConfig } from './docs-config.ts';
import {
  amount,
  count,
  flag,
  list,
  matching,
  name,
  object,
  oneOf,
  port,
  privateHosts,
  section,
  text,
  variable,
  webAddress,
  whole,
  write,
} from './fields.ts';

/** Whether readers' reports become agent jobs. */
const FeedbackConfig = section('an object such as { createJobs: "after-review" }', {
  /** `after-review`: someone with an admin key decides. `at-once`: a draft pull request without a decision. */
  createJobs: oneOf(['never', 'after-review', 'at-once']).default('never'),
  /** Reports that start a job, of one site in one day (UTC). */
  perDay: count('a number of reports').default(10),
  /** The same, of one reader and of one address. */
  perReaderAndDay: count('a number of reports').default(2),
  /** The minimum length of a reader's note. */
  minNoteCharacters: count('a number of characters').default(20),
});
type FeedbackConfig = z.infer<typeof FeedbackConfig>;

const emailAddress = z.email(write('an email address, such as "docs@example.com"'));

/** The owner's mail server. */
export const EmailConfig = object(
  'an object such as { host: "smtp.example.com", from: "docs@example.com" }',
  {
    host: text('the name of your mail server, such as "smtp.example.com"'),
    /** 465 is encrypted from the start; on others, the connection is upgraded if the server offers it. */
    port: port.default(587),
    user: text('the user name at the mail server').optional(),
    /** The variable with the password. With one, an unencrypted connection is refused, but for this machine. */
    passwordEnv: variable.optional(),
    from: emailAddress,
  },
).optional();
export type EmailConfig = z.infer<typeof EmailConfig>;

/** How a reader reaches people. */
const HandOverConfig = object('an object such as { email: "support@example.com" }', {
  /** Instead of a form: an address of a ticket tool. `{threadId}` is replaced. */
  link: webAddress('https://tickets.example.com/new?conversation={threadId}', {
    keepSlash: true,
  }).optional(),
  /** Who gets what a reader writes. */
  email: emailAddress.optional(),
  webhook: object('an object with "url" and "secretEnv"', {
    url: webAddress('https://ops.example.com/hooks/readers', { keepSlash: true }),
    secretEnv: variable,
    allowPrivateHosts: privateHosts,
  }).optional(),
})
  .refine(
    ({ link, email, webhook }) => (link === undefined) !== (email === undefined && !webhook),
    { error: 'needs either a "link", or an "email" or "webhook" that gets what readers write' },
  )
  .optional();

const origin = matching(
  /^(\*|https?:\/\/(\*\.)?[A-Za-z0-9.-]+(:\d{1,5})?|https?:\/\/\[[0-9a-fA-F:]+\](:\d{1,5})?)$/,
  'an origin without a path, such as "https://docs.example.com", "https://*.example.com", or "*" for any',
).transform((value) => value.toLowerCase());

/** A host, or all hosts below it. */
const host = matching(
  /^(?:\*\.)?(?!-)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*(?::\d{1,5})?$/,
  'a host without "https://" and without a path, such as "example.com" or "*.example.com"',
).transform((value) => value.toLowerCase());

/** Questions that are asked again after the documentation has changed. */
const AskAgainConfig = section('an object such as { checksPerRun: 30 }', {
  /** Of a gap, after its pull request was merged; 0: none. */
  maxQuestions: whole('a number of questions', 0, 500).default(50),
  /** Questions with an answer that are checked after an index run; 0: none. */
  checksPerRun: whole('a number of questions', 0, 500).default(30),
  /** What the model may cost in 24 hours. */
  usdPerDay: amount('a number of dollars').default(1),
});

export const SiteConfig = z.strictObject({
  domain: name('the site’s identifier', 'acme-docs'),
  organization: name('whose site it is', 'acme'),
  name: text('the name that readers see, such as "Acme"'),
  docs: DocsConfig,
  allowedOrigins: z.array(
    origin,
    write('the origins whose pages can use the assistant, such as ["https://docs.example.com"]'),
  ),
  /** Other hosts that links in answers may lead to. */
  allowedLinkHosts: list('a list of hosts, such as ["example.com", "*.example.org"]', host),
  /** Other hosts that images in answers may come from. Each learns who reads the answer. */
  allowedImageHosts: list('a list of hosts, such as ["images.example.com"]', host),
  starterQuestions: z.array(StarterQuestion, write('a list of questions')).max(8).default([]),
  /** What the assistant should know and how it should write, within its rules. Only for language models. */
  instructions: z
    .string(write('a text, such as "Call our users members."'))
    .max(instructionsMaxCharacters, write(`at most ${instructionsMaxCharacters} characters`))
    .optional(),
  /** How long conversations are kept. */
  privacy: section('an object such as { "retentionDays": 90 }', {
    store: flag(true),
    retentionDays: z
      .union([count('a number of days'), z.literal('forever')], {
        error: 'must be a whole number of days, such as 90, or "forever"',
      })
      .default(90),
  }),
  /** What happens with readers' reports about pages. */
  feedback: FeedbackConfig,
  askAgain: AskAgainConfig,
  /** How readers reach people. */
  handOver: HandOverConfig,
  /** Asks for a proof of work before each question. */
  challenge: object('an object such as { difficulty: 100000 }', {
    /** The most numbers to try; on average, half as many. */
    difficulty: whole('the maximum number of attempts,', 1_000, 100_000_000).default(100_000),
    /** How long a challenge is valid. */
    expiresSeconds: whole('a number of seconds', 10, 3_600).default(300),
    /** IDs of keys that stay on your servers and need no proof. */
    exceptKeys: list('a list of key ids', z.string()),
  }).optional(),
  /** A name from `models`. Without one, the built-in model quotes the documentation. */
  model: z.string(write('a name from "models"')).optional(),
  /** A name from `models`: the model that answers if the other one fails before its first word. */
  fallback: z.string(write('a name from "models"')).optional(),
  /** Lets the model turn a follow-up into a question that stands alone, for the search. */
  rewriteFollowUps: flag(false),
  /** Offers questions to ask next. */
  suggestFollowUps: flag(true),
});
export type SiteConfig = z.infer<typeof SiteConfig>;
