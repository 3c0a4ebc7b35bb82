/** The rows of agent jobs, as `tables.ts` describes. */

export type JobStatus = 'active' | 'completed' | 'failed';

/**
 * `prepare`: chooses the commit to work on. `work`: asks the model. `review`: reviews its change.
 * `publish`: the point of no return, after which nothing stops the pull request.
 */
export type JobStage = 'prepare' | 'work' | 'review' | 'publish';

/** `agent/jobs`: a job. The row is also its entry in the queue. */
export interface AgentJobTable {
  id: string;
  project: string;
  organization: string;
  /** The key that created it; null for a reader's feedback. */
  caller_id: string | null;
  origin: 'api' | 'feedback' | 'gap';
  status: JobStatus;
  /** Of an active job; `ended` otherwise. */
  phase: 'queued' | 'running' | 'ended';
  /** The progress of this run. A process that takes the job over continues from here. */
  stage: JobStage;
  /** Name in the configuration. Null: the job takes commands only. */
  model: string | null;
  /** The model's ID at its provider. */
  model_id: string | null;
  repository: string;
  /** Null until the repository's default branch is known, if the project names none. */
  base_branch: string | null;
  branch: string;
  /** The commit below the edits: of the base branch at first, of our branch once it's published. */
  source_commit: string | null;
  /** What the caller asked for. The project's policy decides. */
  is_draft: number;
  allow_large: number;
  /** JSON list of path prefixes that it may write; null: everything that the project allows. */
  paths: string | null;
  title: string | null;
  /** The agent's final message to the user. */
  message: string | null;
  /** The agent's description of the change, for the pull request. */
  summary: string | null;
  /** JSON list of todo items, as version 1 shows them. */
  todos: string;
  pull_number: number | null;
  pull_url: string | null;
  /** As last seen at its host. Null: no pull request. */
  pull_state: 'open' | 'merged' | 'closed' | null;
  pull_ended_at: string | null;
  /** When to ask the host again; null: never. */
  pull_due_at: string | null;
  /** JSON list of `{ number, url, branch }`: pull requests of this job that were merged or closed. */
  former_pulls: string;
  /** JSON `{ code, title, message, remedy, retryable }`; null unless failed. */
  failure: string | null;
  /** 1 at first. Each message that makes the ended job active again adds 1. */
  run_number: number;
  /** The cost of this run so far. Money is in whole millionths of a US dollar. */
  steps: number;
  input_tokens: number;
  output_tokens: number;
  micro_dollars: number;
  /** The duration of this run so far, over all processes. */
  run_ms: number;
  /** How often the review returned this run's change to the model. */
  feedbacks: number;
  /** A message for the model that isn't part of the conversation yet. */
  notice: string | null;
  /** The runner that has it, until when, and the number of claims, which every write must name. */
  owner: string | null;
  lease_until: string | null;
  attempt: number;
  /** How often in a row its process died before a step was saved. */
  crashes: number;
  cancel_requested_at: string | null;
  /** The last event's number. */
  events: number;
  created_at: string;
  /** When it last started to wait. The jobs of a project run in this order. */
  queued_at: string;
  started_at: string | null;
  finished_at: string | null;
  archived_at: string | null;
}

/** `agent/jobs`: the first instruction and the follow-ups. */
export interface AgentInstructionTable {
  id: string;
  job_id: string;
  /** 1, 2, … within the job: the order in which they came. */
  seq: number;
  role: 'system' | 'user' | 'assistant';
  /** Describes the command, if there is one. */
  content: string;
  /** JSON of a command. Null: the content is for the language model. */
  command: string | null;
  caller_id: string | null;
  created_at: string;
  /** When the run started to work on it; null while it waits. */
  taken_at: string | null;
}

/** `agent/loop`: the conversation with the model, in the AI SDK's shape. */
export interface AgentMessageTable {
  job_id: string;
  seq: number;
  /** JSON of one message. */
  message: string;
  /** 1: a summary replaced it. */
  is_compacted: number;
}

/** `agent/run`: what the agent has changed on top of `source_commit`. */
export interface AgentEditTable {
  job_id: string;
  path: string;
  /** Base64; null: deleted. */
  content: string | null;
  moved_from: string | null;
}

/** `agent/jobs/events.ts`: everything that happened, for followers and for version 1's stream. */
export interface AgentEventTable {
  job_id: string;
  seq: number;
  type: string;
  /** JSON. */
  data: string;
  created_at: string;
}

/** `agent/run`: the turns of the projects. */
export interface AgentTurnTable {
  project: string;
  /** The number of the project's latest job among all jobs that ever started. The lowest goes next. */
  turn: number;
}

export interface AgentTables {
  agent_jobs: AgentJobTable;
  agent_instructions: AgentInstructionTable;
  agent_messages: AgentMessageTable;
  agent_edits: AgentEditTable;
  agent_events: AgentEventTable;
  agent_turns: AgentTurnTable;
}
