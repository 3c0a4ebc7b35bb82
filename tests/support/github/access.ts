import { createVerify, generateKeyPairSync, randomBytes } from 'node:crypto';
import { type Asked, created, ok, Refusal, type Answer, notFound } from './answers.ts';

export type Permission = 'read' | 'write';
export type Permissions = Partial<
  Record<
    | 'contents'
    | 'pull_requests'
    | 'metadata'
    | 'workflows'
    | 'administration'
    | 'issues'
    | 'checks'
    | 'statuses'
    | 'actions',
    Permission
  >
>;

export interface Token {
  permissions: Permissions;
  /** `owner/name`; all where it is left out. */
  repositories?: readonly string[] | undefined;
  /** In milliseconds, on the server's clock. */
  expiresAt?: number | undefined;
  isApp?: boolean;
}

export interface App {
  id: number;
  clientId: string;
  privateKey: string;
  publicKey: string;
  installation: {
    id: number;
    permissions: Permissions;
    repositories: string[];
    isSuspended: boolean;
    isInstalled: boolean;
  };
}

/** Who may do what: tokens of people, Apps with their installations, and tokens minted for those. */
export function createAccess(now: () => number) {
  const tokens = new Map<string, Token>();
  const apps: App[] = [];
  /** Every token minted, with what it may. */
  const minted: { token: string; permissions: Permissions; repositories?: readonly string[] }[] =
    [];

  function appOf(asked: Asked): App {
    const [, jwt = ''] = /^bearer (.+)$/i.exec(String(asked.headers['authorization'])) ?? [];
    const [header = '', payload = '', signature = ''] = jwt.split('.');
    const undecodable = new Refusal(401, 'A JSON web token could not be decoded');
    const claims = parse(payload);
    if (!claims || signature === '') throw undecodable;
    const issuer = String(claims['iss']);
    const app = apps.find((one) => String(one.id) === issuer || one.clientId === issuer);
    if (!app) throw new Refusal(404, 'Integration not found');
    const isGenuine = createVerify('RSA-SHA256')
      .update(`${header}.${payload}`)
      .verify(app.publicKey, signature, 'base64url');
    if (!isGenuine) throw undecodable;
    const seconds = Date.now() / 1000;
    const lasts = Number(claims['exp']) - Number(claims['iat']);
    if (Number(claims['exp']) < seconds) {
      throw new Refusal(
        401,
        "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
      );
    }
    if (lasts > 660 || Number(claims['iat']) > seconds + 60) {
      throw new Refusal(401, "'Expiration time' claim ('exp') is too far in the future");
    }
    return app;
  }

  function mint(app: App, asked: Asked): Answer {
    const { installation } = app;
    if (installation.isSuspended) {
      throw new Refusal(403, 'This installation has been suspended');
    }
    const wanted = (asked.body['permissions'] ?? installation.permissions) as Permissions;
    // Every App may read metadata.
    const all: Permissions = { metadata: 'read', ...installation.permissions };
    for (const [name, level] of Object.entries(wanted)) {
      const granted = all[name as keyof Permissions];
      if (granted === undefined || (level === 'write' && granted === 'read')) {
        throw new Refusal(422, 'The permissions requested are not granted to this installation.');
      }
    }
    const names = asked.body['repositories'] as string[] | undefined;
    const repositories = names?.map((name) => {
      const full = installation.repositories.find((one) => one.split('/')[1] === name);
      if (full !== undefined) return full;
      throw new Refusal(
        422,
        'There is at least one repository that does not exist or is not accessible to the parent installation.',
      );
    });
    const token = `ghs_${randomBytes(18).toString('hex')}`;
    const expiresAt = now() + 3_600_000;
    const scope = { permissions: wanted, repositories: repositories ?? installation.repositories };
    tokens.set(token, { ...scope, expiresAt, isApp: true });
    minted.push({ token, ...scope });
    return created({
      token,
      expires_at: new Date(expiresAt).toISOString(),
      permissions: { metadata: 'read', ...wanted },
      repository_selection: 'selected',
    });
  }

  return {
    tokens,
    minted,

    addApp(input: { permissions?: Permissions; repositories: string[] }): App {
      const pair = generateKeyPairSync('rsa', {
        modulusLength: 2048,
        publicKeyEncoding: { type: 'spki', format: 'pem' },
        privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
      });
      const id = 1000 + apps.length;
      const app: App = {
        id,
        clientId: `Iv23li${id}`,
        ...pair,
        installation: {
          id: 50_000 + apps.length,
          permissions: input.permissions ?? { contents: 'write', pull_requests: 'write' },
          repositories: input.repositories,
          isSuspended: false,
          isInstalled: true,
        },
      };
      apps.push(app);
      return app;
    },

    /** Routes that an App asks with a token it has signed itself. */
    appRoute(asked: Asked): Answer | undefined {
      const { method, path } = asked;
      // "List installations for the authenticated app", "Get an installation for the authenticated app".
      const [isOwn, one = ''] = /^\/app\/installations(?:\/(\d+))?$/.exec(path) ?? [];
      if (method === 'GET' && isOwn !== undefined) {
        const app = appOf(asked);
        const { id, isInstalled, isSuspended, permissions } = app.installation;
        const shown = {
          id,
          app_id: app.id,
          account: { login: 'kestrel', id: 2, type: 'Organization' },
          repository_selection: 'selected',
          permissions,
          suspended_at: isSuspended ? new Date(now()).toISOString() : null,
        };
        if (one === '') return ok(isInstalled ? [shown] : []);
        if (Number(one) !== id || !isInstalled) throw notFound();
        return ok(shown);
      }
      const [, id] = /^\/app\/installations\/(\d+)\/access_tokens$/.exec(path) ?? [];
      if (method === 'POST' && id !== undefined) {
        const app = appOf(asked);
        if (app.installation.id !== Number(id) || !app.installation.isInstalled) throw notFound();
        return mint(app, asked);
      }
      const [, repository] = /^\/repos\/([^/]+\/[^/]+)\/installation$/.exec(path) ?? [];
      if (method === 'GET' && repository !== undefined) {
        const { installation } = appOf(asked);
        const isInstalled =
          installation.isInstalled &&
          installation.repositories.some((one) => one.toLowerCase() === repository.toLowerCase());
        if (!isInstalled) throw notFound();
        return ok({
          id: installation.id,
          permissions: installation.permissions,
          suspended_at: installation.isSuspended ? new Date(now()).toISOString() : null,
        });
      }
      return undefined;
    },

    /** The token of a request, from either kind of header; `undefined`: nobody in particular. */
    read(header: string | undefined): Token | undefined {
      if (header === undefined) return undefined;
      const [, bearer] = /^(?:bearer|token) (.+)$/i.exec(header) ?? [];
      const [, basic] = /^basic (.+)$/i.exec(header) ?? [];
      const secret =
        bearer ??
        Buffer.from(basic ?? '', 'base64')
          .toString()
          .split(':')
          .slice(1)
          .join(':');
      const token = tokens.get(secret);
      if (!token || (token.expiresAt !== undefined && token.expiresAt <= now())) {
        throw new Refusal(401, 'Bad credentials');
      }
      return token;
    },
  };
}

export function maySee(token: Token, repository: string): boolean {
  return (
    token.repositories === undefined ||
    token.repositories.some((one) => one.toLowerCase() === repository.toLowerCase())
  );
}

/** Refuses as GitHub does: 404 where the token does not see the repository, 403 where it may not do this. */
export function assertMay(
  token: Token | undefined,
  repository: string,
  permission: keyof Permissions,
  level: Permission,
): void {
  if (!token || !maySee(token, repository)) throw notFound();
  const granted = token.permissions[permission];
  if (granted === 'write' || (granted === 'read' && level === 'read')) return;
  const whom = token.isApp ? 'integration' : 'personal access token';
  throw new Refusal(403, `Resource not accessible by ${whom}`);
}

function parse(part: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
