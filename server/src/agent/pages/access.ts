/** Access to a page: by a session of somebody in the project's organization, or to read by a shared link. */
import type { Request, RequestHandler, Response } from 'express';
import { isAtLeast } from '@docent/shared/people';
import type { Config } from '../../platform/config/schema.ts';
import { DocentError } from '../../platform/errors.ts';
import { pageHeaders } from '../../platform/http/page-headers.ts';
import { sessionToken } from '../../accounts/people/session-cookie.ts';
import type { Sessions } from '../../accounts/people/sessions.ts';
import type { PageOf } from '../shares/page-links.ts';
import { type PageShares, shareParameter } from '../shares/page-shares.ts';
import type { Projects } from '../../platform/tenants/projects.ts';
import { type Actor, type Session, callerActor } from '../../platform/auth/caller.ts';

/** No referrer leaks a shared link. */
export const protectPage: RequestHandler = function protectPage(_request, response, next) {
  response.set(pageHeaders({ referrer: 'no-referrer' }));
  next();
};

/**
 * Refuses forms that another site sends. Our pages send no referrer, so the `Origin` of their forms is
 * `null`, and only this header says where a form comes from.
 */
export const sameOrigin: RequestHandler = function sameOrigin(request, _response, next) {
  if (request.get('sec-fetch-site') !== 'same-origin') {
    throw new DocentError('forbidden', 'Another site sent this form.');
  }
  next();
};

/** A page, and who may see it. */
export interface Visit<Kind extends PageOf['kind'] = PageOf['kind']> {
  page: Extract<PageOf, { kind: Kind }>;
  /** Who is signed in. `undefined`: somebody with a shared link, who only reads. */
  by: Actor | undefined;
  /** Whether the page offers its forms: a viewer and a shared link only read. */
  mayAct: boolean;
}

export type SignedIn<Kind extends PageOf['kind']> = Visit<Kind> & { by: Actor };

export const visitOf = <Kind extends PageOf['kind']>(response: Response) =>
  response.locals['visit'] as Visit<Kind>;

/** The page of a path. A number that isn't one matches no page. */
function pageOf(request: Request): PageOf {
  const { projectId: project = '', id, number } = request.params as Record<string, string>;
  if (id !== undefined) return { kind: 'job', project, job: id };
  if (number !== undefined) return { kind: 'pull', project, number: Number(number) };
  return { kind: 'project', project };
}

interface AccessDeps {
  projects: Pick<Projects, 'byId'>;
  sessions: Pick<Sessions, 'find'>;
  shares: Pick<PageShares, 'isValid'>;
  config: Pick<Config, 'dashboard'>;
}

/**
 * Requires a session, with which a viewer may read and an editor may act, or a shared link, which only
 * reads. The refusal doesn't tell whether the page exists.
 */
export function requirePageAccess(deps: AccessDeps): RequestHandler {
  const { projects, sessions, shares, config } = deps;
  return async function requirePageAccess(request, response, next) {
    const page = pageOf(request);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const session = await findSession(request);
    const isTheirs = session && projects.byId(page.project)?.organization === session.organization;
    const mayAct = isTheirs === true && isAtLeast(session.role, 'editor');
    if (isTheirs && !isRead && !mayAct) {
      const { role } = session;
      throw new DocentError('forbidden', `This needs the role editor, and yours is ${role}.`);
    }
    if (!isTheirs && !(isRead && (await isShared(page, request.query[shareParameter])))) {
      response.locals['signedInTo'] = session?.organization;
      throw new DocentError('unauthorized', 'Sign in to open this page.');
    }
    const by = isTheirs ? callerActor(session.person.id) : undefined;
    response.locals['visit'] = { page, by, mayAct } satisfies Visit;
    next();
  };

  async function findSession(request: Request): Promise<Session | undefined> {
    const token = sessionToken(request);
    const session = token === undefined ? undefined : await sessions.find(token);
    if (!session || session.needsCode) return undefined;
    const { requireSecondFactor } = config.dashboard;
    return requireSecondFactor && session.person.second_factor === null ? undefined : session;
  }

  async function isShared(page: PageOf, token: unknown): Promise<boolean> {
    if (page.kind === 'project' || typeof token !== 'string') return false;
    const id = page.kind === 'job' ? page.job : String(page.number);
    return shares.isValid({ project: page.project, page: page.kind, id }, token);
  }
}
