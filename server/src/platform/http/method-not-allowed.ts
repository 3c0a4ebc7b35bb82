import type { RequestHandler } from 'express';
import { DocentError } from '../errors.ts';

/** Ends a route: any other method gets 405 and hears which ones there are. */
export function methodNotAllowed(...allowed: string[]): RequestHandler {
  return function methodNotAllowed(_request, response) {
    response.set('Allow', [...allowed, 'OPTIONS'].join(', '));
    throw new DocentError('method_not_allowed', `This path takes ${allowed.join(' and ')} only.`);
  };
}

/** What follows all routes. */
export const notFound: RequestHandler = () => {
  throw new DocentError('not_found', 'There is nothing at this path.');
};
