/** A job: its row, the object that the service works with, and a new one. */
import type { Tables } from '../../platform/store/tables.ts';
import type { AgentFailure } from '@docent/shared/agent';
import type { Correction } from '@docent/shared/agent-corrections';
import { type FailureCode, failureTable } from '@docent/shared/agent-failures';
import type { Todo } from '@docent/shared/agent-todos';
import type { Insertable } from 'kysely';
import { DocentError } from '../../platform/errors.ts';
import { type Project, repositoryAddress } from '../../platform/tenants/projects.ts';
import type { PathRules } from '../workspace/path-policy.ts';
import type { Instruction } from './instructions.ts';
import { begin, statusOf } from './states.ts';
import { type Actor } from '../../platform/auth/caller.ts';

export type JobRow = Tables['agent_jobs'];

/** A job as the rest of the service knows it. The API's formats are made from it. */
export type Job = ReturnType<typeof toJob>;

export function toJob(row: JobRow) {
  return {
    id: row.id,
    project: row.project,
    organization: row.organization,
    /** The key or the person behind its request; null: readers. */
    callerId: row.caller_id,
    origin: row.origin,
    status: statusOf(row.state),
    state: row.state,
    /** Its name in the configuration. Null: the job takes commands only. */
    model: row.model,
    /** What its provider calls it. The name may mean another model by now. */
    modelId: row.model_id,
    repository: row.repository,
    baseBranch: row.base_branch,
    branch: row.branch,
    sourceCommit: row.source_commit,
    publishedCommit: row.published_commit,
    /** Whether the caller wants a draft. */
    isDraft: row.is_draft === 1,
    allowLarge: row.allow_large === 1,
    /** Path prefixes: the job may write nothing else. */
    paths: row.paths === null ? null : (JSON.parse(row.paths) as string[]),
    title: row.title,
    message: row.message,
    summary: row.summary,
    todos: JSON.parse(row.todos) as Todo[],
    corrections: row.corrections === null ? null : (JSON.parse(row.corrections) as Correction[]),
    pull:
      row.pull_number === null || row.pull_url === null
        ? null
        : { number: row.pull_number, url: row.pull_url },
    /** As last seen at its host. */
    pullState: row.pull_state ?? 'open',
    pullEndedAt: row.pull_ended_at,
    formerPulls: JSON.parse(row.former_pulls) as { number: number; url: string; branch: string }[],
    failure: row.failure === null ? null : (JSON.parse(row.failure) as AgentFailure),
    round: row.round,
    ...usedOf(row),
    attempt: row.attempt,
    events: row.events,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    archivedAt: row.archived_at,
  };
}

/** What the run has used so far. Money is in millionths of a US dollar. */
export type Used = ReturnType<typeof usedOf>;

/** PostgreSQL's driver gives a `bigint` as text. */
const usedOf = (row: JobRow) => ({
  steps: row.steps,
  inputTokens: Number(row.input_tokens),
  outputTokens: Number(row.output_tokens),
  microDollars: Number(row.micro_dollars),
  runMs: Number(row.run_ms),
});

export function usedColumns({ steps, inputTokens, outputTokens, microDollars, runMs }: Used) {
  return {
    steps,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    micro_dollars: microDollars,
    run_ms: runMs,
  };
}

/** A job's failure: the message is about this job, the rest comes from the table. */
export function toFailure(code: FailureCode, message: string): AgentFailure {
  const { title, remedy, retryable } = failureTable[code];
  return { code, title, message, remedy, retryable };
}

export interface NewJob {
  project: Project;
  origin: JobRow['origin'];
  by?: Actor | undefined;
  /** At least one has the role `user`. */
  instructions: readonly Instruction[];
  /** A valid name; the default is made from the messages. */
  branch?: string | undefined;
  /** A known name; the default is the project's model. */
  model?: string | undefined;
  isDraft?: boolean | undefined;
  allowLarge?: boolean | undefined;
  /** Path prefixes: the job may write nothing else. */
  paths?: readonly string[] | undefined;
  /** It may change only what code contradicts. */
  needsEvidence?: boolean;
  idempotencyKey?: string | undefined;
}

export function newRow(
  job: NewJob,
  { at, ...more }: Pick<JobRow, 'id' | 'branch' | 'model' | 'model_id'> & { at: string },
): Insertable<JobRow> {
  const { project } = job;
  return {
    ...more,
    project: project.id,
    organization: project.organization,
    caller_id: job.by?.id ?? null,
    origin: job.origin,
    state: 'queued',
    repository: repositoryAddress(project.repository ?? ''),
    base_branch: project.baseBranch ?? null,
    is_draft: job.isDraft ? 1 : 0,
    allow_large: job.allowLarge ? 1 : 0,
    paths: job.paths === undefined ? null : JSON.stringify(job.paths),
    todos: '[]',
    corrections: job.needsEvidence ? '[]' : null,
    former_pulls: '[]',
    ...begin,
    round: 1,
    attempt: 0,
    events: 0,
    created_at: at,
    queued_at: at,
  };
}

export const isBaseBranch = (branch: string) =>
  new DocentError(
    'bad_request',
    `The request is not valid: \`branch\` is ${branch}, which pull requests go to; name another, or none.`,
    { details: [{ path: 'branch', message: 'is the base branch of the project' }] },
  );

/**
 * The project's settings as they apply to one job. A job from a reader's report is always a draft, which a
 * person looks at, and changes only the page that the report is about.
 */
export function rulesOfJob(
  project: Project,
  job: Pick<Job, 'origin' | 'paths'>,
): Project & { paths: PathRules } {
  return {
    ...project,
    ...(job.origin === 'feedback' && { draft: 'always' }),
    paths: { ...project.paths, ...(job.paths !== null && { within: job.paths }) },
  };
}
