/**
 * Signing in to the dashboard. Not in the service document.
 *   GET    /v1/session                   who is signed in, what they may do, and how to sign in
 *   POST   /v1/setup                     the first account, with the token that the server printed: 201
 *   POST   /v1/session                   signs in with a password
 *   PATCH  /v1/session                   goes to another organization
 *   DELETE /v1/session                   signs out: 204
 *   GET    /v1/people/me/sessions        where this person is signed in
 *   DELETE /v1/people/me/sessions        signs out everywhere else: 204
 *   DELETE /v1/people/me/sessions/{id}   signs out there: 204
 *   POST   /v1/people/me/password        changes the password, and signs out everywhere else: 204
 */
import own from '@docent/server/package.json' with { type: 'json' };
import {
  PasswordRequest,
  type SessionReply,
  SetupRequest,
  SignInRequest,
  SwitchRequest,
} from '@docent/shared/people';
import { promises } from '@docent/shared/promises';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { type Audit, callerActor } from '../audit/audit.ts';
import { permittedTo } from '../auth/permissions.ts';
import type { Config } from '../config/schema.ts';
import { DocentError } from '../errors.ts';
import { methodNotAllowed } from '../http/method-not-allowed.ts';
import { parse } from '../http/request.ts';
import { sessionOf } from '../http/require-access.ts';
import {
  clearSessionCookie,
  requireOwnPage,
  sessionToken,
  setSessionCookie,
} from '../http/session-cookie.ts';
import type { Limits } from '../limits/limits.ts';
import type { Database } from '../store/database.ts';
import type { PersonTable } from '../store/people-tables.ts';
import { hashPassword, isPassword, requireGoodPassword } from './passwords.ts';
import type { People } from './people.ts';
import type { Browser, Session, Sessions } from './sessions.ts';

export interface SessionRouteDeps {
  config: Pick<Config, 'server' | 'dashboard'>;
  database: Database;
  limits: Pick<Limits, 'lookups'>;
  people: People;
  sessions: Sessions;
  audit: Pick<Audit, 'record'>;
  requireAccess: RequestHandler;
}

type OfSession = Request<{ id: string }>;

export function createSessionRoutes(deps: SessionRouteDeps): Router {
  const { config, database, limits, people, sessions, audit, requireAccess } = deps;
  const { publicUrl } = config.server;
  const router = Router({ strict: true, caseSensitive: true });
  const json = express.json({ limit: promises.bodyMaxBytes });
  const perAddress = limits.lookups.perAddress;
  const ownPage: RequestHandler = (request, _response, next) => {
    requireOwnPage(request, publicUrl);
    next();
  };

  router
    .route('/v1/session')
    .get(perAddress, async (request, response) => {
      response.json(await show(await currentOf(request)));
    })
    .post(perAddress, ownPage, json, async (request, response) => {
      const { email, password } = parse(SignInRequest, request.body);
      const person = await people.byEmail(email);
      const isRight = await isPassword(password, person?.password_hash ?? undefined);
      if (!person || !isRight || person.disabled_at !== null) throw wrongSignIn();
      response.json(await signIn(request, response, person));
    })
    .patch(perAddress, requireAccess, json, async (request, response) => {
      const { organization } = parse(SwitchRequest, request.body);
      const { id, person } = signedIn(response);
      const theirs = await people.membershipsOf(person.id);
      if (!theirs.some(({ name }) => name === organization)) {
        throw new DocentError('not_found', 'You are not a member of such an organization.');
      }
      await sessions.moveTo(id, organization);
      response.json(await show(await currentOf(request)));
    })
    .delete(perAddress, ownPage, async (request, response) => {
      const session = await currentOf(request);
      if (session) await sessions.end(session.person.id, session.id);
      clearSessionCookie(response);
      response.status(204).end();
    })
    .all(methodNotAllowed('GET', 'POST', 'PATCH', 'DELETE'));

  router
    .route('/v1/setup')
    .post(perAddress, ownPage, json, async (request, response) => {
      const body = parse(SetupRequest, request.body);
      let started: Awaited<ReturnType<typeof start>> | undefined;
      await people.setUp(body, async (transaction, person) => {
        started = await start(transaction, request, person);
      });
      if (!started) throw new Error('The first account has no session');
      setCookie(request, response, started.token);
      response.status(201).json(await show(await sessions.find(started.token)));
    })
    .all(methodNotAllowed('POST'));

  router
    .route('/v1/people/me/sessions')
    .get(perAddress, requireAccess, async (_request, response) => {
      const { id, person } = signedIn(response);
      response.json({ sessions: await sessions.list(person.id, id) });
    })
    .delete(perAddress, requireAccess, async (_request, response) => {
      const { id, person, organization } = signedIn(response);
      await database.transaction().execute(async (transaction) => {
        const ended = await sessions.endAll(transaction, person.id, id);
        await note(transaction, { person, organization }, 'session.ended', { ended });
      });
      response.status(204).end();
    })
    .all(methodNotAllowed('GET', 'DELETE'));

  router
    .route('/v1/people/me/sessions/:id')
    .delete(perAddress, requireAccess, async (request: OfSession, response: Response) => {
      await sessions.end(signedIn(response).person.id, request.params.id);
      response.status(204).end();
    })
    .all(methodNotAllowed('DELETE'));

  router
    .route('/v1/people/me/password')
    .post(perAddress, requireAccess, json, async (request, response) => {
      const { id, person, organization } = signedIn(response);
      const { current, password } = parse(PasswordRequest, request.body);
      if (!(await isPassword(current, person.password_hash ?? undefined))) {
        throw new DocentError('forbidden', 'The current password is wrong.', {
          details: [{ path: 'current', message: 'is wrong' }],
        });
      }
      requireGoodPassword(password, person);
      const passwordHash = await hashPassword(password);
      await database.transaction().execute(async (transaction) => {
        await transaction
          .updateTable('people')
          .set({ password_hash: passwordHash })
          .where('id', '=', person.id)
          .execute();
        await sessions.endAll(transaction, person.id, id);
        await note(transaction, { person, organization }, 'person.password_changed');
      });
      response.status(204).end();
    })
    .all(methodNotAllowed('POST'));

  return router;

  async function currentOf(request: Request): Promise<Session | undefined> {
    const token = sessionToken(request);
    return token === undefined ? undefined : sessions.find(token);
  }

  /** Starts a session in the person's first organization. */
  async function start(transaction: Database, request: Request, person: PersonTable) {
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
    const { organization } = first;
    const needsCode = person.second_factor !== null;
    const session = await sessions.start(transaction, {
      ...browserOf(request),
      personId: person.id,
      organization,
      needsCode,
    });
    return { ...session, organization };
  }

  /** A new token at each sign-in, whatever cookie the browser had. */
  async function signIn(request: Request, response: Response, person: PersonTable) {
    const before = await currentOf(request);
    const token = await database.transaction().execute(async (transaction) => {
      const started = await start(transaction, request, person);
      if (before) await transaction.deleteFrom('sessions').where('id', '=', before.id).execute();
      await note(transaction, { person, organization: started.organization }, 'session.started', {
        address: request.ip,
      });
      return started.token;
    });
    setCookie(request, response, token);
    return show(await sessions.find(token));
  }

  function setCookie(request: Request, response: Response, token: string): void {
    setSessionCookie(request, response, { token, publicUrl, hours: config.dashboard.sessionHours });
  }

  async function note(
    transaction: Database,
    { person, organization }: Pick<Session, 'person' | 'organization'>,
    type: string,
    data: Record<string, unknown> = {},
  ): Promise<void> {
    const actor = callerActor(person.id);
    await audit.record(transaction, [{ organization, actor, type, data }]);
  }

  async function show(session: Session | undefined): Promise<SessionReply> {
    const signIn = { password: true, openId: null };
    const base = { signIn, version: own.version };
    if (!session) return { state: (await people.exist()) ? 'signed-out' : 'setup', ...base };
    if (session.needsCode) return { state: 'second-factor', ...base };
    const { person, organization, role } = session;
    const mustEnroll = config.dashboard.requireSecondFactor && person.second_factor === null;
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

function signedIn(response: Response): Session {
  const session = sessionOf(response);
  if (!session) throw new Error('requireAccess let a key pass');
  return session;
}

const browserOf = (request: Request): Browser => ({
  address: request.ip ?? '',
  userAgent: request.get('user-agent') ?? '',
});

/** The same for an unknown person, a wrong password, and a disabled account. */
const wrongSignIn = () =>
  new DocentError('unauthorized', 'The email address or the password is wrong.');
