/**
 * What GitHub refuses, in words for a job's owner. GitHub's own words are quoted only where nothing else
 * can say what it refused, on one line and without anything that looks like a secret.
 */
import type { JobError } from '../../../platform/errors.ts';
import {
  explainRefusal,
  type FailureContext,
  noCommits,
  protectedBranch,
  type Refusal,
  type RefusalKind,
  type RefusalWords,
  upper,
} from '../remote/failures.ts';

/** GitHub tells its refusals apart by words alone. */
const kinds: RefusalKind[] = [
  {
    words: /repository is empty/i,
    code: 'base_branch_missing',
    sentence: ({ repository }) => noCommits(repository).message,
  },
  {
    words: /\bbase invalid/i,
    code: 'base_branch_missing',
    sentence: ({ repository }) => `${repository} no longer has the base branch.`,
  },
  {
    words: /suspended/i,
    code: 'forge_not_configured',
    sentence: ({ holder }) => `The installation of ${holder} is suspended; resume it.`,
  },
  {
    words: /permissions requested are not granted/i,
    code: 'forge_forbidden',
    sentence: ({ holder }) =>
      `${upper(holder)} was not given write access to contents and pull requests; accept these permissions where it is installed.`,
  },
  {
    words: /not accessible to the parent installation/i,
    code: 'forge_not_configured',
    sentence: ({ holder, repository }) =>
      `The installation of ${holder} does not include ${repository}; add it to the installation.`,
  },
  {
    words: /\bSAML\b|single sign-on/i,
    code: 'forge_forbidden',
    sentence: ({ holder, repository }) =>
      `The organization of ${repository} requires that ${holder} is authorized for its single sign-on.`,
  },
  {
    words: /IP allow list/i,
    code: 'forge_forbidden',
    sentence: ({ repository }) =>
      `The organization of ${repository} blocks this machine’s address (IP allow list).`,
  },
  {
    words: /secret detected|secrets? (was|were) found|push protection/i,
    code: 'secret_found',
    sentence: () => 'GitHub’s push protection found what looks like a secret in the change.',
  },
  {
    words: /refusing to allow .{0,200}workflow|without .?workflows?.? (scope|permission)/i,
    code: 'path_protected',
    sentence: ({ holder }) => `${upper(holder)} can’t change workflows, and shouldn’t.`,
  },
  {
    words:
      /rule violations|protected branch|protected ref|creations? being restricted|must be made through a pull request|branch is protected|cannot (update|create) this protected/i,
    ...protectedBranch,
  },
  {
    words: /access blocked|DMCA|legal/i,
    code: 'forge_forbidden',
    sentence: ({ repository }) => `GitHub has blocked access to ${repository}.`,
  },
];

function forbidden(
  { repository, holder }: FailureContext,
  { headers }: Refusal,
): string | undefined {
  // "contents=write,pull_requests=write": what the call would have needed.
  const accepted = String(headers['x-accepted-github-permissions'] ?? '');
  const needed = [...accepted.matchAll(/\b([a-z_]+)=(read|write)\b/g)]
    .map(([, what, level]) => `${level} access to ${what?.replaceAll('_', ' ')}`)
    .join(' and ');
  return needed === ''
    ? undefined
    : `GitHub does not let ${holder} do this in ${repository}; it needs ${needed}.`;
}

function isLimit({ status, message, headers }: Refusal): boolean {
  if (status !== 403) return false;
  return headers['x-ratelimit-remaining'] === '0' || /rate limit|abuse detection/i.test(message);
}

/** Refusals of GraphQL, which come with status 200. */
export function refusedByGraph(
  errors: readonly { type?: string | undefined; message: string }[],
  context: FailureContext,
): JobError {
  const message = errors.map((one) => one.message).join(': ');
  const status = { FORBIDDEN: 403, NOT_FOUND: 404, RATE_LIMITED: 429 }[errors[0]?.type ?? ''];
  return explainRefusal({ status: status ?? 422, message, headers: {} }, context, gitHubWords);
}

export const gitHubWords: RefusalWords = { host: 'GitHub', kinds, forbidden, isLimit };
