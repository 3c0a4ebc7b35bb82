/** Changes to documentation that need no language model. Not in the service document. */
import { z } from 'zod';
import { notBlank, words } from './assistant.ts';

/** A page or, for some commands, a folder. Relative to the docs folder or to the top of the repository. */
const path = words(500);
const line = words(200).refine((text) => !/[\r\n]/.test(text), 'must be one line');

export const AddPage = z.object({
  type: z.literal('add-page'),
  path,
  title: line,
  /** The Markdown below the title. */
  content: z.string().max(100_000).optional(),
  /** For the frontmatter, if the other pages have a description. */
  description: line.optional(),
  /** The page before it in the navigation. The default is the last page of the folder. */
  after: path.optional(),
});

const ReplaceText = z.object({
  type: z.literal('replace-text'),
  /** Case-sensitive. */
  find: notBlank(10_000),
  /** An empty string removes the text. */
  replace: z.string().max(10_000),
  /** A page or a folder. The default is all pages. */
  path: path.optional(),
});

/** Updates links, navigation, and redirects. */
const MovePage = z.object({
  type: z.literal('move-page'),
  from: path,
  /** The new path, or a folder. */
  to: path,
  title: line.optional(),
});

/** Fixes links, images, and navigation entries that have one clear target, and names the others. */
const FixLinks = z.object({
  type: z.literal('fix-links'),
  /** A page or a folder. The default is all pages. */
  path: path.optional(),
});

export const AgentCommand = z.discriminatedUnion(
  'type',
  [AddPage, ReplaceText, MovePage, FixLinks],
  { error: 'must be "add-page", "replace-text", "move-page", or "fix-links"' },
);
export type AgentCommand = z.infer<typeof AgentCommand>;
export type CommandOf<Type extends AgentCommand['type']> = Extract<AgentCommand, { type: Type }>;
