import type { DocsProblem } from '@docent/shared/agent-checks';
import { z } from 'zod';
import { defineTool, ToolMistake } from './tool.ts';

export const check = defineTool({
  description:
    'Checks the documentation with your changes: links, anchors, images, frontmatter, navigation, code blocks and MDX. Shows what your changes have broken, with what to write instead where that is known; with "everything", also what was broken before. Call it before finish.',
  input: z.object({
    everything: z
      .boolean()
      .describe('Also problems that your changes did not bring in; to mend old ones')
      .optional(),
    glob: z
      .string()
      .describe('With "everything": only pages that fit a pattern, such as "docs/guides/**"')
      .optional(),
  }),
  async run({ everything = false, glob }, { docsCheck }) {
    if (!docsCheck) throw new ToolMistake('There are no checks for these files.');
    const { problems, more } = everything ? await docsCheck.all(glob) : await docsCheck.change();
    const what = everything ? 'The documentation has' : 'Your changes bring in';
    return `${what} ${countOf(problems, more)}.\n${JSON.stringify({ problems, more })}`;
  },
});

function countOf(problems: readonly DocsProblem[], more: number): string {
  const errors = problems.filter(({ severity }) => severity === 'error').length + more;
  const warnings = problems.length + more - errors;
  const plural = (count: number, name: string) => `${count} ${name}${count === 1 ? '' : 's'}`;
  if (errors + warnings === 0) return 'no problem';
  return [errors > 0 && plural(errors, 'problem'), warnings > 0 && plural(warnings, 'warning')]
    .filter(Boolean)
    .join(' and ');
}
