/**
 * Agent jobs on the wire: the job of version 2, the session of version 1, and what creates them. Source:
 * the service document, "Agent job" and "Agent session". The spellings `haulted`, `haultReason` and
 * `github_missconfigured` are the document's. Where it is silent we accept what clients really send:
 * unknown keys, and null for an optional field.
 */
import { z } from 'zod';
import { type FailureCode, failureTable } from './agent-failures.ts';
import { AgentCommand } from './agent-commands.ts';
import { Todo } from './agent-todos.ts';
import { optional } from './assistant.ts';

/** Spec: not shown; a long instruction with pasted text, and far less than a body may hold. */
export const promptMaxLength = 100_000;

/** Why a job failed, and what to do about it. */
export const AgentFailure = z.object({
  code: z.enum(Object.keys(failureTable) as [FailureCode, ...FailureCode[]]),
  title: z.string(),
  message: z.string(),
  remedy: z.string(),
  /** The same instruction may succeed later without anybody changing anything. */
  retryable: z.boolean(),
});
export type AgentFailure = z.infer<typeof AgentFailure>;

const prompt = z
  .string()
  .max(promptMaxLength)
  .refine((text) => text.trim() !== '', 'must not be empty');

/** What the job is to do: in words, for the language model, or as a command, which needs none. */
const instruction = { prompt: optional(prompt), command: optional(AgentCommand) };

function isOneInstruction(
  { prompt, command }: { prompt?: string | undefined; command?: AgentCommand | undefined },
  context: z.core.$RefinementCtx,
): void {
  const refuse = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message });
  if (prompt === undefined && command === undefined) {
    refuse('prompt', 'is missing: send either a `prompt` or a `command`');
  } else if (prompt !== undefined && command !== undefined) {
    refuse('command', 'cannot be sent together with a `prompt`: send one of them');
  }
}

/** For the OpenAPI document. */
const oneInstruction = { oneOf: [{ required: ['prompt'] }, { required: ['command'] }] };

/** The name of a branch; what git takes as one is checked where the project is known. */
const branch = z.string().min(1).max(200);

/** Body of `POST /v2/agent/{projectId}/job`. All but `prompt` is ours. */
export const CreateJobRequest = z
  .object({
    ...instruction,
    /** Branch that the agent works on; made from the instruction where it is left out. */
    branch: optional(branch),
    /** Whether the pull request is a draft, where the project leaves that to the caller. */
    asDraft: optional(z.boolean()),
    /** The name of a configured model; the project's where it is left out. */
    model: optional(z.string().min(1).max(200)),
    /** The change may be larger than usual. */
    allowLarge: optional(z.boolean()),
  })
  .superRefine(isOneInstruction)
  .meta(oneInstruction);
export type CreateJobRequest = z.infer<typeof CreateJobRequest>;

/** Body of `POST /v2/agent/{projectId}/job/{id}/message`. */
export const JobMessageRequest = z
  .object(instruction)
  .superRefine(isOneInstruction)
  .meta(oneInstruction);
export type JobMessageRequest = z.infer<typeof JobMessageRequest>;

const MessageOfSession = z.looseObject({
  role: z.enum(['system', 'user', 'assistant']),
  content: z.string(),
  /** Sent by the later releases of chat SDK 4. */
  parts: z.unknown().optional(),
});

/** Body of `POST /v1/agent/{projectId}/job`. */
export const CreateSessionRequest = z.object({
  messages: z
    .array(MessageOfSession)
    .min(1)
    .max(500)
    .refine(
      (messages) => messages.some(({ role, content }) => role === 'user' && content.trim() !== ''),
      'must hold a message of the user',
    )
    .refine(
      (messages) =>
        messages.reduce((length, { content }) => length + content.length, 0) <= promptMaxLength,
      `must not hold more than ${promptMaxLength} characters in all`,
    ),
  branch: optional(branch),
  asDraft: optional(z.boolean()),
  model: optional(z.enum(['sonnet', 'opus'])),
});
export type CreateSessionRequest = z.infer<typeof CreateSessionRequest>;

/** Query of both lists. */
export const ListJobsQuery = z.object({
  skip: z.coerce.number().int().min(0).default(0),
  take: z.coerce.number().int().min(1).max(100).default(12),
});
export type ListJobsQuery = z.infer<typeof ListJobsQuery>;

const time = z.iso.datetime();
const count = z.number().int();
const pullRequest = z.object({ number: count, url: z.string() });

/** An agent job. From `pageUrl` on, the fields are ours. */
export const AgentJob = z.object({
  id: z.string(),
  status: z.enum(['active', 'completed', 'failed']),
  /** `ref`: the branch that the agent works on. */
  source: z.object({ repository: z.string(), ref: z.string() }),
  /** The name of the configured model; `none` where there is none. */
  model: z.string(),
  /** Null while the job is active, and where no file was changed. */
  prLink: z.string().nullable(),
  createdAt: time,
  /** Null until it is archived. */
  archivedAt: time.nullable(),

  /** The page that shows the job to people. Whoever has this address may steer the job, so webhooks do not carry it, and keys that may only read get it without its key. */
  pageUrl: z.string().optional(),
  title: z.string().nullable(),
  /** What the agent says in the end. */
  message: z.string().nullable(),
  /** Null unless it failed. */
  failure: AgentFailure.nullable(),
  todos: z.array(Todo),
  /** How many jobs wait before it, itself counted; null where it does not wait. */
  position: count.nullable(),
  /** The pull request, also while a follow-up is being worked on. */
  pullRequest: pullRequest.nullable(),
  /** Those that were merged or closed before a follow-up. */
  formerPullRequests: z.array(pullRequest.extend({ branch: z.string() })),
  /** 1, and one more for each follow-up to a finished job. */
  round: count,
  /** What this round has taken so far. */
  usage: z.object({
    steps: count,
    inputTokens: count,
    outputTokens: count,
    costUsd: z.number(),
  }),
  startedAt: time.nullable(),
  finishedAt: time.nullable(),
});
export type AgentJob = z.infer<typeof AgentJob>;

/** Answer of `GET /v2/agent/{projectId}/jobs`. */
export const AgentJobList = z.object({ jobs: z.array(AgentJob) });

/**
 * `processing` and `interrupted` are not in the service document, which has no word for a session that
 * goes on, and none for one that was cancelled.
 */
export const haultReasons = [
  'completed',
  'github_missconfigured',
  'error',
  'processing',
  'interrupted',
] as const;
export type HaultReason = (typeof haultReasons)[number];

/** A job as version 1 shows it. Text that there is none of is empty. */
export const AgentSession = z.object({
  sessionId: z.string(),
  subdomain: z.string(),
  branch: z.string(),
  haulted: z.boolean(),
  haultReason: z.enum(haultReasons),
  pullRequestLink: z.string(),
  messageToUser: z.string(),
  todos: z.array(Todo),
  /** The id of the key that created it; absent where a reader's feedback did. */
  userId: z.string().optional(),
  title: z.string(),
  createdAt: time,
});
export type AgentSession = z.infer<typeof AgentSession>;

/** Answer of `GET /v1/agent/{projectId}/jobs`. */
export const AgentSessionList = z.object({ allSessions: z.array(AgentSession) });
