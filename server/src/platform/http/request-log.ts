import type { RequestHandler, Response } from 'express';
import type { NewId } from '../ids.ts';
import type { Logger } from '../log.ts';

/** A caller's own well-formed id is kept, so that you can join the logs of both sides. */
const wellFormed = /^[A-Za-z0-9._-]{8,128}$/;

/** Gives each request an id, and logs one line when it ends, without query, body, address and key. */
export function createRequestLog(log: Logger, newId: NewId): RequestHandler {
  return function requestLog(request, response, next) {
    const given = request.get('x-request-id');
    const requestId = given !== undefined && wellFormed.test(given) ? given : newId();
    response.locals['requestId'] = requestId;
    response.set('X-Request-Id', requestId);
    const started = performance.now();
    const path = request.path;
    response.once('close', () => {
      log.info(
        {
          requestId,
          method: request.method,
          path,
          status: response.statusCode,
          ms: Math.round(performance.now() - started),
          ...(!response.writableFinished && { aborted: true }),
        },
        'request',
      );
    });
    next();
  };
}

export function requestIdOf(response: Response): string {
  return response.locals['requestId'] as string;
}
