import type { RequestHandler } from 'express';
import { DocentError } from '../errors.ts';
import { endpoints } from './openapi/document.ts';

/** The methods of each path of the API. */
const known = [...Map.groupBy(endpoints, ({ path }) => path)].map(([path, own]) => ({
  pattern: new RegExp(`^${path.replaceAll('.', '[.]').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  methods: own.map(({ method }) => method.toUpperCase()),
}));

/** Runs after all routes: another method of a known path gets 405 with the list of allowed ones. */
export const methodNotAllowed: RequestHandler = (request, response, next) => {
  const { path, method } = request;
  const allowed = known.flatMap(({ pattern, methods }) => (pattern.test(path) ? methods : []));
  if (allowed.length === 0 || allowed.includes(method)) return next();
  const names = [...new Set(allowed)].toSorted();
  response.set('Allow', [...names, 'OPTIONS'].join(', '));
  throw new DocentError('method_not_allowed', `This path accepts only ${names.join(' and ')}.`);
};

/** Runs after that. */
export const notFound: RequestHandler = () => {
  throw new DocentError('not_found', 'There is nothing at this path.');
};
