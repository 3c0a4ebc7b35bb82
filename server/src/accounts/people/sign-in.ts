/** What every way of signing in has in common: the session, its cookie, and what the dashboard learns of it. */
import own from '@docent/server/package.json' with { type: 'json' };
import type { Role, SessionReply } from '@docent/shared/people';
import type { Request, Response, RequestHandler } from 'express';
import type { Config } from '../../platform/config/schema.ts';
import { DocentError } from '../../platform/errors.ts';
import type { Database, Tables } from '../../platform/store/database.ts';
import type { People } from './people.ts';
import type { Browser, Sessions } from './sessions.ts';
import { type Session, callerActor } from '../../platform/auth/caller.ts';
import { hourMs } from '../../platform/time.ts';
import { isLoopback } from '../../platform/network/addresses.ts';
import { requireJson } from '../../platform/http/request.ts';

export interface SignInDeps {
  config: Pick<Config, 'dashboard' | 'email'>;
  database: Database;
  people: People;
  sessions: Sessions;
  /** The endpoints that a role may use. */
  permittedTo: (role: Role) => string[];
}

export type SignIn = ReturnType<typeof createSignIn>;

export function createSignIn({ config, database, people, sessions, permittedTo }: SignInDeps) {
  const { publicUrl } = config.dashboard;
  const { passwords, openId, requireSecondFactor, sessionHours } = config.dashboard;

  return { needsSetup, currentOf, start, signIn, renew, setCookie, show };

  /** Where passwords are switched off, the first one comes from the identity provider or the command line. */
  async function needsSetup(): Promise<boolean> {
    return passwords && !(await people.exist());
  }

  async function currentOf(request: Request): Promise<Session | undefined> {
    const token = sessionToken(request);
    return token === undefined ? undefined : sessions.find(token);
  }

  /** Starts a session in the person's first organization. Without the second factor, it opens nothing yet. */
  async function start(
    transaction: Database,
    request: Request,
    person: Tables['people'],
    { hasCode = false }: { hasCode?: boolean } = {},
  ): Promise<string> {
    const [first] = await transaction
      .selectFrom('memberships')
      .select('organization')
      .where('person_id', '=', person.id)
      .where('organization', 'in', people.organizations)
      .orderBy('organization')
      .limit(1)
      .execute();
    if (!first) {
      throw new DocentError(
        'forbidden',
        'Your account has no organization yet. Ask an administrator for an invitation.',
      );
    }
    const needsCode = person.second_factor !== null && !hasCode;
    const { token } = await sessions.start(transaction, {
      ...browserOf(request),
      personId: person.id,
      organization: first.organization,
      needsCode,
    });
    if (!needsCode) {
      const entry = { actor: callerActor(person.id), type: 'session.started' };
      await people.note(transaction, person, entry, { address: request.ip });
    }
    return token;
  }

  /** A new token at each sign-in, whatever cookie the browser had. */
  async function signIn(
    request: Request,
    response: Response,
    person: Tables['people'],
    options: {
      hasCode?: boolean;
      /** Part of the same transaction. */
      first?: (transaction: Database) => Promise<void>;
    } = {},
  ): Promise<SessionReply> {
    const before = await currentOf(request);
    const token = await database.transaction().execute(async (transaction) => {
      await options.first?.(transaction);
      if (before) await transaction.deleteFrom('sessions').where('id', '=', before.id).execute();
      return start(transaction, request, person, options);
    });
    setCookie(request, response, token);
    return show(await sessions.find(token));
  }

  /** Another token for the session of a person whose rights have changed. */
  async function renew(request: Request, response: Response, id: string): Promise<string> {
    const token = await sessions.renew(id);
    setCookie(request, response, token);
    return token;
  }

  function setCookie(request: Request, response: Response, token: string): void {
    setSessionCookie(request, response, { token, publicUrl, hours: sessionHours });
  }

  async function show(session: Session | undefined): Promise<SessionReply> {
    const base = {
      signIn: {
        password: passwords,
        openId: openId ? { name: openId.name, url: '/dashboard/sign-in/openid' } : null,
      },
      version: own.version,
    };
    if (!session) {
      return { state: (await needsSetup()) ? 'setup' : 'signed-out', ...base };
    }
    if (session.needsCode) return { state: 'second-factor', ...base };
    const { person, organization, role } = session;
    const mustEnroll = requireSecondFactor && person.second_factor === null;
    return {
      state: mustEnroll ? 'enroll-second-factor' : 'signed-in',
      person: {
        id: person.id,
        email: person.email,
        name: person.name,
        hasPassword: person.password_hash !== null,
        hasSecondFactor: person.second_factor !== null,
      },
      organization,
      organizations: await people.membershipsOf(person.id),
      role,
      permissions: permittedTo(role),
      ...base,
    };
  }
}

export const browserOf = (request: Request): Browser => ({
  address: request.ip ?? '',
  userAgent: request.get('user-agent') ?? '',
});

/** Browsers take `__Host-` only over HTTPS, which a service on one's own machine doesn't have. */
const secureName = '__Host-docent';
const loopbackName = 'docent';

/** The name for this request. Elsewhere than on this machine, a session needs HTTPS. */
function cookieName(request: Request, publicUrl: string | undefined): string | undefined {
  if (request.secure || publicUrl?.startsWith('https:')) return secureName;
  return isLoopback(request.get('host') ?? '') ? loopbackName : undefined;
}

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
