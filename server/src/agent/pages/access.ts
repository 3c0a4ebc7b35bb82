/** Access to a page: by the permission in its address, or by a session of somebody in the project's organization. */
import type { Request, RequestHandler, Response } from 'express';
import { isAtLeast } from '@docent/shared/people';
import { type Actor, callerActor } from '../../platform/audit/audit.ts';
import type { Config } from '../../platform/config/schema.ts';
import { DocentError } from '../../platform/errors.ts';
import { pageHeaders } from '../../platform/http/page-headers.ts';
import { sessionToken } from '../../platform/http/session-cookie.ts';
import type { Sessions } from '../../platform/people/sessions.ts';
import type { PageShares } from '../../platform/tenants/page-shares.ts';
import type { Projects } from '../../platform/tenants/projects.ts';
import type { AddressesOfPages, PageLinks, PageOf } from '../../platform/tenants/page-links.ts';
import { pageKeyName } from '../../platform/tenants/page-links.ts';

/** No referrer leaks an address. */
export const protectPage: RequestHandler = function protectPage(_request, response, next) {
  response.set(pageHeaders({ referrer: 'no-referrer' }));
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

interface AccessDeps {
  links: PageLinks;
  projects: Pick<Projects, 'byId'>;
  sessions: Pick<Sessions, 'find'>;
  shares: Pick<PageShares, 'isValid'>;
  config: Pick<Config, 'dashboard'>;
}

/**
 * Requires the key in the page's address, or a session: a viewer may read, and an editor may act. The
 * refusal doesn't tell whether the page exists.
 */
export function requirePageAccess(deps: AccessDeps): RequestHandler {
  const { links, projects, sessions, shares, config } = deps;
  return async function requirePageAccess(request, response, next) {
    const page = pageOf(request);
    const opened = (await links.isValid(page, request.query[pageKeyName]))
      ? { by: { kind: 'page' as const }, links }
      : ((await openWithSession(request, page)) ?? (await openShared(request, page)));
    if (!opened) throw new DocentError('unauthorized', 'This address is incomplete.');
    Object.assign(response.locals, { page, opened });
    next();
  };

  async function openWithSession(request: Request, page: PageOf): Promise<Opened | undefined> {
    const token = sessionToken(request);
    const session = token === undefined ? undefined : await sessions.find(token);
    if (!session || session.needsCode) return undefined;
    const { person, organization, role } = session;
    if (config.dashboard.requireSecondFactor && person.second_factor === null) return undefined;
    if (projects.byId(page.project)?.organization !== organization) return undefined;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      // Our pages send no referrer, so a form's `Origin` is `null`, and only this says where it comes from.
      if (request.get('sec-fetch-site') !== 'same-origin') {
        throw new DocentError('forbidden', 'Another site sent this form.');
      }
      if (!isAtLeast(role, 'editor')) {
        throw new DocentError('forbidden', `This needs the role editor, and yours is ${role}.`);
      }
    }
    return { by: callerActor(person.id), links: links.forSession(), isSignedIn: true };
  }

  /** A shared link only reads, and keeps its token on the page's own addresses. */
  async function openShared(request: Request, page: PageOf): Promise<Opened | undefined> {
    if (page.kind === 'project' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      return undefined;
    }
    const id = page.kind === 'job' ? page.job : String(page.number);
    const token = request.query[pageKeyName];
    if (typeof token !== 'string') return undefined;
    const shared = { project: page.project, page: page.kind, id };
    if (!(await shares.isValid(shared, token))) return undefined;
    const isOwn = (other: PageOf) => JSON.stringify(other) === JSON.stringify(page);
    const plain = links.forSession();
    const suffix = `?${pageKeyName}=${token}`;
    return {
      by: { kind: 'page' },
      links: {
        link: async (other) => (await plain.link(other)) + (isOwn(other) ? suffix : ''),
        actions: async (other) => {
          const action = await plain.actions(other);
          return (name) => action(name) + suffix;
        },
      },
    };
  }
}

/** Who opened a page, and how the page addresses others for them. */
export interface Opened {
  by: Actor;
  links: AddressesOfPages;
  /** Such a person can open the project and the dashboard, too. */
  isSignedIn?: true;
}

export const openedBy = (response: Response): Opened => response.locals['opened'] as Opened;

export function knownPage<Kind extends PageOf['kind']>(
  response: Response,
): Extract<PageOf, { kind: Kind }> {
  return response.locals['page'] as Extract<PageOf, { kind: Kind }>;
}
