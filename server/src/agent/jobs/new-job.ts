/** What a new job is made of, and what is refused before there is one. */
import { DocentError } from '../../platform/errors.ts';
import type { Actor } from '../../platform/audit/entry.ts';
import { builtInName } from '../../platform/models/agent-models.ts';
import { type Project, repositoryAddress } from '../../platform/tenants/projects.ts';
import { redactSecrets } from '../../platform/redaction/redact.ts';
import type { JobRow } from './job.ts';

export interface Message {
  role: 'system' | 'user' | 'assistant';
  content: string;
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
    model: job.model ?? project.model ?? builtInName,
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

/** What is pasted by mistake would stand in the database, the model's context and the pull request. */
export function withoutSecrets({ role, content }: Message): Message {
  return { role, content: redactSecrets(content) };
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
