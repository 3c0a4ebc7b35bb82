/** The cookie of the dashboard's sessions, and the protection that requests with a cookie need. */
import type { Request, RequestHandler, Response } from 'express';
import { hourMs } from '../../platform/time.ts';
import type { Config } from '../../platform/config/schema.ts';
import { DocentError } from '../../platform/errors.ts';
import { isLoopback } from '../../platform/network/loopback.ts';
import { requireJson } from '../../platform/http/request.ts';

/** Browsers take `__Host-` only over HTTPS, which a service on one's own machine doesn't have. */
const secureName = '__Host-docent';
const loopbackName = 'docent';

/** The name for this request. Elsewhere than on this machine, a session needs HTTPS. */
function cookieName(request: Request, publicUrl: string | undefined): string | undefined {
  if (request.secure || publicUrl?.startsWith('https:')) return secureName;
  return isLoopback(request.get('host') ?? '') ? loopbackName : undefined;
}

/** The token of the request's session. */
export const sessionToken = (request: Request): string | undefined => readCookie(request);

/** The cookie of a session, or one with another purpose. */
export function readCookie(request: Request, suffix = ''): string | undefined {
  const cookies = new Map(
    (request.get('cookie') ?? '').split(';').map((each) => {
      const [name = '', value = ''] = each.trim().split('=', 2);
      return [name, value];
    }),
  );
  const [secure, plain] = [secureName + suffix, loopbackName + suffix];
  return cookies.get(
    cookies.has(secure) || !isLoopback(request.get('host') ?? '') ? secure : plain,
  );
}

/** Sets the cookie. The server decides when a session ends, so the cookie lasts as long as the longest one. */
export function setSessionCookie(
  request: Request,
  response: Response,
  cookie: {
    token: string;
    publicUrl: string | undefined;
    hours: number;
    /** Of a cookie with another purpose. */
    suffix?: string;
  },
): void {
  const { token, publicUrl, hours, suffix = '' } = cookie;
  const name = cookieName(request, publicUrl);
  if (name === undefined) {
    throw new DocentError(
      'forbidden',
      'Signing in needs HTTPS, except on the machine that runs Docent. Set `server.publicUrl` to the HTTPS address, or open http://localhost.',
    );
  }
  response.cookie(name + suffix, token, { ...attributes(name), maxAge: hours * hourMs });
}

export function clearSessionCookie(response: Response, suffix = ''): void {
  for (const name of [secureName, loopbackName]) {
    response.clearCookie(name + suffix, attributes(name));
  }
}

const attributes = (name: string) => ({
  httpOnly: true,
  secure: name === secureName,
  sameSite: 'lax' as const,
  path: '/',
});

const isSafe = (method: string) => method === 'GET' || method === 'HEAD';

/**
 * Refuses what another site could make a browser send with our cookie: a change that isn't JSON, or that
 * comes from another origin. Browsers state the origin of every such request; a request without it isn't
 * from a page of ours.
 */
export function requireOwnPage(request: Request, publicUrl: string | undefined): void {
  if (isSafe(request.method)) return;
  const site = request.get('sec-fetch-site');
  const origin = request.get('origin');
  const isOwn =
    origin === undefined
      ? site === 'same-origin'
      : (site === undefined || site === 'same-origin') && isOwnOrigin(origin, request, publicUrl);
  if (!isOwn) throw new DocentError('forbidden', 'Another site sent this request.');
  const hasBody = request.method !== 'DELETE' || request.get('content-length') !== undefined;
  if (hasBody) requireJson(request, { isOptional: false });
}

/** For endpoints that anybody may ask, from our own pages. */
export const ownPage = ({ config }: { config: Pick<Config, 'dashboard'> }): RequestHandler[] => [
  function ownPage(request, _response, next) {
    requireOwnPage(request, config.dashboard.publicUrl);
    next();
  },
];

function isOwnOrigin(origin: string, request: Request, publicUrl: string | undefined): boolean {
  if (!URL.canParse(origin)) return false;
  const { host, origin: given, protocol } = new URL(origin);
  // Without HTTPS, somebody on the way could have written the page.
  if (host === request.get('host') && (protocol === 'https:' || isLoopback(host))) return true;
  return publicUrl !== undefined && given === new URL(publicUrl).origin;
}
