/**
 * Pages of a project for people. The service document describes an API only, so the addresses are ours.
 * An address contains its permission (platform/tenants/page-links.ts), or a session opens it.
 *   GET   /projects/{projectId}                            jobs, pull requests, and forms for a new job
 *   POST  /projects/{projectId}/jobs                       creates a job
 *   GET   /projects/{projectId}/jobs/{id}                  a job
 *   GET   /projects/{projectId}/jobs/{id}/log              its log as server-sent events
 *   POST  /projects/{projectId}/jobs/{id}/message|retry|cancel
 *   GET   /projects/{projectId}/pulls/{number}             a pull request of a repository on this machine
 *   POST  /projects/{projectId}/pulls/{number}/merge|close|reopen|ready
 *   POST  any of the pages                                 takes an admin key if the address has no permission
 */
import express, {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express';
import { DocentError } from '../../platform/errors.ts';
import { clientGone } from '../../platform/http/request.ts';
import { toDocentError } from '../../platform/http/error-handler.ts';
import { basePathOf, type Config } from '../../platform/config/schema.ts';
import type { Keys } from '../../platform/auth/keys.ts';
import type { Sessions } from '../../platform/people/sessions.ts';
import type { PageShares } from '../../platform/tenants/page-shares.ts';
import type { PageLinks } from '../../platform/tenants/page-links.ts';
import type { Limits } from '../../platform/limits/limits.ts';
import type { Logger } from '../../platform/log.ts';
import {
  knownPage,
  type Opened,
  openedBy,
  protectPage,
  pageOf,
  requirePageAccess,
  sameOrigin,
} from './access.ts';
import { readAssets } from './assets.ts';
import { createJobViews, type ViewDeps } from './job-views.ts';
import { type Page, writePage } from './layout.ts';
import { writeKeyForm, writeProblem } from './problem-page.ts';
import { createProjectViews } from './project-page.ts';
import { createPullViews } from './pull-views.ts';
import { errorTable } from '@docent/shared/errors';

export interface PageRouteDeps extends Omit<ViewDeps, 'by' | 'links'> {
  links: PageLinks;
  sessions: Pick<Sessions, 'find'>;
  shares: Pick<PageShares, 'isValid'>;
  keys: Pick<Keys, 'find'>;
  limits: Pick<Limits, 'concurrency' | 'lookups' | 'perProject'>;
  log: Logger;
  config: Pick<Config, 'server' | 'dashboard'>;
}

export function createPageRoutes(deps: PageRouteDeps): Router {
  const { keys, limits, links, log, projects } = deps;
  const router = Router({ strict: true, caseSensitive: true });
  const basePath = basePathOf(deps.config.server);
  const assets = readAssets(basePath);
  const fields = express.urlencoded({ extended: false, limit: '256kb', parameterLimit: 20 });
  const mayOpen = requirePageAccess(deps);
  const show = (response: Response, content: Page) => {
    const { opened } = response.locals as { opened?: Opened };
    const jobs = opened?.isSignedIn && `${basePath}/dashboard/jobs`;
    response.type('html').send(writePage(content, assets, jobs));
  };

  for (const [path, { type, bytes }] of assets.files) {
    router.get(path, (_request, response) => {
      response.set('Cache-Control', 'public, max-age=31536000, immutable').type(type).send(bytes);
    });
  }

  /** The views as whoever opened the page sees them. */
  const viewsOf = (response: Response) => ({ ...deps, ...openedBy(response) });
  const pulls = (response: Response) => createPullViews(viewsOf(response));
  const jobs = (response: Response) => createJobViews(viewsOf(response));
  const project = (response: Response) => createProjectViews(viewsOf(response));
  const root = '/projects/:projectId';
  router.use('/projects', protectPage);

  /** Redirects the holder of an admin key of the project's organization to the address with the permission. */
  const enter = async (request: Request, response: Response) => {
    const token = (request.body as Record<string, unknown> | undefined)?.['key'];
    const caller =
      typeof token === 'string' ? await keys.find(token.trim(), request.ip) : undefined;
    const wanted = pageOf(request);
    const isTheirs =
      caller?.kind === 'admin' &&
      (!caller.scopes || caller.scopes.includes('write')) &&
      projects.byId(wanted.project)?.organization === caller.organization;
    if (!isTheirs) throw new DocentError('unauthorized', 'This key doesn’t open this page.');
    response.redirect(303, await links.link(wanted));
  };
  const asksForKey = [sameOrigin, limits.lookups.perAddress, fields, enter];

  /** A page, where the holder of an admin key may enter. */
  const page = (path: string, read: (response: Response, said: unknown) => Promise<Page>) =>
    router
      .route(path)
      .get(mayOpen, async (request, response) => {
        show(response, await read(response, request.query['said']));
      })
      .post(asksForKey);
  /** A form. It leads to the address that `act` returns. */
  const form = (
    path: string,
    act: (response: Response, body: unknown) => Promise<string>,
    ...limit: RequestHandler[]
  ) =>
    router.post(path, sameOrigin, mayOpen, ...limit, fields, async (request, response) => {
      response.redirect(303, await act(response, request.body));
    });

  page(root, (response, said) => project(response).show(knownPage<'project'>(response), said));
  form(
    `${root}/jobs`,
    (response, body) => project(response).create(knownPage<'project'>(response), body),
    limits.perProject,
  );

  const job = `${root}/jobs/:id`;
  page(job, (response, said) => jobs(response).show(knownPage<'job'>(response), said));
  router.get(`${job}/log`, mayOpen, (request, response) => {
    const known = knownPage<'job'>(response);
    limits.concurrency.followers(`page ${known.project}`, response);
    const { after } = request.query;
    const lastId = request.get('last-event-id') ?? (typeof after === 'string' ? after : '');
    const gone = clientGone(response);
    return jobs(response).follow(known, { lastId, response, gone });
  });
  for (const name of ['message', 'retry'] as const) {
    form(
      `${job}/${name}`,
      (response, body) => jobs(response)[name](knownPage<'job'>(response), body),
      limits.perProject,
    );
  }
  form(`${job}/cancel`, (response) => jobs(response).cancel(knownPage<'job'>(response)));

  const pull = `${root}/pulls/:number`;
  page(pull, (response, said) => pulls(response).show(knownPage<'pull'>(response), said));
  for (const action of ['merge', 'close', 'reopen', 'ready'] as const) {
    form(`${pull}/${action}`, (response, body) =>
      pulls(response).act(knownPage<'pull'>(response), action, body),
    );
  }

  const onError: ErrorRequestHandler = (error, request, response, next) => {
    if (response.headersSent) return next(error);
    const known = toDocentError(error);
    const { status } = errorTable[known.code];
    if (status >= 500) log.error({ code: known.code, err: known.cause ?? known }, 'page failed');
    if (known.retryAfter !== undefined) response.set('Retry-After', String(known.retryAfter));
    // `request.path` starts below `/projects`.
    const path = `${request.baseUrl}${request.path}`;
    const isForKey =
      known.code === 'unauthorized' && /^\/projects\/[^/]+(\/(jobs|pulls)\/[^/]+)?$/.test(path);
    const body = isForKey
      ? writeKeyForm(basePath + path, request.method === 'POST', `${basePath}/dashboard`)
      : writeProblem(known.message);
    response.status(status);
    show(response, { title: 'Docent', trail: [], body });
  };
  router.use('/projects', onError);
  return router;
}
