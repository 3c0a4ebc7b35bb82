/**
 * Pages of a project for people. The service document describes an API only, so the addresses are ours.
 * A session opens them, and a shared link (agent/shares/page-shares.ts) one of a job or a pull request.
 *   GET   /projects/{projectId}                            jobs, pull requests, and forms for a new job
 *   POST  /projects/{projectId}/jobs                       creates a job
 *   GET   /projects/{projectId}/jobs/{id}                  a job
 *   GET   /projects/{projectId}/jobs/{id}/log              its log as server-sent events
 *   POST  /projects/{projectId}/jobs/{id}/message|retry|cancel
 *   GET   /projects/{projectId}/pulls/{number}             a pull request of a repository on this machine
 *   POST  /projects/{projectId}/pulls/{number}/merge|close|reopen|ready
 */
import express, {
  type ErrorRequestHandler,
  type RequestHandler,
  type Response,
  Router,
} from 'express';
import { hasDashboard } from '../../platform/http/dashboard-gate.ts';
import { clientGone } from '../../platform/http/request.ts';
import { toDocentError } from '../../platform/http/error-handler.ts';
import { basePathOf, type Config } from '../../platform/config/schema.ts';
import type { Sessions } from '../../accounts/people/sessions.ts';
import { type PageOf, pagePath } from '../shares/page-links.ts';
import { type PageShares, shareParameter } from '../shares/page-shares.ts';
import type { Limits } from '../../platform/limits/limits.ts';
import type { Logger } from '../../platform/log.ts';
import {
  protectPage,
  requirePageAccess,
  sameOrigin,
  type SignedIn,
  type Visit,
  visitOf,
} from './access.ts';
import { readAssets } from './assets.ts';
import { createJobViews, type ViewDeps } from './job-views.ts';
import { type Page, writePage } from './layout.ts';
import { writeProblem, writeSignIn } from './problem-page.ts';
import { fillMarkdown } from './markdown.ts';
import { createProjectViews } from './project-page.ts';
import { createPullViews } from './pull-views.ts';
import { errorTable } from '@docent/shared/errors';

export interface PageRouteDeps extends Omit<ViewDeps, 'linkTo'> {
  sessions: Pick<Sessions, 'find'>;
  shares: Pick<PageShares, 'isValid'>;
  limits: Pick<Limits, 'concurrency' | 'perProject'>;
  log: Logger;
  config: Pick<Config, 'server' | 'dashboard'>;
  state: { dashboardPort: number | undefined };
}

type Kind = PageOf['kind'];

export function createPageRoutes(deps: PageRouteDeps): Router {
  const { limits, log } = deps;
  const router = Router({ strict: true, caseSensitive: true });
  const basePath = basePathOf(deps.config.server);
  const assets = readAssets(basePath);
  const fields = express.urlencoded({ extended: false, limit: '256kb', parameterLimit: 20 });
  const mayOpen = requirePageAccess(deps);
  const show = async (response: Response, content: Page) => {
    const visit = visitOf(response) as Visit | undefined;
    const jobs = visit?.by && `${basePath}/dashboard/jobs`;
    response.type('html').send(await fillMarkdown(writePage(content, assets, jobs)));
  };

  for (const [path, { type, bytes }] of assets.files) {
    router.get(path, (_request, response) => {
      response.set('Cache-Control', 'public, max-age=31536000, immutable').type(type).send(bytes);
    });
  }

  const views = { ...deps, linkTo: (page: PageOf) => basePath + pagePath(page) };
  const projects = createProjectViews(views);
  const jobs = createJobViews(views);
  const pulls = createPullViews(views);
  router.use('/projects', protectPage);

  const page = <Of extends Kind>(
    path: string,
    read: (visit: Visit<Of>, said: unknown) => Promise<Page>,
  ) =>
    router.get(path, mayOpen, async (request, response) => {
      await show(response, await read(visitOf<Of>(response), request.query['said']));
    });
  /** A form. It leads to the address that `act` returns. Only a session may send it. */
  const form = <Of extends Kind>(
    path: string,
    act: (visit: SignedIn<Of>, body: unknown) => Promise<string>,
    ...limit: RequestHandler[]
  ) =>
    router.post(path, sameOrigin, mayOpen, ...limit, fields, async (request, response) => {
      response.redirect(303, await act(visitOf<Of>(response) as SignedIn<Of>, request.body));
    });

  const root = '/projects/:projectId';
  page<'project'>(root, (visit, said) => projects.show(visit, said));
  form<'project'>(`${root}/jobs`, (visit, body) => projects.create(visit, body), limits.perProject);

  const job = `${root}/jobs/:id`;
  page<'job'>(job, (visit, said) => jobs.show(visit, said));
  router.get(`${job}/log`, mayOpen, (request, response) => {
    const visit = visitOf<'job'>(response);
    limits.concurrency.followers(`page ${visit.page.project}`, response);
    const { after } = request.query;
    const lastId = request.get('last-event-id') ?? (typeof after === 'string' ? after : '');
    const gone = clientGone(response);
    return jobs.follow(visit, { lastId, response, gone });
  });
  for (const name of ['message', 'retry'] as const) {
    form<'job'>(`${job}/${name}`, (visit, body) => jobs[name](visit, body), limits.perProject);
  }
  form<'job'>(`${job}/cancel`, (visit) => jobs.cancel(visit));

  const pull = `${root}/pulls/:number`;
  page<'pull'>(pull, (visit, said) => pulls.show(visit, said));
  for (const action of ['merge', 'close', 'reopen', 'ready'] as const) {
    form<'pull'>(`${pull}/${action}`, (visit, body) => pulls.act(visit, action, body));
  }

  const onError: ErrorRequestHandler = (error, request, response, next) => {
    if (response.headersSent) return next(error);
    const known = toDocentError(error);
    const { status } = errorTable[known.code];
    if (status >= 500) log.error({ code: known.code, err: known.cause ?? known }, 'page failed');
    if (known.retryAfter !== undefined) response.set('Retry-After', String(known.retryAfter));
    response.status(status);
    const { signedInTo } = response.locals as { signedInTo?: string };
    const body =
      known.code === 'unauthorized'
        ? writeSignIn({
            dashboard: hasDashboard(deps, request) ? `${basePath}/dashboard` : undefined,
            // The page of a form. `request.path` starts below `/projects`.
            page: /^\/[^/]+(\/(jobs|pulls)\/[^/]+)?/.exec(request.path)?.[0] ?? '',
            organization: signedInTo,
            hasToken: request.query[shareParameter] !== undefined,
          })
        : writeProblem(known.message);
    // Without a text of others in it, so it doesn't wait for a worker.
    void show(response, { title: 'Docent', trail: [], body });
  };
  router.use('/projects', onError);
  return router;
}
