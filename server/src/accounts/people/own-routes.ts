/** What people do with their own account. Not in the service document. */
import type { Tables } from '../../platform/store/tables.ts';
import { DigestReply, DigestRequest } from '@docent/shared/digest';
import {
  NewSecondFactor,
  PasswordAndCodeRequest,
  PasswordRequest,
  RecoveryCodesReply,
  SessionsReply,
} from '@docent/shared/people';
import type { Request } from 'express';
import { type Session, callerActor } from '../../platform/auth/caller.ts';
import { hashPassword, isPassword } from '../../platform/auth/passwords.ts';
import { DocentError } from '../../platform/errors.ts';
import { endpointsOf, enrollment, json, oneself } from '../../platform/http/endpoint.ts';
import { addressOf, jsonBody } from '../../platform/http/request.ts';
import { requireGoodPassword } from './password-strength.ts';
import { readDigest, setDigest } from './digests.ts';
import type { SessionDeps } from './routes.ts';
import { newRecoveryCodes, newSecondFactor, stepOf, useCode } from './second-factor.ts';

/** How long a sign-in proves that it's the person who sits there. */
const freshMs = 10 * 60_000;

const endpoint = endpointsOf<SessionDeps>('People');

export const ownEndpoints = [
  endpoint('GET /v1/people/me/sessions', {
    id: 'listOwnSessions',
    summary: 'Where this person is signed in',
    who: oneself,
    reply: json(SessionsReply, 'Sessions, the newest first.'),
    run: async ({ session }, { sessions }) => ({
      sessions: await sessions.list(session.person.id, session.id),
    }),
  }),
  endpoint('DELETE /v1/people/me/sessions', {
    id: 'endOtherSessions',
    summary: 'Sign out everywhere else',
    who: oneself,
    run: ({ session }, deps) => change(deps, session, {}, 'session.ended'),
  }),
  endpoint('DELETE /v1/people/me/sessions/{id}', {
    id: 'endOwnSession',
    summary: 'Sign out one browser',
    who: oneself,
    async run({ session, params }, { sessions }) {
      await sessions.end(session.person.id, params.id);
    },
  }),
  endpoint('GET /v1/people/me/digest', {
    id: 'getDigest',
    summary: 'Whether this person gets the weekly email of the organization',
    who: oneself,
    reply: DigestReply,
    run: ({ session }, deps) => showDigest(deps, session),
  }),
  endpoint('POST /v1/people/me/digest', {
    id: 'setDigest',
    summary: 'Get the weekly email of the organization, or no more',
    who: oneself,
    body: DigestRequest,
    reply: DigestReply,
    errors: ['conflict'],
    async run({ session, body: { timeZone } }, deps) {
      const { config, database, now } = deps;
      if (timeZone !== null && !config.email) {
        throw new DocentError('conflict', 'The configuration has no mail server; set `email`.');
      }
      await setDigest(database, membershipOf(session), timeZone, now());
      return showDigest(deps, session);
    },
  }),
  endpoint('POST /v1/people/me/password', {
    id: 'changePassword',
    summary: 'Change the password, and sign out everywhere else',
    who: oneself,
    body: PasswordRequest,
    async run({ session, body, request, response }, deps) {
      await requirePassword(deps, request, session.person, body.current, 'current');
      requireGoodPassword(body.password, session.person);
      const passwordHash = await hashPassword(body.password);
      await change(deps, session, { password_hash: passwordHash }, 'person.password_changed');
      await deps.signIn.renew(request, response, session.id);
    },
  }),
  endpoint('POST /v1/people/me/second-factor', {
    id: 'newSecondFactor',
    summary: 'Get a secret for an authenticator app',
    who: enrollment,
    before: () => [jsonBody],
    reply: json(NewSecondFactor, 'The secret, which waits for its first code.'),
    errors: ['conflict', 'unsupported_media_type'],
    async run({ session: { person } }, { database }) {
      requireNone(person);
      const made = await newSecondFactor(person.email);
      await database
        .updateTable('people')
        .set({ new_second_factor: made.secret })
        .where('id', '=', person.id)
        .execute();
      return made;
    },
  }),
  endpoint('DELETE /v1/people/me/second-factor', {
    id: 'removeSecondFactor',
    summary: 'Remove the second factor',
    who: oneself,
    body: PasswordAndCodeRequest,
    async run({ session, body, request, response }, deps) {
      await requirePasswordAndCode(deps, request, session.person, body);
      const none = { second_factor: null, new_second_factor: null, recovery_codes: null };
      await change(deps, session, none, 'person.second_factor_removed');
      await deps.signIn.renew(request, response, session.id);
    },
  }),
  endpoint('POST /v1/people/me/second-factor/confirm', {
    id: 'confirmSecondFactor',
    summary: 'Switch the second factor on with its first code',
    who: enrollment,
    body: PasswordAndCodeRequest,
    reply: json(RecoveryCodesReply, 'Recovery codes, shown once.'),
    errors: ['conflict'],
    async run({ session, body: { code, password }, request, response }, deps) {
      const { person } = session;
      requireNone(person);
      const secret = person.new_second_factor;
      if (secret === null) {
        throw new DocentError('conflict', 'Get a secret first, and add it to your app.');
      }
      await requireOneself(deps, request, session, password);
      const wasRight = await guessCode(deps, request, person);
      const step = await stepOf(secret, code, deps.now());
      if (step === undefined) throw wrongCode();
      await wasRight();
      const { codes, hashes } = newRecoveryCodes();
      const values = {
        second_factor: secret,
        new_second_factor: null,
        second_factor_step: step,
        recovery_codes: hashes,
      };
      await change(deps, session, values, 'person.second_factor_added');
      await deps.signIn.renew(request, response, session.id);
      return { recoveryCodes: codes };
    },
  }),
  endpoint('POST /v1/people/me/second-factor/recovery-codes', {
    id: 'renewRecoveryCodes',
    summary: 'Replace the recovery codes',
    who: oneself,
    body: PasswordAndCodeRequest,
    reply: json(RecoveryCodesReply, 'Recovery codes, shown once. The old ones no longer work.'),
    errors: ['conflict'],
    async run({ session, body, request, response }, deps) {
      if (session.person.second_factor === null) {
        throw new DocentError('conflict', 'Your account has no second factor. Set it up first.');
      }
      await requirePasswordAndCode(deps, request, session.person, body);
      const { codes, hashes } = newRecoveryCodes();
      await change(deps, session, { recovery_codes: hashes }, 'person.recovery_codes_replaced');
      await deps.signIn.renew(request, response, session.id);
      return { recoveryCodes: codes };
    },
  }),
];

const membershipOf = ({ person, organization }: Session) => ({ personId: person.id, organization });

async function showDigest({ config, database }: SessionDeps, session: Session) {
  const found = await readDigest(database, membershipOf(session));
  const hasMailServer = config.email !== undefined;
  return { timeZone: found?.timeZone ?? null, nextAt: found?.nextAt ?? null, hasMailServer };
}

async function change(
  { database, people }: SessionDeps,
  { id, person }: Session,
  values: Partial<Tables['people']>,
  type: string,
): Promise<void> {
  const entry = { actor: callerActor(person.id), type };
  await database
    .transaction()
    .execute((transaction) => people.change(transaction, person, values, entry, id));
}

/** Whoever sits at somebody's open browser can't change what protects the account. */
async function requirePassword(
  { guesses }: SessionDeps,
  request: Request,
  person: Tables['people'],
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
  deps: SessionDeps,
  request: Request,
  { person, startedAt }: Session,
  password: string | undefined,
): Promise<void> {
  if (person.password_hash !== null && deps.config.dashboard.passwords) {
    return requirePassword(deps, request, person, password ?? '', 'password');
  }
  if (deps.now().getTime() - Date.parse(startedAt) <= freshMs) return;
  throw new DocentError('forbidden', 'Sign in again, and then set up the second factor.');
}

async function requirePasswordAndCode(
  deps: SessionDeps,
  request: Request,
  person: Tables['people'],
  { password, code }: PasswordAndCodeRequest,
): Promise<void> {
  if (person.password_hash !== null) {
    await requirePassword(deps, request, person, password ?? '', 'password');
  }
  const wasRight = await guessCode(deps, request, person);
  if (!(await useCode(deps.database, person, code, deps.now()))) throw wrongCode();
  await wasRight();
}

const guessCode = ({ guesses }: SessionDeps, request: Request, { id }: Tables['people']) =>
  guesses({ what: 'code', account: id, network: addressOf(request) });

function requireNone(person: Tables['people']): void {
  if (person.second_factor === null) return;
  throw new DocentError('conflict', 'Your account has a second factor. Remove it first.');
}

const wrongCode = () =>
  new DocentError(
    'forbidden',
    'This code is wrong. Check the clock of your device, and try again.',
    { details: [{ path: 'code', message: 'is wrong' }] },
  );
