import type { FailureCode } from '@docent/shared/agent-failures';
import type { ErrorCode, ErrorDetail } from '@docent/shared/errors';

/** An error that is meant for the caller: its message is one human sentence and leaks nothing. */
export class DocentError extends Error {
  override readonly name = 'DocentError';
  readonly code: ErrorCode;
  readonly details: ErrorDetail[] | undefined;
  /** Seconds until a retry can succeed. */
  readonly retryAfter: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: ErrorDetail[]; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.retryAfter = options.retryAfter;
  }
}

/** A mistake in one field of a request, which forms show at that field. */
export const invalid = (path: string, message: string) =>
  new DocentError('bad_request', `The request is not valid: \`${path}\` ${message}.`, {
    details: [{ path, message }],
  });

/** The database is away or busy for the moment: what was not stored can be tried again. */
export class DatabaseUnavailable extends DocentError {
  constructor(message: string, { retryAfter, cause }: { retryAfter: number; cause: unknown }) {
    super('unavailable', message, { retryAfter, cause });
  }
}

/** What a full disk means to people: an error of the file system, or SQLite's. Other errors stay as they are. */
export function explained(error: unknown): unknown {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  if (code !== 'ENOSPC' && code !== 'EDQUOT' && errcode !== sqliteFull) return error;
  const message = 'The disk of the data folder is full. Free some space, and try again.';
  return new DocentError('unavailable', message, { cause: error });
}

const sqliteFull = 13;

/** Ends a job. The code selects the explanation of its failure. The message is one sentence for its owner and leaks nothing. */
export class JobError extends Error {
  override readonly name = 'JobError';
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string, options: { cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
  }
}
