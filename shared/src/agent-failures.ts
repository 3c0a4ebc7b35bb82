/**
 * Why agent jobs fail: the code, a title, what the owner can do, and whether the same job can succeed
 * later. The specification shows only `failed` and two halt reasons, so we chose the codes.
 */

interface FailureKind {
  title: string;
  remedy: string;
  /** The same instruction can succeed later without changes. */
  retryable: boolean;
  /** The service has no access to the repository. Version 1 has a separate reason for it. */
  isAccess?: true;
}

export const failureTable = {
  cancelled: {
    title: 'The job was canceled',
    remedy: 'To continue the work, send a follow-up message.',
    retryable: false,
  },
  process_lost: {
    title: 'The process that ran the job stopped',
    remedy: 'Send the instruction again as a follow-up message. The edits so far are kept.',
    retryable: true,
  },
  queue_expired: {
    title: 'The job waited too long',
    remedy: 'Send it again when fewer jobs are waiting, or increase `agent.maxQueueMinutes`.',
    retryable: true,
  },
  forge_not_configured: {
    title: 'The service has no valid access to the repository',
    remedy: 'Set a valid token, or install the GitHub App on the repository.',
    retryable: false,
    isAccess: true,
  },
  forge_forbidden: {
    title: 'The service lacks a permission in the repository',
    remedy: 'Give the token or the App write access to contents and pull requests.',
    retryable: false,
    isAccess: true,
  },
  repository_not_found: {
    title: 'The repository was not found',
    remedy:
      'Check the address in the project, and make sure that the token or the App can see the repository.',
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
    remedy: 'Choose another branch, or a `branchPrefix` that the repository allows.',
    retryable: false,
  },
  branch_moved: {
    title: 'Someone else changed the same lines',
    remedy: 'Merge or discard their commits, and send a follow-up message.',
    retryable: false,
  },
  forge_rejected: {
    title: 'The repository refused the change',
    remedy: 'Read the message of the failure. It contains the reason.',
    retryable: false,
  },
  forge_rate_limited: {
    title: 'The repository host limits the number of requests',
    remedy: 'Try again later.',
    retryable: true,
  },
  forge_unavailable: {
    title: 'The repository host could not be reached',
    remedy: 'Try again later.',
    retryable: true,
  },
  model_not_configured: {
    title: 'The model is not set up',
    remedy: 'Use a configured model, and set its key.',
    retryable: false,
  },
  model_unavailable: {
    title: 'The language model was not available',
    remedy: 'Try again later. If the credit at its provider is used up, add some first.',
    retryable: true,
  },
  model_failed: {
    title: 'The language model failed',
    remedy: 'Try again, or use another model.',
    retryable: true,
  },
  budget_steps: {
    title: 'The job reached its limit of steps',
    remedy: 'Give a smaller instruction, or increase `limits.steps` of the project.',
    retryable: false,
  },
  budget_tokens: {
    title: 'The job reached its limit of tokens',
    remedy: 'Give a smaller instruction, or increase `limits.tokens` of the project.',
    retryable: false,
  },
  budget_money: {
    title: 'The job reached its cost limit or a budget',
    remedy:
      'Give a smaller instruction, or increase `limits.dollars` of the project or the budget.',
    retryable: false,
  },
  budget_time: {
    title: 'The job took too long',
    remedy: 'Give a smaller instruction, or increase `limits.minutes` of the project.',
    retryable: false,
  },
  budget_idle: {
    title: 'The language model stopped responding',
    remedy: 'Try again, or increase `limits.idleSeconds` of the project.',
    retryable: true,
  },
  checks_failed: {
    title: 'The change failed the documentation checks',
    remedy: 'Read which checks failed, and send a follow-up message that says how to fix them.',
    retryable: false,
  },
  secret_found: {
    title: 'The change seems to contain a secret',
    remedy: 'Remove the secret. In an example, use a placeholder such as `YOUR_API_KEY`.',
    retryable: false,
  },
  path_protected: {
    title: 'The change touches protected files',
    remedy: 'Change the files yourself, or allow them in the project’s `paths`.',
    retryable: false,
  },
  content_not_allowed: {
    title: 'The change contains links or code that the project does not allow',
    remedy: 'Remove them, or allow them in the project’s `guard`.',
    retryable: false,
  },
  change_too_large: {
    title: 'The change is larger than the project allows',
    remedy: 'Give a smaller instruction, or send it with `allowLarge`.',
    retryable: false,
  },
  command_failed: {
    title: 'The command failed',
    remedy: 'Read the message of the failure, and send a corrected command.',
    retryable: false,
  },
  internal: {
    title: 'Something went wrong',
    remedy: 'Try again. If the error continues, send the job’s ID to the operator of the service.',
    retryable: true,
  },
} as const satisfies Record<string, FailureKind>;

export type FailureCode = keyof typeof failureTable;
