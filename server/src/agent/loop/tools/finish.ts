import { z } from 'zod';
import { toTitle } from '../title.ts';
import { defineTool } from './tool.ts';

export const finish = defineTool({
  description:
    'Ends the work. Call it alone, when all that was asked for is done, or when nothing has to be changed. Your changes become a pull request.',
  input: z.object({
    title: z
      .string()
      .trim()
      .min(1)
      .describe('Title of the pull request: what changes, one line of at most 72 characters'),
    message: z
      .string()
      .trim()
      .min(1)
      .describe(
        'To the user, in the language of the instruction: what you did, or why nothing was to be done, and what is left open',
      ),
    summary: z
      .string()
      .trim()
      .describe('For reviewers of the pull request: what changes and why, in Markdown')
      .optional(),
  }),
  run({ title, message, summary }, bench) {
    bench.end = { title: toTitle(title), message, ...(summary && { summary }) };
    return 'Finished.';
  },
});
