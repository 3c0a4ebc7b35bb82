/**
 * Requests and responses of agent jobs: the job of version 2 and the session of version 1. Source: the
 * service document, "Agent job" and "Agent session", which has the spellings `haulted`, `haultReason`,
 * and `github_missconfigured`. Like clients in practice, requests can have unknown keys, and null for
 * optional fields.
 */
import { z } from 'zod';
import { type FailureCode, failureTable } from './agent-failures.ts';
import { AgentCommand } from './agent-commands.ts';
import { Correction } from './agent-corrections.ts';
import { Todo } from './agent-todos.ts';
import { notBlank, optional } from './assistant.ts';

/** Not in the specification. Enough for a long instruction with pasted text. */
export const promptMaxLength = 100_000;

/** Why a job failed, and what to do. */
export const AgentFailure = z.object({
  code: z.enum(Object.keys(failureTable) as [FailureCode, ...FailureCode[]]),
  title: z.string(),
  message: z.string(),
  remedy: z.string(),
  /** The same instruction can succeed later without changes. */
  retryable: z.boolean(),
});
export type AgentFailure = z.infer<typeof AgentFailure>;

const prompt = notBlank(promptMaxLength);

/** An instruction in words for the language model, or a command, which needs none. */
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

/** For the OpenAPI document. Null is as good as nothing. */
const oneInstruction = {
  oneOf: [
    { required: ['prompt'], properties: { prompt: { type: 'string' } } },
    { required: ['command'], properties: { command: { type: 'object' } } },
  ],
};

/** Git's rules for branch names are checked later, with the project. */
const branch = z.string().min(1).max(200);

/** Body of `POST /v2/agent/{projectId}/job`. The specification has only `prompt`. */
export const CreateJobRequest = z
  .object({
    ...instruction,
    /** The branch that the agent works on. The default is created from the instruction. */
    branch: optional(branch),
    /** Whether the pull request is a draft, if the project lets the caller decide. */
    asDraft: optional(z.boolean()),
    /** The name of a configured model. The default is the project's. */
    model: optional(z.string().min(1).max(200)),
    /** Allows a change that exceeds the project's `guard`. */
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
  /** Later versions of chat SDK 4 send it. */
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
      'must hold a message with the role "user" that says what to do; with system messages alone, a job has nothing to do',
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

const skip = z.coerce.number().int().min(0).default(0);

/** Query of `GET /v2/agent/{projectId}/jobs`. */
export const ListJobsQuery = z.object({
  skip,
  take: z.coerce.number().int().min(1).max(100).default(12),
});
export type ListJobsQuery = z.infer<typeof ListJobsQuery>;

/** Query of `GET /v1/agent/{projectId}/jobs`. Specification: "all sessions of the domain". */
export const ListSessionsQuery = z.object({
  skip,
  take: z.coerce.number().int().min(1).max(1_000).default(1_000),
});

const time = z.iso.datetime();
const count = z.number().int();
const pullRequest = z.object({ number: count, url: z.string() });

/** An agent job. The specification has the fields before `pageUrl`. */
export const AgentJob = z.object({
  id: z.string(),
  status: z.enum(['active', 'completed', 'failed']),
  /** `ref` is the branch that the agent works on. */
  source: z.object({ repository: z.string(), ref: z.string() }),
  /** The model's ID as its provider knows it, or `none`. */
  model: z.string(),
  /** Null while the job is active, and if no file changed. */
  prLink: z.string().nullable(),
  createdAt: time,
  /** Null until the job is archived. */
  archivedAt: time.nullable(),

  /** The job's page, for people who are signed in. */
  pageUrl: z.string().optional(),
  title: z.string().nullable(),
  /** The agent's final message. */
  message: z.string().nullable(),
  /** Null unless the job failed. */
  failure: AgentFailure.nullable(),
  todos: z.array(Todo),
  /** The queue position, 1 for the next job. Null if the job isn't waiting. */
  position: count.nullable(),
  /** The pull request, also during a follow-up. */
  pullRequest: pullRequest.nullable(),
  /** Pull requests that were merged or closed before a follow-up. */
  formerPullRequests: z.array(pullRequest.extend({ branch: z.string() })),
  /** Null unless the job changes only what code contradicts. */
  corrections: z.array(Correction).nullable(),
  /** 1 for the first run, plus one for each follow-up to a finished job. */
  round: count,
  /** The usage of the current run. */
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

/** Response of `GET /v2/agent/{projectId}/jobs`. */
export const AgentJobList = z.object({ jobs: z.array(AgentJob) });

/**
 * `processing` and `interrupted` aren't in the service document. It has no values for running and
 * canceled sessions.
 */
export const haultReasons = [
  'completed',
  'github_missconfigured',
  'error',
  'processing',
  'interrupted',
] as const;
export type HaultReason = (typeof haultReasons)[number];

/** A job in the format of version 1. Missing texts are empty strings. */
export const AgentSession = z.object({
  sessionId: z.string(),
  subdomain: z.string(),
  branch: z.string(),
  haulted: z.boolean(),
  haultReason: z.enum(haultReasons),
  pullRequestLink: z.string(),
  messageToUser: z.string(),
  todos: z.array(Todo),
  /** The ID of the key that created the job. Absent if a reader's feedback created it. */
  userId: z.string().optional(),
  title: z.string(),
  createdAt: time,
});
export type AgentSession = z.infer<typeof AgentSession>;

/** Response of `GET /v1/agent/{projectId}/jobs`. */
export const AgentSessionList = z.object({ allSessions: z.array(AgentSession) });
