import type { Request, RequestHandler, Response } from 'express';
import { rateLimit, type Store } from 'express-rate-limit';
import { DocentError } from '../errors.ts';

/** express-rate-limit, over our counters and with our errors. */
export function createLimiter(options: {
  store: Store;
  limit: number;
  windowMs: number;
  /** A request without a subject isn't counted. */
  subject: (request: Request, response: Response) => string | undefined;
  message: string;
  onRefused?: (response: Response) => Promise<void>;
}): RequestHandler {
  const { subject } = options;
  return rateLimit({
    store: options.store,
    limit: options.limit,
    windowMs: options.windowMs,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    identifier: options.store.prefix ?? 'limit',
    skip: (request, response) => subject(request, response) === undefined,
    keyGenerator: (request, response) => subject(request, response) ?? '',
    // `trust proxy` is our setting, checked at start; a stray X-Forwarded-For is no mistake of ours.
    validate: { xForwardedForHeader: false, forwardedHeader: false, keyGeneratorIpFallback: false },
    handler: async (_request, response, next) => {
      await options.onRefused?.(response);
      const retryAfter = Number(response.getHeader('Retry-After'));
      next(new DocentError('rate_limited', options.message, { retryAfter }));
    },
  });
}
