import type { RequestHandler } from 'express';
import { DocentError } from '../errors.ts';

/** Ends a route: other methods get 405 with the list of allowed ones. */
export function methodNotAllowed(...allowed: string[]): RequestHandler {
  return function methodNotAllowed(_request, response) {
    response.set('Allow', [...allowed, 'OPTIONS'].join(', '));
    throw new DocentError('method_not_allowed', `This path accepts only ${allowed.join(' and ')}.`);
  };
}

/** Runs after all routes. */
export const notFound: RequestHandler = () => {
  throw new DocentError('not_found', 'There is nothing at this path.');
};
