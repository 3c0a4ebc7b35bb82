import { deprecation } from '@docent/shared/promises';
import type { Request, Response } from 'express';

/**
 * Says on every response of an endpoint of version 1 since when it's deprecated (RFC 9745), when it may go
 * (RFC 8594), and what comes after it (RFC 5829): the same path of version 2.
 */
export function deprecated(request: Request, response: Response, next: () => void): void {
  const since = Date.parse(deprecation.since) / 1_000;
  const successor = request.path.replace('/v1/', '/v2/').replace(/[<>"]/g, encodeURIComponent);
  response.set('Deprecation', `@${since}`);
  response.set('Sunset', new Date(deprecation.sunset).toUTCString());
  response.append('Link', `<${successor}>; rel="successor-version"`);
  next();
}
