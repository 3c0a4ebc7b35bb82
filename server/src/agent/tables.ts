/** The rows of this feature, as `platform/store/tables.ts` says. */
import { bigint, integer, type RowsOf, text } from '../platform/store/columns.ts';

export type JobState =
  /** The job waits for a process. */
  | 'queued'
  /** A process works on the job, or died and another one takes it over. */
  | 'running'
  /** As `running`, but somebody has cancelled the job. */
  | 'cancelling'
  /** As `running`, but the pull request is being written: too late to cancel. */
  | 'publishing'
  | 'completed'
  | 'failed';

export const agentTables = {
  /** `agent/jobs`: a job. The row is also its entry in the queue. */
  agent_jobs: {
    id: text().primary,
    project: text(),
    organization: text(),
    /** The key or the person that created it; null for a reader's feedback. */
    caller_id: text().orNull,
    origin: text<'api' | 'feedback' | 'gap' | 'automation'>(),
    state: text<JobState>(),
    /**
     * The progress of this run, up to the state `publishing`: it chooses the commit to work on, asks the model,
     * and reviews its change. A process that takes the job over continues from here.
     */
    stage: text<'prepare' | 'work' | 'review'>(),
    /** Name in the configuration. Null: the job takes commands only. */
    model: text().orNull,
    /** The model's ID at its provider. */
    model_id: text().orNull,
    repository: text(),
    /** Null until the repository's default branch is known, if the project names none. */
    base_branch: text().orNull,
    branch: text(),
    /** The commit below the edits: of the base branch at first, of our branch once it's published. */
    source_commit: text().orNull,
    /** What the caller asked for. The project's policy decides. */
    is_draft: integer(),
    allow_large: integer(),
    /** JSON list of path prefixes that it may write; null: everything that the project allows. */
    paths: text().orNull,
    /** JSON: the commits at which it reads code repositories, by name; null: it reads none. */
    code_commits: text().orNull,
    /** JSON list of what it changes because of code, with the second review; null: it may change anything. */
    corrections: text().orNull,
    /** The last commit that it published. */
    published_commit: text().orNull,
    title: text().orNull,
    /** The agent's final message to the user. */
    message: text().orNull,
    /** The agent's description of the change, for the pull request. */
    summary: text().orNull,
    /** JSON list of todo items, as version 1 shows them. */
    todos: text(),
    pull_number: integer().orNull,
    pull_url: text().orNull,
    /** As last seen at its host. Null: no pull request. */
    pull_state: text<'open' | 'merged' | 'closed'>().orNull,
    pull_ended_at: text().orNull,
    /** When to ask the host again; null: never. */
    pull_due_at: text().orNull,
    /** JSON list of `{ number, url, branch }`: pull requests of this job that were merged or closed. */
    former_pulls: text(),
    /** JSON `{ code, title, message, remedy, retryable }`; null unless failed. */
    failure: text().orNull,
    /** The number of its run: 1 at first. Each message that makes the ended job active again adds 1. */
    round: integer(),
    /** The cost of this run so far. Money is in whole millionths of a US dollar. */
    steps: integer(),
    input_tokens: bigint(),
    output_tokens: bigint(),
    micro_dollars: bigint(),
    /** The duration of this run so far, over all processes. */
    run_ms: bigint(),
    /** How often the review returned this run's change to the model. */
    feedbacks: integer(),
    /** A message for the model that isn't part of the conversation yet. */
    notice: text().orNull,
    /** The runner that has it, until when, and the number of claims, which every write must name. */
    owner: text().orNull,
    lease_until: text().orNull,
    attempt: integer(),
    /** How often in a row its process died before a step was saved. */
    crashes: integer(),
    /** The last event's number. */
    events: integer(),
    created_at: text(),
    /** When it last started to wait. The jobs of a project run in this order. */
    queued_at: text(),
    started_at: text().orNull,
    finished_at: text().orNull,
    archived_at: text().orNull,
  },

  /** `agent/jobs`: the first instruction and the follow-ups. */
  agent_instructions: {
    id: text().primary,
    job_id: text().references('agent_jobs'),
    /** 1, 2, … within the job: the order in which they came. */
    seq: integer(),
    role: text<'system' | 'user' | 'assistant'>(),
    /** Describes the command, if there is one. */
    content: text(),
    /** JSON of a command. Null: the content is for the language model. */
    command: text().orNull,
    caller_id: text().orNull,
    created_at: text(),
    /** When the run started to work on it; null while it waits. */
    taken_at: text().orNull,
  },

  /** `agent/loop`: the conversation with the model, in the AI SDK's shape. */
  agent_messages: {
    job_id: text().primary.references('agent_jobs'),
    seq: integer().primary,
    /** JSON of one message. */
    message: text(),
    /** 1: a summary replaced it. */
    is_compacted: integer(),
  },

  /** `agent/run`: what the agent has changed on top of `source_commit`. */
  agent_edits: {
    job_id: text().primary.references('agent_jobs'),
    path: text().primary,
    /** Base64; null: deleted. */
    content: text().orNull,
    moved_from: text().orNull,
  },

  /** `agent/jobs/events.ts`: everything that happened, for followers and for version 1's stream. */
  agent_events: {
    job_id: text().primary.references('agent_jobs'),
    seq: integer().primary,
    type: text(),
    /** JSON. */
    data: text(),
    created_at: text(),
  },

  /** `agent/talk`: what the hosts of repositories told us. */
  agent_host_events: {
    id: text().primary,
    project: text(),
    /** What happened: the same for a delivery that comes twice. */
    key: text(),
    /** The delivery's ID at the host. */
    delivery: text(),
    name: text(),
    /** JSON; null once it's settled, so words are kept no longer than needed. */
    event: text().orNull,
    pull_number: integer().orNull,
    status: text<'waiting' | 'working' | 'done' | 'ignored' | 'failed'>(),
    /** Why it was ignored or failed. */
    reason: text().orNull,
    job_id: text().orNull,
    /** The number of its instruction in the job. */
    instruction: integer().orNull,
    /** How often in a row the host couldn't be asked. */
    attempts: integer(),
    due_at: text().orNull,
    created_at: text(),
  },

  /** `agent/automations`: work that begins by itself. */
  agent_automations: {
    id: text().primary,
    project: text(),
    name: text(),
    /** JSON: what it looks at, and when. */
    task: text(),
    trigger: text(),
    instruction: text(),
    as_draft: integer(),
    is_paused: integer(),
    /** By the database's clock; null: only when somebody asks for it. */
    next_at: text().orNull,
    /** JSON of what it has seen, so that it looks at what came since. */
    memory: text(),
    /** Its newest job. Further findings are added to it while its pull request is open. */
    job_id: text().orNull,
    /** The pull request that people were reminded of. */
    reminded: integer().orNull,
    created_at: text(),
  },

  /** `agent/automations`: its history. */
  agent_automation_runs: {
    id: text().primary,
    automation_id: text().references('agent_automations'),
    /** What it's for: the same cause begins one run. */
    cause: text(),
    /** The cause in words. */
    cause_text: text(),
    /** Null while it looks. */
    outcome: text<'started' | 'added' | 'nothing' | 'capped' | 'failed'>().orNull,
    reason: text().orNull,
    /** JSON lists of what it read, and of what it found. */
    read: text(),
    findings: text(),
    job_id: text().orNull,
    /** The number of its instruction in the job, and the job's last commit before and after. */
    instruction: integer().orNull,
    commit_before: text().orNull,
    commit_made: text().orNull,
    /** The title of that change, for the timeline of the pull request. */
    change: text().orNull,
    /** JSON of what the automation knew before, for when the job fails. */
    memory_before: text().orNull,
    attempts: integer(),
    /** By the database's clock. Null: it has ended. */
    due_at: text().orNull,
    created_at: text(),
    finished_at: text().orNull,
  },

  /** `agent/run`: whose turn it is. */
  agent_project_turns: {
    project: text().primary,
    /** The number of the project's latest job among all jobs that ever started. The lowest goes next. */
    turn: bigint(),
  },

  /** `agent/connect/connections.ts`: hosts of repositories that people connected in the dashboard. */
  connections: {
    id: text().primary,
    organization: text(),
    forge: text<'github' | 'gitea' | 'gitlab'>(),
    /** The host's address, without a slash at its end. */
    url: text(),
    /** For people: an account's name, or a GitHub App's. */
    account: text(),
    /** Of a GitHub App. */
    app_id: text().orNull,
    app_url: text().orNull,
    /** JSON `{ access, hook }`: a token or a private key, and the webhook's secret. Encrypted. */
    secrets: text(),
    /** 1: the host sends its events. */
    has_hook: integer(),
    created_at: text(),
    created_by: text(),
  },

  /** `agent/connect/connections.ts`: on their way to GitHub and back, once. */
  connection_states: {
    hash: text().primary,
    person_id: text(),
    organization: text(),
    /** JSON of what was begun. */
    begun: text(),
    expires_at: text(),
  },

  /** `agent/connect/connections.ts`: projects that the configuration doesn't have. */
  connected_projects: {
    id: text().primary,
    organization: text(),
    connection: text().references('connections'),
    /** Its address. */
    repository: text(),
    /** JSON of what the configuration would say beside its name and its repository. */
    settings: text(),
    created_at: text(),
    created_by: text(),
  },

  /** `agent/shares`: a link that opens one page. */
  page_shares: {
    id: text().primary,
    /** SHA-256 of the token, hex. */
    hash: text().unique,
    organization: text(),
    project: text(),
    page: text<'job' | 'pull'>(),
    /** The job's ID or the pull request's number. */
    page_id: text(),
    created_by: text(),
    created_at: text(),
    expires_at: text(),
    revoked_at: text().orNull,
  },

  /** `agent/forge/local/pulls.ts`: pull requests of repositories on this machine. */
  local_pulls: {
    project: text().primary,
    /** Counted from 1 in each project. */
    number: integer().primary,
    branch: text(),
    base: text(),
    title: text(),
    body: text(),
    state: text<'open' | 'merged' | 'closed'>(),
    is_draft: integer(),
    /** The commit of the branch when it was merged or closed; null while it's open. */
    head_commit: text().orNull,
    /** The commit of the base branch at the beginning, or just before the merge. */
    base_commit: text().orNull,
    created_at: text(),
    ended_at: text().orNull,
  },
};

export const agentIndexes = `
create index agent_jobs_project on agent_jobs (project, created_at, id);
create index agent_jobs_organization on agent_jobs (organization, created_at, id);
create index agent_jobs_branch on agent_jobs (project, branch);
create index agent_jobs_pull on agent_jobs (project, pull_number);
create index agent_jobs_commit on agent_jobs (project, published_commit);
create index agent_jobs_pull_due on agent_jobs (pull_due_at);
create index agent_jobs_queue on agent_jobs (state, queued_at);
create unique index agent_instructions_job on agent_instructions (job_id, seq);
create unique index agent_host_events_key on agent_host_events (project, key);
create index agent_host_events_due on agent_host_events (due_at);
create index agent_host_events_created on agent_host_events (project, created_at, id);
create index agent_host_events_job on agent_host_events (job_id);
create index agent_automations_project on agent_automations (project, created_at, id);
create index agent_automations_next on agent_automations (next_at);
create unique index agent_automation_runs_cause on agent_automation_runs (automation_id, cause);
create index agent_automation_runs_created on agent_automation_runs (automation_id, created_at, id);
create index agent_automation_runs_due on agent_automation_runs (due_at);
create index page_shares_organization on page_shares (organization, id);
create unique index local_pulls_open on local_pulls (project, branch) where state = 'open';
`;

declare module '../platform/store/tables.ts' {
  interface Tables extends RowsOf<typeof agentTables> {}
}
