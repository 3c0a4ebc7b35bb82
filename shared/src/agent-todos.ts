import { z } from 'zod';

/**
 * An item of the agent's plan, in the format of version 1. The specification shows only `pending` and
 * `high`; the other values are those of common coding agents.
 */
export const Todo = z.object({
  id: z.string(),
  content: z.string(),
  status: z.enum(['pending', 'in_progress', 'completed', 'cancelled']),
  priority: z.enum(['high', 'medium', 'low']),
});
export type Todo = z.infer<typeof Todo>;
