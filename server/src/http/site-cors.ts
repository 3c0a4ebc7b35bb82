import cors from 'cors';
import type { Request, RequestHandler } from 'express';
import { DocentError } from '../errors.ts';
import { isAllowedOrigin } from '../sites/origins.ts';
import type { Sites } from '../sites/sites.ts';

/** What a page's script may read of an answer (decisions, "Every endpoint"). */
const exposedHeaders = [
  'X-Thread-Id',
  'X-Session-Id',
  'X-Branch-Name',
  'X-Request-Id',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
];

/**
 * Cross-origin rules of a site's endpoints, for paths with `:domain`: pages of the origins that the
 * site allows may ask, others are refused before anything is counted. A request without an `Origin`
 * does not come from a page.
 */
export function createSiteCors(sites: Sites): RequestHandler[] {
  const isAllowed = (request: Request) => {
    const origin = request.get('origin');
    const domain = request.params['domain'];
    const site = typeof domain === 'string' ? sites.find(domain) : undefined;
    return {
      origin,
      site,
      allowed:
        origin !== undefined && site !== undefined && isAllowedOrigin(origin, site.allowedOrigins),
    };
  };

  return [
    cors<Request>((request, decide) => {
      decide(null, {
        origin: isAllowed(request).allowed,
        methods: ['GET', 'POST'],
        exposedHeaders,
        maxAge: 600,
      });
    }),
    function refuseForeignPages(request, response, next) {
      // Also where no origin was sent: a cache must not give that answer to a page.
      response.vary('Origin');
      const { origin, site, allowed } = isAllowed(request);
      if (origin !== undefined && site && !allowed) {
        throw new DocentError(
          'forbidden',
          'This site does not allow questions from pages of this origin.',
        );
      }
      next();
    },
  ];
}
