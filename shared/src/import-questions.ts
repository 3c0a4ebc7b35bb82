/** Questions from elsewhere, such as resolved support threads. Not in the service document. */
import { z } from 'zod';
import { optional, words } from './assistant.ts';

export const importMost = 500;
export const themesPerImport = 3;

export const ImportedQuestion = z.strictObject({
  /** Of the conversation, elsewhere: it's imported once. Without one, its question is. */
  id: optional(z.string().max(200)),
  question: words(8_000),
  /** How it was resolved. */
  answer: optional(z.string().max(20_000)),
});
export type ImportedQuestion = z.output<typeof ImportedQuestion>;

/** One conversation, as a webhook sends it, or many. */
export const ImportRequest = z.union([
  ImportedQuestion.transform((one) => ({ conversations: [one] })),
  z.strictObject({ conversations: z.array(ImportedQuestion).min(1).max(importMost) }),
]);

const count = z.number().int();

export const ImportReply = z.object({
  /** Conversations that joined gaps. */
  joined: count,
  /** Imported before. */
  known: count,
  /** The documentation answers them already. */
  covered: count,
  /** In smaller themes: an import adds the three largest. */
  leftOut: count,
  themes: z.array(
    z.object({
      gapId: z.string(),
      question: z.string(),
      count,
      /** Without personal data. */
      quotes: z.array(z.object({ question: z.string(), answer: z.string() })),
    }),
  ),
});
export type ImportReply = z.output<typeof ImportReply>;
