import type { RequestHandler } from 'express';
import { DocentError } from '../errors.ts';
import type { Endpoint } from './endpoint.ts';

/** Runs after all routes: another method of a known path gets 405 with the list of allowed ones. */
export function createMethodNotAllowed(endpoints: readonly Endpoint[]): RequestHandler {
  const known = [...Map.groupBy(endpoints, ({ path }) => path)].map(([path, own]) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '[.]').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    methods: own.map(({ method }) => method.toUpperCase()),
  }));
  return function methodNotAllowed(request, response, next) {
    const { path, method } = request;
    const allowed = known.flatMap(({ pattern, methods }) => (pattern.test(path) ? methods : []));
    if (allowed.length === 0 || allowed.includes(method)) return next();
    const names = [...new Set(allowed)].toSorted();
    response.set('Allow', [...names, 'OPTIONS'].join(', '));
    throw new DocentError('method_not_allowed', `This path accepts only ${names.join(' and ')}.`);
  };
}

export const nothingThere = () => new DocentError('not_found', 'There is nothing at this path.');

/** Runs after that. */
export const notFound: RequestHandler = () => {
  throw nothingThere();
};
