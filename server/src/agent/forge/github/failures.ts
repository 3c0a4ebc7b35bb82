/**
 * What GitHub refuses, in words for a job's owner. GitHub's own words are quoted only where nothing else
 * can say what it refused, on one line and without anything that looks like a secret.
 */
import { DocentError, JobError } from '../../../platform/errors.ts';
import {
  archived,
  explainRefusal as explainHostRefusal,
  type FailureContext,
  noCommits,
  protectedBranch,
  type Refusal,
  type RefusalKind,
  type RefusalWords,
  unreachable,
  upper,
} from '../remote/failures.ts';

export function explain(error: unknown, context: FailureContext): Error {
  if (error instanceof JobError) return error;
  if (error instanceof DocentError) {
    return new JobError('forge_unavailable', error.message, { cause: error });
  }
  if (!isRequestError(error)) return explainOther(error, context);
  const { response } = error;
  if (!response) return unreachable(context, error.cause);
  return explainRefusal(
    {
      status: response.status,
      message: messageOf(response.data) ?? '',
      headers: response.headers,
    },
    context,
  );
}

interface RequestError extends Error {
  status: number;
  /** Missing where no answer came. */
  response?: { status: number; data: unknown; headers: Refusal['headers'] };
}

/** Octokit's, which brings several copies of its own class along. */
function isRequestError(error: unknown): error is RequestError {
  return error instanceof Error && error.name === 'HttpError' && 'status' in error;
}

export const explainRefusal = (refusal: Refusal, context: FailureContext): JobError =>
  explainHostRefusal(refusal, context, gitHubWords);

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
    words: /archived/i,
    code: 'forge_rejected',
    sentence: ({ repository }) => archived(repository).message,
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

function messageOf(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null || !('message' in data)) return undefined;
  const errors = 'errors' in data && Array.isArray(data.errors) ? data.errors : [];
  // Where it has no words, the field and what is wrong with it.
  const more = (errors as { message?: string; field?: string; code?: string }[]).map(
    ({ message, field, code }) => message ?? [field, code].filter(Boolean).join(' '),
  );
  return [String(data.message), ...more].filter(Boolean).join(': ');
}

/** Errors of GraphQL come with status 200; the rest are faults of ours. */
function explainOther(error: unknown, context: FailureContext): Error {
  if (!(error instanceof Error)) return new JobError('internal', 'Something went wrong.');
  if (error.name === 'GraphqlResponseError') {
    const { errors = [] } = error as Error & { errors?: { type?: string; message: string }[] };
    const message = errors.map((one) => one.message).join(': ');
    const status = { FORBIDDEN: 403, NOT_FOUND: 404, RATE_LIMITED: 429 }[errors[0]?.type ?? ''];
    return explainRefusal({ status: status ?? 422, message, headers: {} }, context);
  }
  if (/private ?key|PKCS|PEM|asn1|DECODER|JWT/i.test(`${error.name} ${error.message}`)) {
    return new JobError(
      'forge_not_configured',
      `The private key of ${context.holder} can’t be used; set it to the complete text of the App’s .pem file.`,
    );
  }
  return error;
}

export const gitHubWords: RefusalWords = { host: 'GitHub', kinds, forbidden, isLimit };
