import { Todo } from '@docent/shared/agent-todos';
import { z } from 'zod';
import { defineTool } from './tool.ts';

const mostTodos = 50;

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
      .max(mostTodos),
  }),
  changes: true,
  run({ todos }, bench) {
    bench.todos = withIds(todos, bench.todos);
    const open = bench.todos.filter(
      ({ status }) => status === 'pending' || status === 'in_progress',
    );
    return `The list has ${bench.todos.length} items, ${open.length} of them open.`;
  },
});

/** What was on the list before keeps its id; the model need not know of ids. */
function withIds(todos: readonly Omit<Todo, 'id'>[], before: readonly Todo[]): Todo[] {
  const known = before.map((each) => ({ ...each, isUsed: false }));
  let last = Math.max(0, ...before.map(({ id }) => Number(id)).filter(Number.isFinite));
  return todos.map((each) => {
    const same = known.find(({ content, isUsed }) => !isUsed && content === each.content);
    if (same) same.isUsed = true;
    return { id: same?.id ?? String(++last), ...each };
  });
}
