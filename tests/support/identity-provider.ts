/** An identity provider: `oidc-provider` on this machine, with people who sign in at once. */
import { createPrivateKey, createSign, generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

export type Claims = Record<string, unknown> & { sub: string };

export type IdentityProvider = Awaited<ReturnType<typeof startIdentityProvider>>;

export async function startIdentityProvider(client: { id: string; secret: string }) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = { ...privateKey.export({ format: 'jwk' }), kid: 'tests', use: 'sig', alg: 'RS256' };
  const behavior: {
    /** Who signs in. */
    person: Claims;
    /** Changes the claims of the ID token, which is then signed again. */
    tamper?: (claims: Claims) => unknown;
    /** A key that the provider doesn't publish. */
    isForged?: boolean;
  } = { person: { sub: 'ada' } };
  let handle: (request: IncomingMessage, response: ServerResponse) => unknown = () => undefined;
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let callback: ReturnType<Provider['callback']> | undefined;

  function provide(redirectUri: string): void {
    const provider = new Provider(issuer, {
      clients: [
        { client_id: client.id, client_secret: client.secret, redirect_uris: [redirectUri] },
      ],
      jwks: { keys: [jwk] },
      cookies: { keys: ['tests'] },
      ttl: { Interaction: 60, Grant: 60, Session: 60, AccessToken: 60, IdToken: 60 },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
      features: { devInteractions: { enabled: false } },
      findAccount: (_context, id) => ({
        accountId: id,
        claims: () => ({ ...behavior.person, sub: id }),
      }),
      interactions: { url: () => '/sign-in' },
      async loadExistingGrant(context) {
        const { client: asker, session } = context.oidc;
        const grant = new provider.Grant({
          clientId: asker?.clientId ?? '',
          accountId: session?.accountId ?? '',
        });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
    });
    callback = provider.callback();
    handle = async (request, response) => {
      if (request.url?.startsWith('/sign-in')) {
        await provider.interactionFinished(request, response, {
          login: { accountId: behavior.person.sub },
        });
        return;
      }
      if (request.url === '/token' && (behavior.tamper || behavior.isForged)) signAgain(response);
      await callback?.(request, response);
    };
  }

  function signAgain(response: ServerResponse): void {
    const end = response.end.bind(response);
    response.end = ((body: string | Buffer) => {
      const reply = JSON.parse(String(body)) as { id_token?: string };
      if (reply.id_token === undefined) return end(body);
      const [head = '', payload = ''] = reply.id_token.split('.');
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
      const changed = behavior.tamper?.(claims) ?? claims;
      const signed = `${head}.${Buffer.from(JSON.stringify(changed)).toString('base64url')}`;
      const key = behavior.isForged
        ? generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
        : createPrivateKey({ key: jwk, format: 'jwk' });
      const signature = createSign('RSA-SHA256').update(signed).sign(key).toString('base64url');
      response.removeHeader('content-length');
      return end(JSON.stringify({ ...reply, id_token: `${signed}.${signature}` }));
    }) as typeof response.end;
  }

  return {
    issuer,
    behavior,
    provide,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
