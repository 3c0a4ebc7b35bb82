/**
 * The files of the dashboard:
 *
 *   /                     redirects to it
 *   /dashboard            and every page below it: the same HTML; before the first account, a redirect
 *                         to /dashboard/setup, which leads on to the page
 *   /dashboard/assets/…   scripts, styles, and fonts; their names contain a hash
 *   /projects/…           a page by a shared link, which needs no account; or a redirect to the dashboard
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RequestHandler, Router, type Request } from 'express';
import { shareParameter } from '@docent/shared/share-header';
import { DocentError } from '../errors.ts';
import { sendBuilt } from './widget-files.ts';
import type { Config } from '../config/schema.ts';
import { nothingThere } from './error-handler.ts';

/** In a checkout a package beside this one, in the published package a folder: `package.json` says which. */
const builtFolder = fileURLToPath(new URL('.', import.meta.resolve('#dashboard/index.html')));

const types: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

interface DashboardFilesDeps extends GateDeps {
  folder?: string;
  /** Whether the first account has yet to be made. */
  needsSetup: () => Promise<boolean>;
}

/** The dashboard's HTML, with the address of the folder of its files, which ends with a slash. */
export async function readDashboardPage(assets: string, folder = builtFolder): Promise<string> {
  const html = await readFile(join(folder, 'index.html'), 'utf8').catch((error: unknown) => {
    const missing = 'The dashboard isn’t built. Run "pnpm build", and reload this page.';
    throw new DocentError('unavailable', missing, { cause: error });
  });
  return html.replaceAll('"./assets/', `"${assets}`);
}

export function createDashboardFiles(deps: DashboardFilesDeps): Router {
  const { folder = builtFolder, needsSetup } = deps;

  const sendPage: RequestHandler = async function sendPage(request, response) {
    response.set(pageHeaders('same-origin'));
    if (request.path !== '/dashboard/setup' && (await needsSetup())) {
      const next = new URLSearchParams({ next: request.originalUrl.slice(request.baseUrl.length) });
      return response.redirect(302, `${toRoot(request.path)}setup?${next.toString()}`);
    }
    response.type('html').send(await readDashboardPage(`${toRoot(request.path)}assets/`, folder));
  };

  const sendShared: RequestHandler = async function sendShared(request, response) {
    const isSharedLink = request.query[shareParameter] !== undefined;
    const depth = request.path.split('/').length - 2;
    if (!isSharedLink && hasDashboard(deps, request)) {
      return response.redirect(302, `${'../'.repeat(depth)}dashboard${request.path}`);
    }
    // No referrer leaks the token.
    response.set(pageHeaders('no-referrer'));
    const assets = `./${'../'.repeat(depth)}dashboard/assets/`;
    response.type('html').send(await readDashboardPage(assets, folder));
  };

  const sendAsset: RequestHandler<{ name: string }> = async function sendAsset(request, response) {
    const { name } = request.params;
    const type = types[/^[\w.-]+\.(\w+)$/.exec(name)?.[1] ?? ''];
    const missing = () => new DocentError('not_found', 'There is no such file.');
    if (!type) throw missing();
    await sendBuilt(request, response, join(folder, 'assets', name), {
      'Content-Type': type,
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Cross-Origin-Resource-Policy': 'same-origin',
    }).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? missing() : error;
    });
  };

  const router = Router();
  // A proxy may serve all of this below a path, so no address begins with a slash.
  router.get('/', (_request, response) => response.redirect(302, 'dashboard'));
  router.get('/dashboard/assets/:name', sendAsset);
  router.get(['/dashboard', '/dashboard/*page'], sendPage);
  router.get('/projects/*page', sendShared);
  return router;
}

/**
 * The headers of our own pages: only our files load, no site can frame a page, and nothing of a page stays
 * in a cache.
 */
const pageHeaders = (referrer: 'no-referrer' | 'same-origin'): Record<string, string> => ({
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': referrer,
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex, nofollow',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
});

/** From a page to the folder of the dashboard: `../` for `/dashboard/jobs/job_1`. */
function toRoot(path: string): string {
  const depth = path.split('/').length - 3;
  return depth < 0 ? './dashboard/' : './' + '../'.repeat(depth);
}

/**
 * The dashboard's pages, and what signs people in. The rest needs a key, or a session that this gives; shared
 * links need the dashboard's files.
 */
const isOfPeople = /^\/($|(dashboard(?!\/assets\/)|v1\/(session|setup|invitation))(\/|$))/i;

interface GateDeps {
  config: { dashboard: Pick<Config['dashboard'], 'enabled'> };
  state: { dashboardPort: number | undefined };
}

/** Whether the dashboard is there for a request, and sessions count. */
function hasDashboard({ config, state }: GateDeps, request: Request): boolean {
  const { dashboardPort } = state;
  const isItsPort = dashboardPort === undefined || request.socket.localPort === dashboardPort;
  return config.dashboard.enabled && isItsPort;
}

/**
 * Closes the dashboard where it's switched off, and on the public port if it has a port of its own. There,
 * no session counts: the cookie is taken from the request.
 */
export function createDashboardGate(deps: GateDeps): RequestHandler {
  return function dashboardGate(request, _response, next) {
    if (!hasDashboard(deps, request)) {
      if (isOfPeople.test(request.path)) {
        throw nothingThere();
      }
      delete request.headers.cookie;
    }
    next();
  };
}
