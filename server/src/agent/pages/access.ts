/** Access to a page: its address contains the permission. There are no accounts and no cookies. */
import type { Request, RequestHandler, Response } from 'express';
import { DocentError } from '../../platform/errors.ts';
import type { PageLinks, PageOf } from '../../platform/tenants/page-links.ts';
import { pageKeyName } from '../../platform/tenants/page-links.ts';

/** Only our own script and style load, no site can frame a page, and no referrer leaks an address. */
export const pageHeaders: RequestHandler = function pageHeaders(_request, response, next) {
  response.set({
    'Content-Security-Policy':
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
    'X-Frame-Options': 'DENY',
    'X-Robots-Tag': 'noindex, nofollow',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  });
  next();
};

/**
 * Refuses forms that another site sends. The address is a secret already, so this is a second defense.
 * Without a referrer, browsers send the origin `null`. In this case `Sec-Fetch-Site` decides.
 */
export const sameOrigin: RequestHandler = function sameOrigin(request, _response, next) {
  const site = request.get('sec-fetch-site');
  const origin = request.get('origin');
  const isOther =
    (site !== undefined && site !== 'same-origin') ||
    (origin !== undefined && origin !== 'null' && hostOf(origin) !== request.get('host'));
  if (isOther) throw new DocentError('forbidden', 'Another site sent this form.');
  next();
};

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

/** The page of a path. A number that isn't one matches no page. */
export function pageOf(request: Request): PageOf {
  const { projectId: project = '', id, number } = request.params as Record<string, string>;
  if (id !== undefined) return { kind: 'job', project, job: id };
  if (number !== undefined) return { kind: 'pull', project, number: Number(number) };
  return { kind: 'project', project };
}

/** Requires the page's key. The refusal doesn't tell whether the page exists. */
export function requirePageKey(links: PageLinks): RequestHandler {
  return async function requirePageKey(request, response, next) {
    const page = pageOf(request);
    if (!(await links.isValid(page, request.query[pageKeyName]))) {
      throw new DocentError('unauthorized', 'This address is incomplete.');
    }
    response.locals['page'] = page;
    next();
  };
}

export function knownPage<Kind extends PageOf['kind']>(
  response: Response,
): Extract<PageOf, { kind: Kind }> {
  return response.locals['page'] as Extract<PageOf, { kind: Kind }>;
}
