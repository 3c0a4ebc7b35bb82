import cors from 'cors';
import type { Request, RequestHandler } from 'express';
import { DocentError } from '../errors.ts';
import type { Site, Sites } from '../tenants/sites.ts';

/** Response headers that scripts of a page may read (decisions, "Every endpoint"). */
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

/** The same for a site that doesn't exist. */
const refused = (origin: string) =>
  new DocentError(
    'forbidden',
    origin === 'null'
      ? 'This page has no origin that a site can allow. Serve it over HTTP, not as a file, and give a sandboxed frame `allow-same-origin`.'
      : `The site doesn't allow the origin ${origin.slice(0, maxOrigin)}. Its owner can add the origin to \`allowedOrigins\` of the site, or correct the domain of the site in the page.`,
  );

/** Of an origin, in messages. */
const maxOrigin = 200;

/**
 * Cross-origin rules for paths with `:domain`. Pages of the origins that the site allows may call it.
 * Others are refused before anything is counted, and may read why: otherwise a browser tells their owner
 * only that the request failed. So the preflight request allows every origin. A request without an `Origin` doesn't come from a page.
 */
export function createSiteCors(sites: Sites, ownOrigin: () => string): RequestHandler {
  // A site that doesn't exist allows no origin, so pages can't find out which sites exist.
  return createCors(
    (request) => sites.all().filter(({ domain }) => domain === request.params['domain']),
    ownOrigin,
  );
}

/**
 * The same for endpoints with the site in the body. It allows the origins of all sites, and
 * `requireOriginOf` decides once the body is read.
 */
export const createAnySiteCors = (sites: Sites): RequestHandler => createCors(() => sites.all());

function createCors(
  sitesOf: (request: Request) => readonly Site[],
  /** The service's own: its dashboard shows the widget. Not the request's host, which an attacker's name could lead to. */
  ownOrigin?: () => string,
): RequestHandler {
  return function siteCors(request, response, next) {
    // Without an origin too: a cache must not give that response to a page.
    response.vary('Origin');
    const origin = request.get('origin');
    if (origin === undefined) return next();
    const isAllowed =
      origin === ownOrigin?.() ||
      sitesOf(request).some((site) => isAllowedOrigin(origin, site.allowedOrigins));
    allow(request, response, (error) => next(error ?? (isAllowed ? undefined : refused(origin))));
  };
}

export function requireOriginOf(site: Site, request: Pick<Request, 'get'>): void {
  const origin = request.get('origin');
  if (origin !== undefined && !isAllowedOrigin(origin, site.allowedOrigins)) throw refused(origin);
}

/**
 * Whether a page's origin is on a site's list: exact, `https://*.example.com` for every subdomain (not
 * the domain itself), or `*`.
 */
export function isAllowedOrigin(origin: string, allowed: readonly string[]): boolean {
  const asked = origin.toLowerCase();
  return allowed.some((pattern) => {
    if (pattern === '*' || pattern === asked) return true;
    const [scheme, host] = pattern.split('://*.');
    return (
      host !== undefined &&
      asked.startsWith(`${scheme}://`) &&
      asked.endsWith(`.${host}`) &&
      /^[a-z0-9.-]+(:\d+)?$/.test(asked.slice(`${scheme}://`.length))
    );
  });
}
