/** The owner's words: instructions, skills, and pinned answers. Not in the service document. */
import { z } from 'zod';
import { words } from './assistant.ts';
import { instructionsMaxCharacters } from './sites.ts';

/** Longer questions aren't compared with pinned ones. */
export const wordingMaxCharacters = 300;
export const pinnedMaxCharacters = 8_000;
export const skillMaxCharacters = 4_000;
/** Of a site. */
export const maxPinned = 200;
export const maxSkills = 50;
/** In the prompt of one answer. */
export const skillsPerAnswer = 3;

const wordings = (most: number) => z.array(words(wordingMaxCharacters)).max(most);

/** An answer that readers get word for word. */
export const PinnedAnswerRequest = z.strictObject({
  questions: wordings(20).min(1),
  /** Markdown. */
  text: words(pinnedMaxCharacters),
  /** The test list: questions that get it, and questions that don't. */
  tests: wordings(50).default([]),
  notFor: wordings(50).default([]),
});
export type PinnedAnswerRequest = z.output<typeof PinnedAnswerRequest>;

export const ChangePinnedRequest = PinnedAnswerRequest.extend({
  /** Of the answer that was read. */
  version: z.int().min(1),
});

/** The frontmatter of `.docent/skills/<name>/SKILL.md`, with its text. Other tools have further keys. */
export const SkillFile = z.object({
  description: z.string().trim().max(1_024).default(''),
  /** If one of these stands in the question, the skill matches. */
  keywords: z.array(words(100)).max(50).default([]),
  text: words(skillMaxCharacters),
});
export const InstructionsFile = z.object({ text: words(instructionsMaxCharacters) });

export const PinnedAnswer = PinnedAnswerRequest.extend({
  id: z.string(),
  from: z.enum(['dashboard', 'repository']),
  /** Of its file; null for one from the dashboard. */
  name: z.string().nullable(),
  version: z.number(),
  updatedAt: z.string(),
  updatedBy: z.string().nullable(),
  /** A sentence for each question of the test list that gets another result. */
  failures: z.array(z.string()),
});
export type PinnedAnswer = z.output<typeof PinnedAnswer>;

export const WordsReply = z.object({
  /** From the repository, beside those of the settings. */
  instructions: z.string().nullable(),
  skills: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      keywords: z.array(z.string()),
      characters: z.number(),
    }),
  ),
  answers: z.array(PinnedAnswer),
});
export type WordsReply = z.output<typeof WordsReply>;

export const TryWordsRequest = z.strictObject({ question: words(8_000) });
export const TryWordsReply = z.object({
  /** What is compared: the question without what doesn't count. */
  wording: z.string(),
  /** The pinned answer that a reader gets. */
  answer: z.object({ id: z.string(), text: z.string() }).nullable(),
  skills: z.array(z.string()),
});
export type TryWordsReply = z.output<typeof TryWordsReply>;
