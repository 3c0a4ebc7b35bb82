/**
 * Single sign-on with OpenID Connect, for browsers: the code flow with PKCE, state, and nonce.
 *   GET  /dashboard/sign-in/openid            goes to the identity provider
 *   GET  /dashboard/sign-in/openid/callback   comes back from it, and signs in
 * Failures lead to the sign-in page, which says what to do. An account belongs to an issuer and its subject.
 * An email address links them once, if the provider has verified it and its domain is allowed.
 */
import { type Response, Router } from 'express';
import { DocentError } from '../../platform/errors.ts';
import {
  clearSessionCookie,
  readCookie,
  setSessionCookie,
  type SignIn,
  type SignInDeps,
} from './sign-in.ts';
import type { Limits } from '../../platform/limits/limits.ts';
import type { Logger } from '../../platform/log.ts';
import { isAtLeast, type Role } from '@docent/shared/people';
import { z } from 'zod';
import { type Audit, system } from '../../notify/audit/audit.ts';
import type { Config } from '../../platform/config/schema.ts';
import type { OpenIdConfig } from '../../platform/config/dashboard-config.ts';
import type { Environment } from '../../platform/config/environment.ts';
import type { Database, Tables } from '../../platform/store/database.ts';
import { lockUntilCommit } from '../../platform/store/lease.ts';
import { type People, roleOf } from './people.ts';

const suffix = '-openid';
const flowHours = 0.5;

export function createOpenIdRoutes(
  deps: OpenIdDeps & SignInDeps & { limits: Pick<Limits, 'lookups'>; signIn: SignIn; log: Logger },
): Router {
  const { config, limits, log } = deps;
  const { signIn, needsSetup } = deps.signIn;
  const { openId: settings } = config.dashboard;
  const router = Router({ strict: true, caseSensitive: true });
  if (!settings) return router;
  const openId = createOpenId(deps, settings);
  const { publicUrl } = config.dashboard;
  const { perAddress } = limits.lookups;

  router.get('/dashboard/sign-in/openid', perAddress, async (request, response) => {
    // Relative, because a proxy may serve all of this below a path.
    if (await needsSetup()) return go(response, '../setup');
    try {
      const { next } = request.query;
      const { url, flow } = await openId.begin(typeof next === 'string' ? next : '');
      const token = Buffer.from(JSON.stringify(flow)).toString('base64url');
      setSessionCookie(request, response, { token, publicUrl, hours: flowHours, suffix });
      go(response, url.href);
    } catch (error) {
      fail(response, '../../dashboard', error);
    }
  });

  router.get('/dashboard/sign-in/openid/callback', perAddress, async (request, response) => {
    try {
      if (await needsSetup()) throw new OpenIdError('rejected', 'There is no account yet.');
      const flow = readFlow(readCookie(request, suffix));
      clearSessionCookie(response, suffix);
      const query = request.originalUrl.split('?')[1] ?? '';
      const person = await openId.finish(query, flow);
      await signIn(request, response, person);
      go(response, `../../..${pageOf(flow.next)}`);
    } catch (error) {
      fail(response, '../../../dashboard', error);
    }
  });

  return router;

  function fail(response: Response, page: string, error: unknown): void {
    const isForbidden = error instanceof DocentError && error.code === 'forbidden';
    if (!(error instanceof OpenIdError) && !isForbidden) throw error;
    const failure = error instanceof OpenIdError ? error.failure : 'no-account';
    log.warn({ failure, why: reasonOf(error) }, error.message);
    go(response, `${page}?failure=${failure}`);
  }
}

/** "connect ECONNREFUSED …" is at the end of a chain that begins with "fetch failed". */
function reasonOf({ cause }: Error): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  return reasonOf(cause) ?? cause.message;
}

function go(response: Response, url: string): void {
  response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
  response.redirect(303, url);
}

/** A page of the dashboard, and never another site. */
const pageOf = (next: string): string =>
  /^\/dashboard(\/[\w-][\w.-]*)*(\?[\w=&%.+-]*)?$/.test(next) ? next : '/dashboard';

function readFlow(cookie = ''): OpenIdFlow {
  try {
    return OpenIdFlow.parse(JSON.parse(Buffer.from(cookie, 'base64url').toString()));
  } catch (cause) {
    throw new OpenIdError('rejected', 'The browser began no sign-in, or too long ago.', cause);
  }
}

/** Of a sign-in that has begun; the browser keeps it. */
const OpenIdFlow = z.object({
  verifier: z.string(),
  state: z.string(),
  nonce: z.string(),
  /** The page to go to afterwards. */
  next: z.string(),
});
type OpenIdFlow = z.output<typeof OpenIdFlow>;

/** The provider can't be reached, its answer is wrong, or it vouches for somebody who has no account. */
type OpenIdFailure = 'unreachable' | 'rejected' | 'no-account';

class OpenIdError extends Error {
  override readonly name = 'OpenIdError';
  readonly failure: OpenIdFailure;

  constructor(failure: OpenIdFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.failure = failure;
  }
}

const Claims = z.looseObject({
  iss: z.string(),
  sub: z.string().min(1).max(255),
  email: z.string().optional().catch(undefined),
  // Some providers send it as a text.
  email_verified: z.literal([true, 'true']).optional().catch(undefined),
  name: z.string().optional().catch(undefined),
});
type Claims = z.output<typeof Claims>;

const timeoutSeconds = 8;

interface OpenIdDeps {
  config: Pick<Config, 'dashboard'>;
  environment: Pick<Environment, 'secret'>;
  database: Database;
  people: People;
  audit: Pick<Audit, 'record'>;
  now: () => Date;
  baseUrl: () => string;
}

function createOpenId(deps: OpenIdDeps, settings: OpenIdConfig) {
  const { environment, database, people, audit, now } = deps;
  const { issuer, clientId, clientSecretEnv, groupsClaim, rolesByGroup, defaultRole } = settings;
  const organization = settings.organization ?? people.organizations[0] ?? '';
  const redirectUri = () => `${deps.baseUrl()}/dashboard/sign-in/openid/callback`;
  let discovered: ReturnType<typeof discover> | undefined;

  return {
    /** The provider's page to send a browser to, and what that browser has to keep. */
    async begin(next: string): Promise<{ url: URL; flow: OpenIdFlow }> {
      const { client, provider } = await connect();
      const { scopes_supported: scopes = [] } = provider.serverMetadata();
      const flow = {
        verifier: client.randomPKCECodeVerifier(),
        state: client.randomState(),
        nonce: client.randomNonce(),
        next,
      };
      const url = client.buildAuthorizationUrl(provider, {
        redirect_uri: redirectUri(),
        scope: [
          'openid',
          'email',
          'profile',
          ...(scopes.includes('groups') ? ['groups'] : []),
        ].join(' '),
        code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
        state: flow.state,
        nonce: flow.nonce,
      });
      return { url, flow };
    },

    /** The person whom the provider vouches for, with the role of their groups. */
    async finish(query: string, flow: OpenIdFlow): Promise<Tables['people']> {
      const claims = await readClaims(query, flow);
      return database.transaction().execute(async (transaction) => {
        await lockUntilCommit(transaction, 'identities');
        const person = await findPerson(transaction, claims);
        if (person.disabled_at !== null) throw noAccount('the account is disabled');
        await giveRole(transaction, person, claims);
        return person;
      });
    },
  };

  async function discover() {
    const client = await import('openid-client');
    const secret = clientSecretEnv === undefined ? undefined : environment.secret(clientSecretEnv);
    const authentication = secret === undefined ? client.None() : undefined;
    const isHttp = issuer.startsWith('http:');
    const provider = await client.discovery(new URL(issuer), clientId, secret, authentication, {
      timeout: timeoutSeconds,
      // The configuration takes such an issuer only on this machine.
      // oxlint-disable-next-line typescript/no-deprecated -- it's marked so that nobody overlooks it
      execute: [
        client.enableNonRepudiationChecks,
        ...(isHttp ? [client.allowInsecureRequests] : []),
      ],
    });
    return { client, provider };
  }

  /** Asks the provider for its addresses once; after a failure, with the next sign-in. */
  async function connect() {
    try {
      return await (discovered ??= discover());
    } catch (cause) {
      discovered = undefined;
      throw new OpenIdError('unreachable', 'The identity provider did not answer.', cause);
    }
  }

  async function readClaims(query: string, flow: OpenIdFlow): Promise<Claims> {
    const { client, provider } = await connect();
    try {
      const tokens = await client.authorizationCodeGrant(
        provider,
        new URL(`${redirectUri()}?${query}`),
        {
          pkceCodeVerifier: flow.verifier,
          expectedState: flow.state,
          expectedNonce: flow.nonce,
          idTokenExpected: true,
        },
      );
      const own = tokens.claims();
      if (!own) throw new Error('There is no ID token');
      const hasMore = provider.serverMetadata().userinfo_endpoint !== undefined;
      const more = hasMore
        ? await client.fetchUserInfo(provider, tokens.access_token, own.sub)
        : {};
      return Claims.parse({ ...more, ...own });
    } catch (cause) {
      throw new OpenIdError('rejected', 'The answer of the identity provider is wrong.', cause);
    }
  }

  async function findPerson(transaction: Database, claims: Claims): Promise<Tables['people']> {
    const { iss, sub } = claims;
    const known = await transaction
      .selectFrom('identities')
      .innerJoin('people', 'people.id', 'identities.person_id')
      .selectAll('people')
      .where('issuer', '=', iss)
      .where('subject', '=', sub)
      .executeTakeFirst();
    if (known) return known;
    const email = claims.email?.trim().toLowerCase() ?? '';
    const domain = email.slice(email.lastIndexOf('@') + 1);
    if (claims.email_verified === undefined) throw noAccount('the email address is not verified');
    if (!settings.allowedDomains.includes(domain)) throw noAccount('the domain is not allowed');
    const before = await transaction
      .selectFrom('people')
      .selectAll()
      .where('email', '=', email)
      .executeTakeFirst();
    if (before) {
      const other = await transaction
        .selectFrom('identities')
        .select('subject')
        .where('issuer', '=', iss)
        .where('person_id', '=', before.id)
        .executeTakeFirst();
      // The provider has given the address to somebody else.
      if (other) throw noAccount('the email address belongs to another subject');
    }
    const name = claims.name?.trim().slice(0, 100) || email;
    const person = before ?? (await people.add(transaction, { email, name, passwordHash: null }));
    const created_at = now().toISOString();
    await transaction
      .insertInto('identities')
      .values({ issuer: iss, subject: sub, person_id: person.id, created_at })
      .execute();
    const type = before ? 'person.linked' : 'person.added';
    const data = { person: person.id, by: 'single sign-on' };
    await audit.record(transaction, { organization, actor: system, type, data });
    return person;
  }

  /**
   * With roles by group, the provider decides at each sign-in. Otherwise, new people get the default. Whoever
   * was taken out stays out, and the last owner stays one.
   */
  async function giveRole(transaction: Database, person: Tables['people'], claims: Claims) {
    await lockUntilCommit(transaction, `people ${organization}`);
    const before = await roleOf(transaction, person.id, organization);
    const role = rolesByGroup ? roleOfGroups(claims) : (before ?? defaultRole);
    if (role === before) return;
    const data = { person: person.id, role: role ?? 'none', by: 'single sign-on' };
    try {
      if (role === undefined) await people.leave(transaction, person.id, organization);
      else if (await people.wasRemoved(transaction, person.id, organization)) return;
      else await people.join(transaction, person.id, organization, role);
    } catch (error) {
      if (!(error instanceof DocentError) || error.code !== 'conflict') throw error;
      const type = 'person.role_kept';
      await audit.record(transaction, { organization, actor: system, type, data });
      return;
    }
    const type = 'person.role_changed';
    await audit.record(transaction, { organization, actor: system, type, data });
  }

  function roleOfGroups(claims: Claims): Role | undefined {
    const groups = [claims[groupsClaim] ?? []].flat().filter((each) => typeof each === 'string');
    return groups.reduce<Role | undefined>((highest, group) => {
      const role = Object.hasOwn(rolesByGroup ?? {}, group) ? rolesByGroup?.[group] : undefined;
      return role && (!highest || isAtLeast(role, highest)) ? role : highest;
    }, defaultRole);
  }
}

const noAccount = (why: string) => new OpenIdError('no-account', `Single sign-on: ${why}.`);
