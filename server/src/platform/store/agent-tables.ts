/** The rows of agent jobs. What `tables.ts` says about all tables holds here too. */

export type JobStatus = 'active' | 'completed' | 'failed';

/**
 * `prepare`: which commit to work on is not settled. `work`: the model is asked. `review`: it has
 * finished; its change is judged. `publish`: the point of no return, nothing stops the pull request.
 */
export type JobStage = 'prepare' | 'work' | 'review' | 'publish';

/** `agent/jobs`: the only truth about a job; there is no second queue. */
export interface AgentJobTable {
  id: string;
  project: string;
  organization: string;
  /** The key that created it; null where a reader's feedback did. */
  key_id: string | null;
  origin: 'api' | 'feedback' | 'gap';
  status: JobStatus;
  /** Of an active job; `ended` otherwise. */
  phase: 'queued' | 'running' | 'ended';
  /** How far this run has come: whoever takes the job over goes on from here. */
  stage: JobStage;
  /** Name in the configuration. Null: the job takes commands only. */
  model: string | null;
  repository: string;
  /** Null where the project names none and nobody has asked yet which is the repository's default. */
  base_branch: string | null;
  /** Where the base branch was when the first run of this branch began. */
  base_commit: string | null;
  branch: string;
  /** The commit that the edits lie on: of the base at first, of the branch once it has been published. */
  source_commit: string | null;
  /** The caller's wish; the project's policy has the last word. */
  is_draft: number;
  allow_large: number;
  /** JSON list of beginnings of paths: it may write nothing else; null: whatever the project allows. */
  paths: string | null;
  title: string | null;
  /** What the agent says to the user in the end. */
  message: string | null;
  /** What the pull request says about the change, in the agent's words. */
  summary: string | null;
  /** JSON list of todo items, as version 1 shows them. */
  todos: string;
  pull_number: number | null;
  pull_url: string | null;
  /** JSON list of `{ number, url, branch }`: pull requests of this job that were merged or closed. */
  former_pulls: string;
  /** JSON `{ code, title, message, remedy, retryable }`; null unless failed. */
  failure: string | null;
  /** 1, and one more each time that a message makes the ended job active again. */
  run_number: number;
  /** What this run has cost so far. Money is whole millionths of a US dollar. */
  steps: number;
  input_tokens: number;
  output_tokens: number;
  micro_dollars: number;
  /** How long this run has been run so far, over all processes that had it. */
  run_ms: number;
  /** How often this run's change was given back to the model with what is wrong with it. */
  feedbacks: number;
  /** Said to the model before anything else, and not yet part of the conversation. */
  notice: string | null;
  /** The runner that has it, until when, and how often it was taken: who writes must know the number. */
  owner: string | null;
  lease_until: string | null;
  attempt: number;
  /** How often in a row a process was lost with it before a step was saved. */
  crashes: number;
  cancel_requested_at: string | null;
  /** The last event's number. */
  events: number;
  created_at: string;
  /** When it last began to wait: within its project first come, first served. */
  queued_at: string;
  started_at: string | null;
  finished_at: string | null;
  archived_at: string | null;
}

/** `agent/jobs`: instructions, the first and those that follow. */
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
  key_id: string | null;
  created_at: string;
  /** When the run took it up; null: it waits. */
  taken_at: string | null;
}

/** `agent/loop`: the conversation with the model, in the AI SDK's shape. */
export interface AgentMessageTable {
  job_id: string;
  seq: number;
  /** JSON of one message. */
  message: string;
  /** 1: a summary has taken its place. */
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

/** `agent/run`: whose turn it is. */
export interface AgentTurnTable {
  project: string;
  /** Of all jobs that were ever begun, which one was this project's last; the lowest number goes next. */
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
