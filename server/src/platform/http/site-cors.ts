import cors from 'cors';
import type { Request, RequestHandler } from 'express';
import { DocentError } from '../errors.ts';
import { isAllowedOrigin } from '../tenants/origins.ts';
import type { Site, Sites } from '../tenants/sites.ts';

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

const allow = cors({
  origin: true,
  methods: ['GET', 'POST', 'DELETE'],
  exposedHeaders,
  maxAge: 600,
});

const refused = () =>
  new DocentError('forbidden', 'This site does not allow questions from pages of this origin.');

/**
 * Cross-origin rules of a site's endpoints, for paths with `:domain`: pages of the origins that the
 * site allows may ask, others are refused before anything is counted. A request without an `Origin`
 * does not come from a page.
 */
export function createSiteCors(sites: Sites): RequestHandler {
  return function siteCors(request, response, next) {
    // Also where no origin was sent: a cache must not give that answer to a page.
    response.vary('Origin');
    const origin = request.get('origin');
    const domain = request.params['domain'];
    const site = typeof domain === 'string' ? sites.find(domain) : undefined;
    if (origin === undefined) return next();
    // A site that does not exist allows no origin: pages cannot find out which ones there are.
    if (site && isAllowedOrigin(origin, site.allowedOrigins)) return allow(request, response, next);
    throw refused();
  };
}

/**
 * The same for endpoints whose site stands in the body: a browser asks before it sends one, so it may
 * ask from where any site allows it, and `requireOriginOf` decides.
 */
export function createAnySiteCors(sites: Sites): RequestHandler {
  return function anySiteCors(request, response, next) {
    response.vary('Origin');
    const origin = request.get('origin');
    if (origin === undefined) return next();
    const isAnywhere = sites.all.some((site) => isAllowedOrigin(origin, site.allowedOrigins));
    if (isAnywhere) return allow(request, response, next);
    throw refused();
  };
}

export function requireOriginOf(site: Site, request: Pick<Request, 'get'>): void {
  const origin = request.get('origin');
  if (origin !== undefined && !isAllowedOrigin(origin, site.allowedOrigins)) throw refused();
}
