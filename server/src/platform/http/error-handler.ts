import { type ErrorBody, errorTable } from '@docent/shared/errors';
import type { ErrorRequestHandler } from 'express';
import { DocentError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { requestIdOf } from './request-log.ts';

/** The one body of every error, before a stream begins and inside it. */
export function toErrorBody(error: DocentError, requestId: string): ErrorBody {
  return {
    error: error.message,
    code: error.code,
    requestId,
    ...(error.retryAfter !== undefined && { retryAfter: error.retryAfter }),
    ...(error.details && { details: error.details }),
  };
}

/** Anything that was thrown, as what the caller may know of it. */
export function toDocentError(error: unknown): DocentError {
  if (error instanceof DocentError) return error;
  return (
    fromBodyParser(error) ??
    new DocentError('internal', 'Something went wrong on our side.', { cause: error })
  );
}

/** How an error stands in a body; ours, unless an endpoint speaks another's wire. */
type ToBody = (body: ErrorBody) => object;

/** The last handler: JSON before the first byte; after it the socket is cut, so nobody takes a torso for the whole. */
export function createErrorHandler(
  log: Logger,
  toBody: ToBody = (body) => body,
): ErrorRequestHandler {
  // Express knows an error handler by its four parameters.
  return function errorHandler(error, _request, response, _next) {
    // The client left and what it had asked for was ended: nobody is there to be told.
    if (response.destroyed && isAbort(error)) return;
    const known = toDocentError(error);
    const requestId = requestIdOf(response);
    if (errorTable[known.code].status >= 500) {
      log.error({ requestId, code: known.code, err: known.cause ?? known }, 'request failed');
    }
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (known.retryAfter !== undefined) response.set('Retry-After', String(known.retryAfter));
    if (known.code === 'unauthorized') response.set('WWW-Authenticate', 'Bearer');
    response.status(errorTable[known.code].status).json(toBody(toErrorBody(known, requestId)));
  };
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** Express and its body parser mark the client's mistakes with a `type` or a `status`; their messages stay inside. */
function fromBodyParser(error: unknown): DocentError | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { type, status } = error as { type?: unknown; status?: unknown };
  const make = (code: DocentError['code'], message: string) =>
    new DocentError(code, message, { cause: error });
  switch (type) {
    case 'entity.too.large':
      return make('too_large', 'The body is too large; send at most 1 MB.');
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return make('unsupported_media_type', 'Send the body as UTF-8 JSON, plain or gzip.');
    case 'entity.parse.failed':
      return make('bad_request', 'The body is not valid JSON.');
    default:
      return status === 400 || error instanceof URIError
        ? make('bad_request', 'The request could not be read.')
        : undefined;
  }
}
