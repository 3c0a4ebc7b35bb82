import type { ErrorCode, ErrorDetail } from '@docent/shared/errors';

/** An error that is meant for the caller: its message is one human sentence and leaks nothing. */
export class DocentError extends Error {
  override readonly name = 'DocentError';
  readonly code: ErrorCode;
  readonly details: ErrorDetail[] | undefined;
  /** Seconds until it is worth trying again. */
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
