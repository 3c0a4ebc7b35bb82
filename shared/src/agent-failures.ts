/**
 * Why an agent job failed: the machine word, a title, what its owner can do, and whether the same job
 * may succeed later. Spec: only `failed` and the two halt reasons are shown; the words are ours.
 */

interface FailureKind {
  title: string;
  remedy: string;
  /** The same instruction may succeed later without anybody changing anything. */
  retryable: boolean;
  /** Access to the repository is what is missing: version 1 has a reason of its own for it. */
  isAccess?: true;
}

export const failureTable = {
  cancelled: {
    title: 'The job was cancelled',
    remedy: 'Send a follow-up message to take the work up again.',
    retryable: false,
  },
  process_lost: {
    title: 'The process that did the job came to an end',
    remedy: 'Send the instruction again as a follow-up message; what was done is kept.',
    retryable: true,
  },
  queue_expired: {
    title: 'The job waited too long',
    remedy: 'Send it again when fewer jobs wait, or raise `agent.maxQueueMinutes`.',
    retryable: true,
  },
  forge_not_configured: {
    title: 'The service has no valid access to the repository',
    remedy: 'Set a valid token, or install the GitHub App on the repository.',
    retryable: false,
    isAccess: true,
  },
  forge_forbidden: {
    title: 'The service may not do this in the repository',
    remedy: 'Give the token or the App write access to contents and pull requests.',
    retryable: false,
    isAccess: true,
  },
  repository_not_found: {
    title: 'The repository was not found',
    remedy: 'Check its address in the project, and that the token or the App may see it.',
    retryable: false,
    isAccess: true,
  },
  base_branch_missing: {
    title: 'The base branch does not exist',
    remedy: 'Correct `baseBranch` in the project, or create the branch.',
    retryable: false,
  },
  branch_protected: {
    title: 'The branch is protected',
    remedy: 'Choose another branch, or a `branchPrefix` that the rules of the repository allow.',
    retryable: false,
  },
  branch_moved: {
    title: 'Somebody else changed the same lines of the branch',
    remedy: 'Merge or discard their commits, then send a follow-up message.',
    retryable: false,
  },
  forge_rejected: {
    title: 'The repository refused the change',
    remedy: 'Read the message; it says what the host refused.',
    retryable: false,
  },
  forge_rate_limited: {
    title: 'The host of the repository limits how often it is asked',
    remedy: 'Try again later.',
    retryable: true,
  },
  forge_unavailable: {
    title: 'The host of the repository could not be reached',
    remedy: 'Try again later.',
    retryable: true,
  },
  model_not_configured: {
    title: 'The model is not set up',
    remedy: 'Name a configured model, and set its key.',
    retryable: false,
  },
  model_unavailable: {
    title: 'The language model could not be reached',
    remedy: 'Try again later.',
    retryable: true,
  },
  model_failed: {
    title: 'The language model did not answer properly',
    remedy: 'Try again, or use another model.',
    retryable: true,
  },
  budget_steps: {
    title: 'The job used up its steps',
    remedy: 'Give a smaller instruction, or raise `limits.steps` of the project.',
    retryable: false,
  },
  budget_tokens: {
    title: 'The job used up its tokens',
    remedy: 'Give a smaller instruction, or raise `limits.tokens` of the project.',
    retryable: false,
  },
  budget_money: {
    title: 'The job used up its money',
    remedy: 'Give a smaller instruction, or raise `limits.dollars` of the project.',
    retryable: false,
  },
  budget_time: {
    title: 'The job took too long',
    remedy: 'Give a smaller instruction, or raise `limits.minutes` of the project.',
    retryable: false,
  },
  budget_idle: {
    title: 'The language model fell silent',
    remedy: 'Try again, or raise `limits.idleSeconds` of the project.',
    retryable: true,
  },
  checks_failed: {
    title: 'The change does not pass the checks of the documentation',
    remedy: 'Read which checks failed, and send a follow-up message that says how to mend them.',
    retryable: false,
  },
  secret_found: {
    title: 'The change holds what looks like a secret',
    remedy: 'Remove it; if it is an example, write one that nobody can take for real.',
    retryable: false,
  },
  path_protected: {
    title: 'The change touches protected files',
    remedy: 'Change them yourself, or allow them in the project’s `paths`.',
    retryable: false,
  },
  content_not_allowed: {
    title: 'The change holds links or code that the project does not allow',
    remedy: 'Leave them out, or allow them in the project’s `guard`.',
    retryable: false,
  },
  change_too_large: {
    title: 'The change is larger than the project allows',
    remedy: 'Give a smaller instruction, or send it with `allowLarge`.',
    retryable: false,
  },
  command_failed: {
    title: 'The command cannot be carried out',
    remedy: 'Read what is in the way, then send a corrected command.',
    retryable: false,
  },
  internal: {
    title: 'Something went wrong',
    remedy: 'Try again; if it goes on, give the job’s id to whoever runs the service.',
    retryable: true,
  },
} as const satisfies Record<string, FailureKind>;

export type FailureCode = keyof typeof failureTable;
