/** The events of an agent job's log, in order. The service document shows only polling. */
import { z } from 'zod';
import { AgentFailure } from './agent.ts';
import { ChecksReport } from './agent-checks.ts';
import { Todo } from './agent-todos.ts';

/** The log keeps this many characters of a tool's input and output. */
export const toolTextMaxLength = 2_000;

const count = z.number().int();
const event = <Type extends string, Shape extends z.core.$ZodLooseShape>(
  type: Type,
  shape: Shape,
) => z.object({ type: z.literal(type), ...shape });

export const AgentEvent = z.discriminatedUnion('type', [
  /** The job waits at this position; 1 is next. */
  event('queued', { position: count }),
  /** A process starts the run. `isResumed`: it continues a run after a restart or another process. */
  event('started', { attempt: count, round: count, isResumed: z.literal(true).optional() }),
  /** An instruction or a follow-up. */
  event('message', { role: z.enum(['system', 'user', 'assistant']), prompt: z.string() }),
  /** Text of the agent. A sentence can arrive in several events. */
  event('text', { text: z.string() }),
  event('tool-call', { id: z.string(), name: z.string(), input: z.string() }),
  event('tool-result', { id: z.string(), isError: z.boolean(), output: z.string() }),
  event('todos', { todos: z.array(Todo) }),
  /** One model call and its tokens. */
  event('step', { step: count, inputTokens: count, outputTokens: count }),
  /** A summary replaced the oldest part of the conversation with the model. */
  event('compacted', {}),
  /** The agent was not allowed to write a file. */
  event('denied', { path: z.string(), reason: z.string() }),
  /** The documentation checks ran. */
  event('checks', { report: ChecksReport }),
  event('pull-request', { number: count, url: z.string(), isDraft: z.boolean() }),
  event('cancel-requested', {}),
  event('completed', { prLink: z.string().nullable(), message: z.string().nullable() }),
  event('failed', { failure: AgentFailure }),
  event('archived', {}),
]);
export type AgentEvent = z.infer<typeof AgentEvent>;
export type AgentEventType = AgentEvent['type'];

/** An event as stored and sent. `seq` starts at 1 and has no gaps. */
export type AgentLogEntry = AgentEvent & { seq: number; at: string };
