/**
 * Single sign-on, for browsers.
 *   GET  /dashboard/sign-in/openid            goes to the identity provider
 *   GET  /dashboard/sign-in/openid/callback   comes back from it, and signs in
 * Failures lead to the sign-in page, which says what to do.
 */
import { type Response, Router } from 'express';
import { DocentError } from '../../platform/errors.ts';
import { clearSessionCookie, readCookie, setSessionCookie } from './session-cookie.ts';
import type { Limits } from '../../platform/limits/limits.ts';
import type { Logger } from '../../platform/log.ts';
import { createOpenId, type OpenIdDeps, OpenIdError, OpenIdFlow } from './open-id.ts';
import type { SignIn, SignInDeps } from './sign-in.ts';

const suffix = '-openid';
/** How long somebody may take at the identity provider. */
const flowHours = 0.5;

export function createOpenIdRoutes(
  deps: OpenIdDeps & SignInDeps & { limits: Pick<Limits, 'lookups'>; signIn: SignIn; log: Logger },
): Router {
  const { config, limits, log } = deps;
  const { signIn, needsSetup } = deps.signIn;
  const { openId: settings } = config.dashboard;
  const router = Router({ strict: true, caseSensitive: true });
  if (!settings) return router;
  const openId = createOpenId(deps, settings);
  const { publicUrl } = config.dashboard;
  const { perAddress } = limits.lookups;

  router.get('/dashboard/sign-in/openid', perAddress, async (request, response) => {
    // Relative, because a proxy may serve all of this below a path.
    if (await needsSetup()) return go(response, '../setup');
    try {
      const { next } = request.query;
      const { url, flow } = await openId.begin(typeof next === 'string' ? next : '');
      const token = Buffer.from(JSON.stringify(flow)).toString('base64url');
      setSessionCookie(request, response, { token, publicUrl, hours: flowHours, suffix });
      go(response, url.href);
    } catch (error) {
      fail(response, '../../dashboard', error);
    }
  });

  router.get('/dashboard/sign-in/openid/callback', perAddress, async (request, response) => {
    try {
      if (await needsSetup()) throw new OpenIdError('rejected', 'There is no account yet.');
      const flow = readFlow(readCookie(request, suffix));
      clearSessionCookie(response, suffix);
      const query = request.originalUrl.split('?')[1] ?? '';
      const person = await openId.finish(query, flow);
      await signIn(request, response, person);
      go(response, `../../..${pageOf(flow.next)}`);
    } catch (error) {
      fail(response, '../../../dashboard', error);
    }
  });

  return router;

  function fail(response: Response, page: string, error: unknown): void {
    const isForbidden = error instanceof DocentError && error.code === 'forbidden';
    if (!(error instanceof OpenIdError) && !isForbidden) throw error;
    const failure = error instanceof OpenIdError ? error.failure : 'no-account';
    log.warn({ failure, why: reasonOf(error) }, error.message);
    go(response, `${page}?failure=${failure}`);
  }
}

/** "connect ECONNREFUSED …" is at the end of a chain that begins with "fetch failed". */
function reasonOf({ cause }: Error): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  return reasonOf(cause) ?? cause.message;
}

function go(response: Response, url: string): void {
  response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
  response.redirect(303, url);
}

/** A page of the dashboard, and never another site. */
const pageOf = (next: string): string =>
  /^\/dashboard(\/[\w-][\w.-]*)*(\?[\w=&%.+-]*)?$/.test(next) ? next : '/dashboard';

function readFlow(cookie = ''): OpenIdFlow {
  try {
    return OpenIdFlow.parse(JSON.parse(Buffer.from(cookie, 'base64url').toString()));
  } catch (cause) {
    throw new OpenIdError('rejected', 'The browser began no sign-in, or too long ago.', cause);
  }
}
