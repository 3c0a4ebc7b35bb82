import { type ErrorBody, errorTable } from '@docent/shared/errors';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import { hourMs } from '../time.ts';
import { DocentError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { requestIdOf } from './record-requests.ts';

/** The body of every error, as a response and inside a stream. */
export function toErrorBody(error: DocentError, requestId: string): ErrorBody {
  return {
    error: error.message,
    code: error.code,
    requestId,
    ...(error.retryAfter !== undefined && { retryAfter: error.retryAfter }),
    ...(error.details && { details: error.details }),
  };
}

/** Turns anything that was thrown into an error that the caller may see. */
export function toDocentError(error: unknown): DocentError {
  if (error instanceof DocentError) return error;
  return (
    fromBodyParser(error) ??
    new DocentError('internal', 'Something went wrong on our side.', { cause: error })
  );
}

/** How to write an error. Some endpoints have the error format of another API. */
type ToBody = (body: ErrorBody) => object;

/** The last handler. Before the first byte it sends JSON; after it, it cuts the connection, so that no client takes a partial response for a complete one. */
export function createErrorHandler(
  log: Logger,
  toBody: ToBody = (body) => body,
): ErrorRequestHandler {
  const isNews = onceAnHour();
  // Express recognizes an error handler by its four parameters.
  return function errorHandler(error, request, response, _next) {
    // The client is gone, so there is nobody to answer.
    if (response.destroyed && isAbort(error)) return;
    const known = toDocentError(error);
    const requestId = requestIdOf(response);
    if (errorTable[known.code].status >= 500) {
      log.error({ requestId, code: known.code, err: known.cause ?? known }, 'request failed');
    }
    const origin = request.get('origin');
    if (origin !== undefined && (known.code === 'forbidden' || known.code === 'unauthorized')) {
      const { path } = request;
      const page = { origin: origin.slice(0, maxOrigin), path, code: known.code };
      if (isNews(JSON.stringify(page))) {
        log.warn({ requestId, ...page, reason: known.message }, 'a page was refused');
      }
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

const maxOrigin = 200;
/** What one hour has at most, because anyone can send requests of any origin. */
const maxNews = 100;

/** Whether something is said for the first time in this hour. */
function onceAnHour(): (what: string) => boolean {
  let hour = 0;
  const told = new Set<string>();
  return (what) => {
    const now = Math.floor(Date.now() / hourMs);
    if (now !== hour) told.clear();
    hour = now;
    if (told.size >= maxNews || told.has(what)) return false;
    told.add(what);
    return true;
  };
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** Errors of Express and its body parser have a `type` or a `status`. Callers don't see their messages. */
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

export const nothingThere = () => new DocentError('not_found', 'There is nothing at this path.');

/** Runs after all routes. */
export const notFound: RequestHandler = () => {
  throw nothingThere();
};
