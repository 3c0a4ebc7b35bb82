import { z } from 'zod';

/**
 * What the agent still means to do, as version 1 shows it. Spec: only `pending` and `high` are shown;
 * the other words are those of the usual coding agents.
 */
export const Todo = z.object({
  id: z.string(),
  content: z.string(),
  status: z.enum(['pending', 'in_progress', 'completed', 'cancelled']),
  priority: z.enum(['high', 'medium', 'low']),
});
export type Todo = z.infer<typeof Todo>;
