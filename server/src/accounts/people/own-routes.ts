/**
 * What people do with their own account. Not in the service document.
 *   GET    /v1/people/me/sessions                where this person is signed in
 *   DELETE /v1/people/me/sessions                signs out everywhere else: 204
 *   DELETE /v1/people/me/sessions/{id}           signs out there: 204
 *   POST   /v1/people/me/password                changes the password, and signs out everywhere else: 204
 *   POST   /v1/people/me/second-factor           a new secret, which waits for its first code
 *   DELETE /v1/people/me/second-factor           switches it off: 204
 *   POST   /v1/people/me/second-factor/confirm   switches it on: the recovery codes
 *   POST   /v1/people/me/second-factor/recovery-codes   replaces them
 */
import { PasswordAndCodeRequest, PasswordRequest } from '@docent/shared/people';
import { type Request, type Response, Router } from 'express';
import { DocentError } from '../../platform/errors.ts';
import { addressOf, jsonBody, parse } from '../../platform/http/request.ts';
import { signedIn } from '../require-access.ts';
import type { PersonTable } from '../../platform/store/people-tables.ts';
import { requireGoodPassword } from './password-strength.ts';
import { hashPassword, isPassword } from '../../platform/auth/passwords.ts';
import type { SessionRouteDeps } from './routes.ts';
import { newRecoveryCodes, newSecondFactor, stepOf, useCode } from './second-factor.ts';
import { type Session, callerActor } from '../../platform/auth/caller.ts';

/** How long a sign-in proves that it's the person who sits there. */
const freshMs = 10 * 60_000;

export function createOwnRoutes(deps: SessionRouteDeps): Router {
  const { config, database, people, sessions, guesses, signIn, now, mayAccess } = deps;
  const router = Router({ strict: true, caseSensitive: true });

  router
    .route('/v1/people/me/sessions')
    .get(...mayAccess, async (_request: Request, response: Response) => {
      const { id, person } = signedIn(response);
      response.json({ sessions: await sessions.list(person.id, id) });
    })
    .delete(...mayAccess, async (_request: Request, response: Response) => {
      await change(signedIn(response), {}, 'session.ended');
      response.status(204).end();
    });

  router.delete(
    '/v1/people/me/sessions/:id',
    ...mayAccess,
    async (request: Request<{ id: string }>, response: Response) => {
      await sessions.end(signedIn(response).person.id, request.params.id);
      response.status(204).end();
    },
  );

  router.post(
    '/v1/people/me/password',
    ...mayAccess,
    jsonBody,
    async (request: Request, response: Response) => {
      const session = signedIn(response);
      const { current, password } = parse(PasswordRequest, request.body);
      await requirePassword(request, session.person, current, 'current');
      requireGoodPassword(password, session.person);
      const passwordHash = await hashPassword(password);
      await change(session, { password_hash: passwordHash }, 'person.password_changed');
      await signIn.renew(request, response, session.id);
      response.status(204).end();
    },
  );

  router
    .route('/v1/people/me/second-factor')
    .post(...mayAccess, jsonBody, async (_request: Request, response: Response) => {
      const { person } = signedIn(response);
      requireNone(person);
      const made = await newSecondFactor(person.email);
      await database
        .updateTable('people')
        .set({ new_second_factor: made.secret })
        .where('id', '=', person.id)
        .execute();
      response.json(made);
    })
    .delete(...mayAccess, jsonBody, async (request: Request, response: Response) => {
      const session = signedIn(response);
      const given = parse(PasswordAndCodeRequest, request.body);
      await requirePasswordAndCode(request, session.person, given);
      const none = { second_factor: null, new_second_factor: null, recovery_codes: null };
      await change(session, none, 'person.second_factor_removed');
      await signIn.renew(request, response, session.id);
      response.status(204).end();
    });

  router.post(
    '/v1/people/me/second-factor/confirm',
    ...mayAccess,
    jsonBody,
    async (request: Request, response: Response) => {
      const session = signedIn(response);
      const { person } = session;
      const { code, password } = parse(PasswordAndCodeRequest, request.body);
      requireNone(person);
      const secret = person.new_second_factor;
      if (secret === null) {
        throw new DocentError('conflict', 'Get a secret first, and add it to your app.');
      }
      await requireOneself(request, session, password);
      const wasRight = await guessCode(request, person);
      const step = await stepOf(secret, code, now());
      if (step === undefined) throw wrongCode();
      await wasRight();
      const { codes, hashes } = newRecoveryCodes();
      const values = {
        second_factor: secret,
        new_second_factor: null,
        second_factor_step: step,
        recovery_codes: hashes,
      };
      await change(session, values, 'person.second_factor_added');
      await signIn.renew(request, response, session.id);
      response.json({ recoveryCodes: codes });
    },
  );

  router.post(
    '/v1/people/me/second-factor/recovery-codes',
    ...mayAccess,
    jsonBody,
    async (request: Request, response: Response) => {
      const session = signedIn(response);
      const given = parse(PasswordAndCodeRequest, request.body);
      if (session.person.second_factor === null) {
        throw new DocentError('conflict', 'Your account has no second factor. Set it up first.');
      }
      await requirePasswordAndCode(request, session.person, given);
      const { codes, hashes } = newRecoveryCodes();
      await change(session, { recovery_codes: hashes }, 'person.recovery_codes_replaced');
      await signIn.renew(request, response, session.id);
      response.json({ recoveryCodes: codes });
    },
  );

  return router;

  /** Changes the account, and ends its other sessions. */
  async function change(
    { id, person }: Session,
    values: Partial<PersonTable>,
    type: string,
  ): Promise<void> {
    const entry = { actor: callerActor(person.id), type };
    await database
      .transaction()
      .execute((transaction) => people.change(transaction, person, values, entry, id));
  }

  /** Whoever sits at somebody's open browser can't change what protects the account. */
  async function requirePassword(
    request: Request,
    person: PersonTable,
    password: string,
    path: string,
  ): Promise<void> {
    const account = person.email;
    const wasRight = await guesses({ what: 'password', account, network: addressOf(request) });
    if (!(await isPassword(password, person.password_hash ?? undefined))) {
      throw new DocentError('forbidden', 'The current password is wrong.', {
        details: [{ path, message: 'is wrong' }],
      });
    }
    await wasRight();
  }

  /** The password; of people without one, a sign-in of the last minutes. */
  async function requireOneself(
    request: Request,
    { person, startedAt }: Session,
    password: string | undefined,
  ): Promise<void> {
    if (person.password_hash !== null && config.dashboard.passwords) {
      return requirePassword(request, person, password ?? '', 'password');
    }
    if (now().getTime() - Date.parse(startedAt) <= freshMs) return;
    throw new DocentError('forbidden', 'Sign in again, and then set up the second factor.');
  }

  async function requirePasswordAndCode(
    request: Request,
    person: PersonTable,
    { password, code }: PasswordAndCodeRequest,
  ): Promise<void> {
    if (person.password_hash !== null) {
      await requirePassword(request, person, password ?? '', 'password');
    }
    const wasRight = await guessCode(request, person);
    if (!(await useCode(database, person, code, now()))) throw wrongCode();
    await wasRight();
  }

  async function guessCode(request: Request, person: PersonTable) {
    return guesses({ what: 'code', account: person.id, network: addressOf(request) });
  }
}

function requireNone(person: PersonTable): void {
  if (person.second_factor === null) return;
  throw new DocentError('conflict', 'Your account has a second factor. Remove it first.');
}

const wrongCode = () =>
  new DocentError(
    'forbidden',
    'This code is wrong. Check the clock of your device, and try again.',
    {
      details: [{ path: 'code', message: 'is wrong' }],
    },
  );
