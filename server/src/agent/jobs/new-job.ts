/** What a new job is made of, and what is refused before there is one. */
import { type AgentCommand } from '@docent/shared/agent-commands';
import { DocentError } from '../../errors.ts';
import type { Actor } from '../../audit/entry.ts';
import { type Project, repositoryAddress } from '../../projects/projects.ts';
import { redactSecrets } from '../../redaction/redact.ts';
import { describeCommand } from '../commands/describe-command.ts';
import type { JobRow } from './job.ts';

export interface Message {
  role: 'system' | 'user' | 'assistant';
  content: string;
  /** What is done where the content only describes it. */
  command?: AgentCommand | undefined;
}

/** An instruction in words, or one that a command stands for. */
export interface Instruction {
  prompt?: string | undefined;
  command?: AgentCommand | undefined;
}

export function userMessage({ prompt = '', command }: Instruction): Message {
  if (command === undefined) return { role: 'user', content: prompt };
  return { role: 'user', content: describeCommand(command), command };
}

export interface NewJob {
  project: Project;
  origin: JobRow['origin'];
  /** The key that asks; absent where nobody's does. */
  keyId?: string | undefined;
  /** Who asks where it is not a key. */
  actor?: Actor | undefined;
  /** At least one of the user. */
  messages: readonly Message[];
  /** A valid name; made from the messages where it is absent. */
  branch?: string | undefined;
  /** A name that is known; the project's where it is absent. */
  model?: string | undefined;
  isDraft?: boolean | undefined;
  allowLarge?: boolean | undefined;
  /** Beginnings of paths: it may write nothing else. */
  paths?: readonly string[] | undefined;
  idempotencyKey?: string | undefined;
}

/** Null: only commands can be carried out. */
export const modelOf = ({ model, project }: Pick<NewJob, 'model' | 'project'>): string | null =>
  model ?? project.model ?? null;

/** A job that waits and has not begun. */
export function newRow(
  job: NewJob,
  { id, branch, at }: { id: string; branch: string; at: string },
): JobRow {
  const { project } = job;
  return {
    id,
    project: project.id,
    organization: project.organization,
    key_id: job.keyId ?? null,
    origin: job.origin,
    status: 'active',
    phase: 'queued',
    stage: 'prepare',
    model: modelOf(job),
    repository: repositoryAddress(project.repository ?? ''),
    base_branch: project.baseBranch ?? null,
    base_commit: null,
    branch,
    source_commit: null,
    is_draft: job.isDraft ? 1 : 0,
    allow_large: job.allowLarge ? 1 : 0,
    paths: job.paths === undefined ? null : JSON.stringify(job.paths),
    title: null,
    message: null,
    summary: null,
    todos: '[]',
    pull_number: null,
    pull_url: null,
    former_pulls: '[]',
    failure: null,
    round: 1,
    steps: 0,
    input_tokens: 0,
    output_tokens: 0,
    micro_dollars: 0,
    run_ms: 0,
    feedbacks: 0,
    notice: null,
    owner: null,
    lease_until: null,
    attempt: 0,
    losses: 0,
    cancel_requested_at: null,
    events: 0,
    created_at: at,
    queued_at: at,
    started_at: null,
    finished_at: null,
    archived_at: null,
  };
}

/**
 * What is pasted by mistake would stand in the database, the model's context and the pull request. A
 * command would write something else than it says if a part of it were redacted, so it is refused.
 */
export function withoutSecrets({ content, command, ...message }: Message): Message {
  for (const [field, text] of Object.entries<string | undefined>(command ?? {})) {
    if (text !== undefined && redactSecrets(text) !== text) throw holdsSecret(`command.${field}`);
  }
  return { ...message, content: redactSecrets(content), command };
}

const holdsSecret = (path: string) =>
  new DocentError(
    'bad_request',
    `The request is not valid: \`${path}\` holds what looks like a secret; leave it out.`,
    { details: [{ path, message: 'holds what looks like a secret' }] },
  );

/** Rejects words that nobody would read. */
export function assertUnderstood(messages: readonly Message[], model: string | null): void {
  if (model !== null || messages.every(({ command }) => command !== undefined)) return;
  throw new DocentError(
    'conflict',
    'No language model is configured for this job, so it takes a `command` instead of a `prompt`: "add-page", "replace-text", "move-page", or "fix-links". To give instructions in words, set `model` of the project in the configuration, or send the name of a configured model as `model`.',
  );
}

export const noRepository = ({ id }: Project) =>
  new DocentError(
    'conflict',
    `The project ${id} has no repository; set \`repository\` in its configuration.`,
  );

export const isBaseBranch = (branch: string) =>
  new DocentError(
    'bad_request',
    `The request is not valid: \`branch\` is ${branch}, which pull requests go to; name another, or none.`,
    { details: [{ path: 'branch', message: 'is the base branch of the project' }] },
  );
