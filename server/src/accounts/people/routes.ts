/** Signing in to the dashboard. Not in the service document. */
import {
  CodeRequest,
  LinkRequest,
  SessionReply,
  SetupRequest,
  SignInRequest,
  SwitchRequest,
} from '@docent/shared/people';
import { type Session, callerActor } from '../../platform/auth/caller.ts';
import { hashPassword, isForeignHash, isPassword } from '../../platform/auth/passwords.ts';
import { DocentError } from '../../platform/errors.ts';
import { endpointsOf, json, oneself } from '../../platform/http/endpoint.ts';
import { addressOf } from '../../platform/http/request.ts';
import { createCounter } from '../../platform/limits/counters.ts';
import type { Guesses } from './guesses.ts';
import { requireGoodPassword } from './password-strength.ts';
import { findPersonToken, useLinksOf, usePersonToken } from './person-tokens.ts';
import { useCode } from './second-factor.ts';
import { clearSessionCookie, ownPage, type SignIn, type SignInDeps } from './sign-in.ts';

export interface SessionDeps extends SignInDeps {
  guesses: Guesses;
  signIn: SignIn;
  now: () => Date;
}

/** Of a sign-in that lacks its code. Then it has ended, and the password is asked for again. */
const maxWrongCodes = 10;

/** Several guesses at the same time may end it. */
const endPending = ({ database }: SessionDeps, { id }: Session) =>
  database.deleteFrom('sessions').where('id', '=', id).execute();

const endpoint = endpointsOf<SessionDeps>('People');

export const sessionEndpoints = [
  endpoint('GET /v1/session', {
    id: 'getSession',
    summary: 'Who is signed in, what they may do, and how to sign in',
    who: 'public',
    reply: SessionReply,
    async run({ request, response }, { signIn }) {
      response.set('Cache-Control', 'no-store');
      return signIn.show(await signIn.currentOf(request));
    },
  }),
  endpoint('POST /v1/session', {
    id: 'signIn',
    summary: 'Sign in with a password',
    who: 'public',
    before: ownPage,
    body: SignInRequest,
    reply: SessionReply,
    errors: ['unauthorized', 'forbidden', 'unavailable'],
    async run({ body, request, response }, { config, people, guesses, signIn }) {
      const { email, password } = body;
      if (!config.dashboard.passwords) throw noPasswords();
      const account = email.trim().toLowerCase();
      const wasRight = await guesses({ what: 'password', account, network: addressOf(request) });
      const person = await people.byEmail(email);
      const hash = person?.password_hash ?? undefined;
      const isRight = await isPassword(password, hash);
      if (!person || !isRight || person.disabled_at !== null) throw wrongSignIn();
      await wasRight();
      // Then it takes as long as that of somebody unknown.
      const renewed = hash && isForeignHash(hash) ? await hashPassword(password) : undefined;
      return signIn.signIn(request, response, person, {
        first: async (transaction) => {
          if (renewed === undefined) return;
          const rows = transaction.updateTable('people').set({ password_hash: renewed });
          await rows.where('id', '=', person.id).execute();
        },
      });
    },
  }),
  endpoint('PATCH /v1/session', {
    id: 'switchOrganization',
    summary: 'Go to another organization',
    who: oneself,
    body: SwitchRequest,
    reply: SessionReply,
    errors: ['not_found'],
    async run(call, { people, sessions, signIn }) {
      const { id, person } = call.session;
      const { organization } = call.body;
      const theirs = await people.membershipsOf(person.id);
      if (!theirs.some(({ name }) => name === organization)) {
        throw new DocentError('not_found', 'You are not a member of this organization.');
      }
      await sessions.moveTo(id, organization);
      const token = await signIn.renew(call.request, call.response, id);
      return signIn.show(await sessions.find(token));
    },
  }),
  endpoint('DELETE /v1/session', {
    id: 'signOut',
    summary: 'Sign out',
    who: 'public',
    before: ownPage,
    errors: ['forbidden'],
    async run({ request, response }, { sessions, signIn }) {
      const session = await signIn.currentOf(request);
      if (session) await sessions.end(session.person.id, session.id);
      clearSessionCookie(response);
    },
  }),
  endpoint('POST /v1/session/second-factor', {
    id: 'signInWithCode',
    summary: 'Send the code of the second factor that a sign-in lacks',
    who: 'public',
    before: ownPage,
    body: CodeRequest,
    reply: SessionReply,
    errors: ['unauthorized', 'forbidden'],
    async run({ body: { code }, request, response }, deps) {
      const { database, guesses, signIn, now } = deps;
      const session = await signIn.currentOf(request);
      if (!session?.needsCode) throw new DocentError('unauthorized', 'Sign in first.');
      const { person } = session;
      const guess = { what: 'code', account: person.id, network: addressOf(request) } as const;
      const wasRight = await guesses(guess);
      // Counted before it's checked, so that guesses at the same time count too.
      const wrongCodes = createCounter(deps, 'wrong-code-hour', 'hour');
      const { totalHits } = await wrongCodes.increment(session.id);
      if (totalHits > maxWrongCodes || !(await useCode(database, person, code, now()))) {
        if (totalHits >= maxWrongCodes) await endPending(deps, session);
        throw new DocentError('unauthorized', 'This code is wrong, or was used before.');
      }
      await wasRight();
      return signIn.signIn(request, response, person, { hasCode: true });
    },
  }),
  endpoint('POST /v1/session/link', {
    id: 'signInWithLink',
    summary: 'Sign in with a link that works once, and set a password',
    who: 'public',
    before: ownPage,
    body: LinkRequest,
    reply: SessionReply,
    errors: ['unauthorized', 'forbidden'],
    async run({ body, request, response }, { config, database, people, signIn, now }) {
      const { token, password } = body;
      const { passwords } = config.dashboard;
      const link = await findPersonToken(database, now(), 'reset', token);
      const person = link?.person_id ? await people.byId(link.person_id) : undefined;
      if (!link || !person || person.disabled_at !== null) throw wrongLink();
      // Where passwords are switched off, it lets its owner in, and that's all.
      if (passwords) requireGoodPassword(password ?? '', person);
      const hash = passwords ? await hashPassword(password ?? '') : person.password_hash;
      return signIn.signIn(request, response, person, {
        first: async (transaction) => {
          if (!(await usePersonToken(transaction, now(), link.id))) throw wrongLink();
          await useLinksOf(transaction, now(), person.id);
          const entry = { actor: callerActor(person.id), type: 'person.link_used' };
          await people.change(transaction, person, { password_hash: hash }, entry);
        },
      });
    },
  }),
  endpoint('POST /v1/setup', {
    id: 'setUp',
    summary: 'Make the first account, with the token that the server printed',
    who: 'public',
    before: ownPage,
    body: SetupRequest,
    reply: json(SessionReply, 'The session of the new owner.', { status: 201 }),
    errors: ['unauthorized', 'forbidden'],
    async run({ body, request, response }, { config, people, sessions, signIn }) {
      if (!config.dashboard.passwords) throw noPasswords();
      let token = '';
      await people.setUp(body, async (transaction, person) => {
        token = await signIn.start(transaction, request, person);
      });
      signIn.setCookie(request, response, token);
      return signIn.show(await sessions.find(token));
    },
  }),
];

/** The same for an unknown person, a wrong password, and a disabled account. */
const wrongSignIn = () =>
  new DocentError('unauthorized', 'The email address or the password is wrong.');

const wrongLink = () =>
  new DocentError(
    'unauthorized',
    'This link is not valid, or no longer. Ask an administrator for another one.',
  );

const noPasswords = () => new DocentError('forbidden', 'Passwords are turned off here.');
