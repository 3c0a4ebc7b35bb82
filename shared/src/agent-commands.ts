/** Changes of the documentation that need no language model. Not in the service document; the words are ours. */
import { z } from 'zod';

/** A page, or for some commands a folder: below the docs folder, or from the root of the repository. */
const path = z.string().trim().min(1).max(500);
const line = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((text) => !/[\r\n]/.test(text), 'must be one line');
const notEmpty = (text: string) => text.trim() !== '';

const AddPage = z.object({
  type: z.literal('add-page'),
  path,
  title: line,
  /** Markdown below the title. */
  content: z.string().max(100_000).optional(),
  /** For the frontmatter, where the other pages have one. */
  description: line.optional(),
  /** The page that it follows in the navigation; the last one of its folder where it is left out. */
  after: path.optional(),
});

const ReplaceText = z.object({
  type: z.literal('replace-text'),
  /** Upper and lower case count. */
  find: z.string().max(10_000).refine(notEmpty, 'must not be empty'),
  /** Empty: the text is removed. */
  replace: z.string().max(10_000),
  /** One page or folder; all pages where it is left out. */
  path: path.optional(),
});

/** Links, navigation, and redirects follow. */
const MovePage = z.object({
  type: z.literal('move-page'),
  from: path,
  /** The path of the page from now on, or a folder that it moves into. */
  to: path,
  title: line.optional(),
});

/** Fixes links, images, and navigation entries that have one clear target, and names the others. */
const FixLinks = z.object({
  type: z.literal('fix-links'),
  /** One page or folder; all pages where it is left out. */
  path: path.optional(),
});

export const AgentCommand = z.discriminatedUnion(
  'type',
  [AddPage, ReplaceText, MovePage, FixLinks],
  { error: 'must be "add-page", "replace-text", "move-page", or "fix-links"' },
);
export type AgentCommand = z.infer<typeof AgentCommand>;
export type CommandOf<Type extends AgentCommand['type']> = Extract<AgentCommand, { type: Type }>;
