/** What hosts of repositories refuse, in words for a job's owner. */
import type { FailureCode } from '@docent/shared/agent-failures';
import { JobError } from '../../../platform/errors.ts';
import { retryAfterMs } from '../../../platform/network/retry.ts';
import type { Answer } from './exchange.ts';

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

/** In words, where the host has some in JSON: the page of a proxy says nothing. */
export const refusalOf = ({ status, headers, data }: Answer): Refusal => ({
  status,
  message: typeof data === 'string' ? '' : wordsIn(data).join(' '),
  headers,
});

/** A refusal that a host tells apart by words alone. */
export interface RefusalKind {
  words: RegExp;
  code: FailureCode;
  sentence: (context: FailureContext) => string;
}

/** How one kind of host refuses. */
export interface RefusalWords {
  /** `GitHub` */
  host: string;
  kinds: readonly RefusalKind[];
  /** What the rights lack, where the host says it. */
  forbidden?: (context: FailureContext, refusal: Refusal) => string | undefined;
  /** Its own way to say that it was asked too often, beside 429. */
  isLimit?: (refusal: Refusal) => boolean;
}

/** No answer at all. */
export function unreachable({ repository }: FailureContext, fault: unknown): JobError {
  const isLate = fault instanceof Error && fault.name === 'TimeoutError';
  const code = codeOf(fault);
  const why = isLate
    ? 'it did not answer in time'
    : isCertificate.test(code)
      ? `its certificate is not trusted (${code}); for a certificate authority of your own, set NODE_EXTRA_CA_CERTS to the file with its certificate`
      : `the connection failed${code === '' ? '' : ` (${code})`}`;
  return new JobError('forge_unavailable', `${repository} could not be reached: ${why}.`);
}

const isCertificate = /^(SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY))/;

export function explainRefusal(
  refusal: Refusal,
  context: FailureContext,
  words: RefusalWords,
): JobError {
  const { status, message, headers } = refusal;
  const { repository, holder } = context;
  const { host } = words;
  const say = (code: FailureCode, sentence: string) => new JobError(code, sentence);
  if (isLimit(refusal, words)) {
    return say('forge_rate_limited', `${host} limits how often it is asked${untilWhen(headers)}.`);
  }
  if (status >= 500) {
    return say(
      'forge_unavailable',
      `${repository} could not be reached: ${host} responded with ${status}.`,
    );
  }
  if (status === 401) {
    return say(
      'forge_not_configured',
      `${host} rejects ${holder}: it is wrong, expired, or was revoked.`,
    );
  }
  if (status === 404) {
    return (
      context.notFound?.() ??
      say('repository_not_found', `${repository} does not exist, or ${holder} can’t see it.`)
    );
  }
  const known = words.kinds.find((kind) => kind.words.test(message));
  if (!known && /archived/i.test(message)) return archived(repository);
  if (known) return say(known.code, known.sentence(context));
  if (status === 403) {
    return say(
      'forge_forbidden',
      words.forbidden?.(context, refusal) ??
        `${host} does not let ${holder} do this in ${repository}.`,
    );
  }
  if (status === 409) {
    return say(
      'forge_rejected',
      `${host} could not do this in the state that ${repository} is in.`,
    );
  }
  const quoted = quoteRefusal(message);
  return say(
    'forge_rejected',
    quoted === '' ? `${host} answers ${status}.` : `${host} refused the change: ${quoted}`,
  );
}

export const archived = (repository: string) =>
  new JobError('forge_rejected', `${repository} is archived, so nobody can change it.`);

export const mirrored = (repository: string) =>
  new JobError(
    'forge_rejected',
    `${repository} is a mirror; set “repository” to the repository that it mirrors.`,
  );

export const noCommits = (repository: string) =>
  new JobError(
    'base_branch_missing',
    `${repository} has no commits yet; push the documentation to it first.`,
  );

export const switchedOff = (repository: string, what: string) =>
  new JobError(
    'forge_rejected',
    `${repository} has no ${what}: they are switched off in its settings; switch them on there.`,
  );

/** Refusals that are the same everywhere. */
export const protectedBranch: Omit<RefusalKind, 'words'> = {
  code: 'branch_protected',
  sentence: ({ branch, repository }) =>
    branch === undefined
      ? `The rules of ${repository} do not allow this change.`
      : `The rules of ${repository} do not let the branch “${branch}” be created or pushed to.`,
};

export const isLimit = (refusal: Refusal, words: RefusalWords): boolean =>
  refusal.status === 429 || words.isLimit?.(refusal) === true;

/** When the allowance of an hour is used up, the time at which it's new; 0: it isn't. */
function resetOf(headers: Refusal['headers']): number {
  const isUsedUp = headers['x-ratelimit-remaining'] === '0';
  return isUsedUp ? Number(headers['x-ratelimit-reset'] ?? 0) * 1000 : 0;
}

/** How long the host wants to be left alone, in milliseconds; `undefined`: it doesn't say. */
export function pauseAsked(headers: Refusal['headers']): number | undefined {
  const reset = resetOf(headers);
  return retryAfterMs(headers) ?? (reset > 0 ? Math.max(0, reset - Date.now()) : undefined);
}

function untilWhen(headers: Refusal['headers']): string {
  const reset = resetOf(headers);
  if (reset > 0) return `; it can be asked again at ${new Date(reset).toISOString()}`;
  const ms = retryAfterMs(headers) ?? 0;
  return ms > 0 ? `; it wants to be left alone for ${Math.ceil(ms / 1000)} seconds` : '';
}

/** For the beginning of a sentence. */
export function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** On one line, short, and without addresses and what looks like a secret. */
export function quoteRefusal(message: string): string {
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
    if ('code' in one && typeof one.code === 'string') return one.code;
  }
  return '';
}

/**
 * GitLab answers with a sentence, with lists of them by field, or with the words of OAuth; Gitea with a sentence;
 * GitHub with a sentence, and with others, or with fields and what is wrong with them.
 */
export function wordsIn(answer: unknown): string[] {
  if (typeof answer === 'string') return [answer];
  if (Array.isArray(answer)) return answer.slice(0, 10).flatMap(wordsIn);
  if (typeof answer !== 'object' || answer === null) return [];
  const {
    message,
    error,
    error_description: more,
    errors,
    field: at,
    code,
  } = answer as Record<string, unknown>;
  if (message === undefined && error === undefined) {
    if (typeof at === 'string' && typeof code === 'string') return [`${at} ${code}`];
    return Object.entries(answer)
      .slice(0, 10)
      .flatMap(([field, value]) => wordsIn(value).map((words) => `${field} ${words}`));
  }
  return [message, error, more, errors].flatMap(wordsIn);
}
