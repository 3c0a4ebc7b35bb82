/**
 * Signing in to the dashboard. Not in the service document.
 *   GET    /v1/session                 who is signed in, what they may do, and how to sign in
 *   POST   /v1/setup                   the first account, with the token that the server printed: 201
 *   POST   /v1/session                 signs in with a password
 *   POST   /v1/session/second-factor   the code that the sign-in lacks
 *   POST   /v1/session/link            signs in with a link that works once, and sets a password
 *   PATCH  /v1/session                 goes to another organization
 *   DELETE /v1/session                 signs out: 204
 */
import {
  CodeRequest,
  LinkRequest,
  SetupRequest,
  SignInRequest,
  SwitchRequest,
} from '@docent/shared/people';
import { type RequestHandler, Router } from 'express';
import { DocentError } from '../../platform/errors.ts';
import { addressOf, jsonBody, parse } from '../../platform/http/request.ts';
import { signedIn } from '../require-access.ts';
import { clearSessionCookie, requireOwnPage } from './session-cookie.ts';
import { createCounter } from '../../platform/limits/counters.ts';
import type { Limits } from '../../platform/limits/limits.ts';
import type { Guesses } from './guesses.ts';
import { requireGoodPassword } from './password-strength.ts';
import { hashPassword, isForeignHash, isPassword } from '../../platform/auth/passwords.ts';
import { findPersonToken, useLinksOf, usePersonToken } from './person-tokens.ts';
import { useCode } from './second-factor.ts';
import type { SignIn, SignInDeps } from './sign-in.ts';
import { type Session, callerActor } from '../../platform/auth/caller.ts';

export interface SessionRouteDeps extends SignInDeps {
  limits: Pick<Limits, 'lookups'>;
  guesses: Guesses;
  signIn: SignIn;
  now: () => Date;
  mayAccess: RequestHandler[];
}

/** Of a sign-in that lacks its code. Then it has ended, and the password is asked for again. */
const maxWrongCodes = 10;

export function createSessionRoutes(deps: SessionRouteDeps): Router {
  const { config, database, limits, people, sessions, guesses, now, mayAccess } = deps;
  const { currentOf, start, signIn, renew, setCookie, show } = deps.signIn;
  const { passwords } = config.dashboard;
  const router = Router({ strict: true, caseSensitive: true });
  const perAddress = limits.lookups.perAddress;
  const wrongCodes = createCounter(deps, 'wrong-code-hour', 'hour');
  /** Several guesses at the same time may end it. */
  const endPending = ({ id }: Session) =>
    database.deleteFrom('sessions').where('id', '=', id).execute();
  const ownPage: RequestHandler = (request, _response, next) => {
    requireOwnPage(request, config.dashboard.publicUrl);
    next();
  };

  router
    .route('/v1/session')
    .get(perAddress, async (request, response) => {
      response.set('Cache-Control', 'no-store').json(await show(await currentOf(request)));
    })
    .post(perAddress, ownPage, jsonBody, async (request, response) => {
      const { email, password } = parse(SignInRequest, request.body);
      if (!passwords) throw noPasswords();
      const account = email.trim().toLowerCase();
      const wasRight = await guesses({ what: 'password', account, network: addressOf(request) });
      const person = await people.byEmail(email);
      const hash = person?.password_hash ?? undefined;
      const isRight = await isPassword(password, hash);
      if (!person || !isRight || person.disabled_at !== null) throw wrongSignIn();
      await wasRight();
      // Then it takes as long as that of somebody unknown.
      const renewed = hash && isForeignHash(hash) ? await hashPassword(password) : undefined;
      const session = await signIn(request, response, person, {
        first: async (transaction) => {
          if (renewed === undefined) return;
          const rows = transaction.updateTable('people').set({ password_hash: renewed });
          await rows.where('id', '=', person.id).execute();
        },
      });
      response.json(session);
    })
    .patch(...mayAccess, jsonBody, async (request, response) => {
      const { organization } = parse(SwitchRequest, request.body);
      const { id, person } = signedIn(response);
      const theirs = await people.membershipsOf(person.id);
      if (!theirs.some(({ name }) => name === organization)) {
        throw new DocentError('not_found', 'You are not a member of this organization.');
      }
      await sessions.moveTo(id, organization);
      const token = await renew(request, response, id);
      response.json(await show(await sessions.find(token)));
    })
    .delete(perAddress, ownPage, async (request, response) => {
      const session = await currentOf(request);
      if (session) await sessions.end(session.person.id, session.id);
      clearSessionCookie(response);
      response.status(204).end();
    });

  router.post(
    '/v1/session/second-factor',
    perAddress,
    ownPage,
    jsonBody,
    async (request, response) => {
      const { code } = parse(CodeRequest, request.body);
      const session = await currentOf(request);
      if (!session?.needsCode) throw new DocentError('unauthorized', 'Sign in first.');
      const { person } = session;
      const guess = { what: 'code', account: person.id, network: addressOf(request) } as const;
      const wasRight = await guesses(guess);
      // Counted before it's checked, so that guesses at the same time count too.
      const { totalHits } = await wrongCodes.increment(session.id);
      if (totalHits > maxWrongCodes || !(await useCode(database, person, code, now()))) {
        if (totalHits >= maxWrongCodes) await endPending(session);
        throw new DocentError('unauthorized', 'This code is wrong, or was used before.');
      }
      await wasRight();
      response.json(await signIn(request, response, person, { hasCode: true }));
    },
  );

  router.post('/v1/session/link', perAddress, ownPage, jsonBody, async (request, response) => {
    const { token, password } = parse(LinkRequest, request.body);
    const link = await findPersonToken(database, now(), 'reset', token);
    const person = link?.person_id ? await people.byId(link.person_id) : undefined;
    if (!link || !person || person.disabled_at !== null) throw wrongLink();
    // Where passwords are switched off, it lets its owner in, and that's all.
    if (passwords) requireGoodPassword(password ?? '', person);
    const hash = passwords ? await hashPassword(password ?? '') : person.password_hash;
    const session = await signIn(request, response, person, {
      first: async (transaction) => {
        if (!(await usePersonToken(transaction, now(), link.id))) throw wrongLink();
        await useLinksOf(transaction, now(), person.id);
        const entry = { actor: callerActor(person.id), type: 'person.link_used' };
        await people.change(transaction, person, { password_hash: hash }, entry);
      },
    });
    response.json(session);
  });

  router.post('/v1/setup', perAddress, ownPage, jsonBody, async (request, response) => {
    const body = parse(SetupRequest, request.body);
    if (!passwords) throw noPasswords();
    let token = '';
    await people.setUp(body, async (transaction, person) => {
      token = await start(transaction, request, person);
    });
    setCookie(request, response, token);
    response.status(201).json(await show(await sessions.find(token)));
  });

  return router;
}

/** The same for an unknown person, a wrong password, and a disabled account. */
const wrongSignIn = () =>
  new DocentError('unauthorized', 'The email address or the password is wrong.');

const wrongLink = () =>
  new DocentError(
    'unauthorized',
    'This link is not valid, or no longer. Ask an administrator for another one.',
  );

const noPasswords = () => new DocentError('forbidden', 'Passwords are turned off here.');
