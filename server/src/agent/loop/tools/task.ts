/** Tools about the task itself: check the change, keep a to-do list, finish. */
import { z } from 'zod';
import type { DocsProblem } from '@docent/shared/agent-checks';
import { Todo } from '@docent/shared/agent-todos';
import { checkAll, checkChange } from '../../checks/check-docs.ts';
import { shorten } from '../../publish/neutral-text.ts';
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
  run({ title, message, summary }, context) {
    context.end = { title: toTitle(title), message, ...(summary && { summary }) };
    return 'Finished.';
  },
});

/** The first line of a text as a title of at most 72 characters. */
export function toTitle(text: string): string {
  const line = text.trim().split('\n')[0] ?? '';
  return shorten(line.replace(/\s+/g, ' ').trim(), 72);
}

const maxProblems = 150;

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
  async run({ everything = false, glob }, context) {
    const { problems, more } = everything
      ? await checkAll(context, { glob, limit: maxProblems })
      : await checkChange(context);
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

const maxTodos = 50;

export const todo = defineTool({
  description:
    'Keeps the list of what is to be done, which the user sees. Give the whole list each time. Use it for work of three and more parts; keep one item in progress.',
  input: z.object({
    todos: z
      .array(
        z.object({
          content: z.string().min(1).max(300).describe('What is to be done'),
          status: Todo.shape.status.default('pending'),
          priority: Todo.shape.priority.default('medium'),
        }),
      )
      .max(maxTodos),
  }),
  changes: true,
  run({ todos }, context) {
    context.todos = withIds(todos, context.todos);
    const open = context.todos.filter(
      ({ status }) => status === 'pending' || status === 'in_progress',
    );
    return `The list has ${context.todos.length} items, ${open.length} of them open.`;
  },
});

/** Items keep their ids; the model doesn't see them. */
function withIds(todos: readonly Omit<Todo, 'id'>[], before: readonly Todo[]): Todo[] {
  const known = before.map((each) => ({ ...each, isUsed: false }));
  let last = Math.max(0, ...before.map(({ id }) => Number(id)).filter(Number.isFinite));
  return todos.map((each) => {
    const same = known.find(({ content, isUsed }) => !isUsed && content === each.content);
    if (same) same.isUsed = true;
    return { id: same?.id ?? String(++last), ...each };
  });
}
