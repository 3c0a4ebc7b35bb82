/**
 * What GitHub refuses, in words for a job's owner. GitHub's own words are quoted only where nothing else
 * can say what it refused, on one line and without anything that looks like a secret.
 */
import type { FailureCode } from '@docent/shared/agent-failures';
import { DocentError, JobError } from '../../../platform/errors.ts';
import { retryAfterMs } from '../../../platform/network/retry-after.ts';

export interface FailureContext {
  /** The repository's address. */
  repository: string;
  /** Whose rights they are: `the token in DOCS_GITHUB_TOKEN`. */
  holder: string;
  /** The branch that was to be written. */
  branch?: string | undefined;
  /** What a 404 means here, where it is not the repository that is missing. */
  notFound?: (() => JobError) | undefined;
}

/** A refusal as HTTP brings it, from the API or from git. */
export interface Refusal {
  status: number;
  message: string;
  /** In lower case. */
  headers: Record<string, string | number | undefined>;
}

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

/** No answer at all. */
export function unreachable({ repository }: FailureContext, fault: unknown): JobError {
  const isLate = fault instanceof Error && fault.name === 'TimeoutError';
  const why = isLate ? 'it did not answer in time' : `the connection failed${codeOf(fault)}`;
  return new JobError('forge_unavailable', `${repository} could not be reached: ${why}.`);
}

export function explainRefusal(refusal: Refusal, context: FailureContext): JobError {
  const { status, message, headers } = refusal;
  const { repository, holder } = context;
  const say = (code: FailureCode, sentence: string) => new JobError(code, sentence);
  if (status === 429 || isLimit(refusal)) {
    return say('forge_rate_limited', `GitHub limits how often it is asked${untilWhen(headers)}.`);
  }
  if (status >= 500) {
    return say(
      'forge_unavailable',
      `${repository} could not be reached: GitHub responded with ${status}.`,
    );
  }
  if (status === 401) {
    return say(
      'forge_not_configured',
      `GitHub rejects ${holder}: it is wrong, expired, or was revoked.`,
    );
  }
  if (status === 404) {
    return (
      context.notFound?.() ??
      say('repository_not_found', `${repository} does not exist, or ${holder} can’t see it.`)
    );
  }
  const known = kinds.find(({ words }) => words.test(message));
  if (known) return say(known.code, known.sentence(context));
  if (status === 403) return say('forge_forbidden', forbidden(context, headers));
  if (status === 409) {
    return say('forge_rejected', `GitHub could not do this in the state that ${repository} is in.`);
  }
  const quoted = quote(message);
  return say(
    'forge_rejected',
    quoted === '' ? `GitHub answers ${status}.` : `GitHub refused the change: ${quoted}`,
  );
}

/** GitHub tells its refusals apart by words alone. */
const kinds: { words: RegExp; code: FailureCode; sentence: (context: FailureContext) => string }[] =
  [
    {
      words: /repository is empty/i,
      code: 'base_branch_missing',
      sentence: ({ repository }) =>
        `${repository} has no commits yet; push the documentation to it first.`,
    },
    {
      words: /\bbase invalid/i,
      code: 'base_branch_missing',
      sentence: ({ repository }) => `${repository} no longer has the base branch.`,
    },
    {
      words: /archived/i,
      code: 'forge_rejected',
      sentence: ({ repository }) => `${repository} is archived, so nobody can change it.`,
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
      code: 'branch_protected',
      sentence: ({ branch, repository }) =>
        branch === undefined
          ? `The rules of ${repository} do not allow this change.`
          : `The rules of ${repository} do not let the branch “${branch}” be created or pushed to.`,
    },
    {
      words: /access blocked|DMCA|legal/i,
      code: 'forge_forbidden',
      sentence: ({ repository }) => `GitHub has blocked access to ${repository}.`,
    },
  ];

function forbidden({ repository, holder }: FailureContext, headers: Refusal['headers']): string {
  // "contents=write,pull_requests=write": what the call would have needed.
  const accepted = String(headers['x-accepted-github-permissions'] ?? '');
  const needed = [...accepted.matchAll(/\b([a-z_]+)=(read|write)\b/g)]
    .map(([, what, level]) => `${level} access to ${what?.replaceAll('_', ' ')}`)
    .join(' and ');
  return needed === ''
    ? `GitHub does not let ${holder} do this in ${repository}.`
    : `GitHub does not let ${holder} do this in ${repository}; it needs ${needed}.`;
}

function isLimit({ status, message, headers }: Refusal): boolean {
  if (status !== 403) return false;
  return headers['x-ratelimit-remaining'] === '0' || /rate limit|abuse detection/i.test(message);
}

function untilWhen(headers: Refusal['headers']): string {
  const reset = Number(headers['x-ratelimit-reset']);
  const isUsedUp = headers['x-ratelimit-remaining'] === '0' && reset > 0;
  if (isUsedUp) return `; it can be asked again at ${new Date(reset * 1000).toISOString()}`;
  const ms = retryAfterMs(headers) ?? 0;
  return ms > 0 ? `; it wants to be left alone for ${Math.ceil(ms / 1000)} seconds` : '';
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

/** For the beginning of a sentence. */
export function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** On one line, short, and without addresses and what looks like a secret. */
function quote(message: string): string {
  return message
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/https?:\/\/\S+/g, '')
    .replaceAll(/[\w+/=.-]{25,}/g, '***')
    .trim()
    .slice(0, 200);
}

/** Of a connection that failed: the system's word for it, never its sentence, which holds addresses. */
function codeOf(fault: unknown): string {
  for (let one = fault; one instanceof Error; one = one.cause) {
    if ('code' in one && typeof one.code === 'string') return ` (${one.code})`;
  }
  return '';
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
