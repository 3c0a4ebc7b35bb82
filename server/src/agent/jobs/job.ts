import type { AgentFailure } from '@docent/shared/agent';
import { type FailureCode, failureTable } from '@docent/shared/agent-failures';
import type { Todo } from '@docent/shared/agent-todos';
import type { AgentJobTable, JobStage, JobStatus } from '../../platform/store/agent-tables.ts';

export type JobRow = AgentJobTable;

/** An agent job as the rest of the service knows it; the wire's shapes are made from it. */
export interface Job {
  id: string;
  project: string;
  organization: string;
  /** The key that created it. */
  keyId: string | null;
  origin: JobRow['origin'];
  status: JobStatus;
  phase: JobRow['phase'];
  stage: JobStage;
  isCancelRequested: boolean;
  model: string;
  repository: string;
  baseBranch: string | null;
  baseCommit: string | null;
  branch: string;
  sourceCommit: string | null;
  /** The caller's wish. */
  isDraft: boolean;
  allowLarge: boolean;
  /** Beginnings of paths: it may write nothing else. */
  paths: string[] | null;
  title: string | null;
  message: string | null;
  summary: string | null;
  todos: Todo[];
  pull: { number: number; url: string } | null;
  formerPulls: { number: number; url: string; branch: string }[];
  failure: AgentFailure | null;
  round: number;
  steps: number;
  inputTokens: number;
  outputTokens: number;
  microDollars: number;
  attempt: number;
  /** Number of the last event. */
  events: number;
  createdAt: string;
  queuedAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  archivedAt: string | null;
}

export function toJob(row: JobRow): Job {
  return {
    id: row.id,
    project: row.project,
    organization: row.organization,
    keyId: row.key_id,
    origin: row.origin,
    status: row.status,
    phase: row.phase,
    stage: row.stage,
    isCancelRequested: row.cancel_requested_at !== null,
    model: row.model,
    repository: row.repository,
    baseBranch: row.base_branch,
    baseCommit: row.base_commit,
    branch: row.branch,
    sourceCommit: row.source_commit,
    isDraft: row.is_draft === 1,
    allowLarge: row.allow_large === 1,
    paths: row.paths === null ? null : (JSON.parse(row.paths) as string[]),
    title: row.title,
    message: row.message,
    summary: row.summary,
    todos: JSON.parse(row.todos) as Todo[],
    pull:
      row.pull_number === null || row.pull_url === null
        ? null
        : { number: row.pull_number, url: row.pull_url },
    formerPulls: JSON.parse(row.former_pulls) as Job['formerPulls'],
    failure: row.failure === null ? null : (JSON.parse(row.failure) as AgentFailure),
    round: row.round,
    steps: row.steps,
    // PostgreSQL's driver gives a `bigint` as text.
    inputTokens: Number(row.input_tokens),
    outputTokens: Number(row.output_tokens),
    microDollars: Number(row.micro_dollars),
    attempt: row.attempt,
    events: row.events,
    createdAt: row.created_at,
    queuedAt: row.queued_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    archivedAt: row.archived_at,
  };
}

/** How a job's failure is told: the message is about this job, the rest is the table's. */
export function toFailure(code: FailureCode, message: string): AgentFailure {
  const { title, remedy, retryable } = failureTable[code];
  return { code, title, message, remedy, retryable };
}
