/**
 * What happens to an agent job, as its live log tells it, in the order in which it happened. Not in the
 * service document, which shows polling only; the words are ours.
 */
import { z } from 'zod';
import { AgentFailure } from './agent.ts';
import { ChecksReport } from './agent-checks.ts';
import { Todo } from './agent-todos.ts';

/** Of what goes into a tool and comes out of it, so much is kept in the log. */
export const toolTextMaxLength = 2_000;

const count = z.number().int();
/** An event with its name. */
const event = <Type extends string, Shape extends z.core.$ZodLooseShape>(
  type: Type,
  shape: Shape,
) => z.object({ type: z.literal(type), ...shape });

export const AgentEvent = z.discriminatedUnion('type', [
  /** It waits; so many wait before it, itself counted. */
  event('queued', { position: count }),
  /** A process has taken it up; `isResumed`: it goes on with a round that another one, or a restart, has left. */
  event('started', { attempt: count, round: count, isResumed: z.literal(true).optional() }),
  /** An instruction: the first, or one that follows. */
  event('message', { role: z.enum(['system', 'user', 'assistant']), prompt: z.string() }),
  /** The agent's words; a sentence may come in several. */
  event('text', { text: z.string() }),
  event('tool-call', { id: z.string(), name: z.string(), input: z.string() }),
  event('tool-result', { id: z.string(), isError: z.boolean(), output: z.string() }),
  event('todos', { todos: z.array(Todo) }),
  /** The model was asked once; what that took. */
  event('step', { step: count, inputTokens: count, outputTokens: count }),
  /** A summary took the place of the oldest part of the conversation with the model. */
  event('compacted', {}),
  /** The agent was not allowed to write a file. */
  event('denied', { path: z.string(), reason: z.string() }),
  /** The checks of the documentation were run. */
  event('checks', { report: ChecksReport }),
  event('pull-request', { number: count, url: z.string(), isDraft: z.boolean() }),
  event('cancel-requested', {}),
  event('completed', { prLink: z.string().nullable(), message: z.string().nullable() }),
  event('failed', { failure: AgentFailure }),
  event('archived', {}),
]);
export type AgentEvent = z.infer<typeof AgentEvent>;
export type AgentEventType = AgentEvent['type'];

/** An event as it is kept and sent: numbered from 1 on, without gaps. */
export type AgentLogEntry = AgentEvent & { seq: number; at: string };
